import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { until } from './until.ts';

/** One webhook POST as it arrived. */
export interface Arrival {
  path: string;
  headers: http.IncomingHttpHeaders;
  raw: Buffer;
  event: {
    event: string;
    channel_id: string;
    channel_type: string;
    timestamp: string;
    data: Record<string, unknown>;
  };
  /** Monotonic ms. */
  at: number;
  /** The status of its answer; 0 if it was not answered. */
  answered: number;
}

/** A status; `hang`: no answer; `reset`: the connection is closed without an answer. */
type Answer = number | 'hang' | 'reset';

/** A client's webhook receiver on loopback: keeps every POST, answers 200 unless a test scripts other answers. */
export class Inbox {
  readonly arrivals: Arrival[] = [];
  readonly #server: http.Server;
  #plan: Answer[] = [];
  #standing: Answer = 200;
  url = '';

  private constructor() {
    this.#server = http.createServer((request, response) => this.#take(request, response));
  }

  static async open(port = 0): Promise<Inbox> {
    const inbox = new Inbox();
    await new Promise<void>((resolve, reject) => {
      inbox.#server.once('error', reject);
      inbox.#server.listen(port, '127.0.0.1', resolve);
    });
    const address = inbox.#server.address();
    inbox.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : port}/webhooks`;
    return inbox;
  }

  /** Scripts the next answers, in order; the later ones are 200 or as `answerAlways` set. */
  answerNext(...answers: Answer[]): void {
    this.#plan.push(...answers);
  }

  /** Answers every POST with this from now on, and drops the answers that `answerNext` scripted. */
  answerAlways(answer: Answer): void {
    this.#plan = [];
    this.#standing = answer;
  }

  /** All arrivals since the last `clear` that fit, once there are at least `count`. */
  async next(
    count: number,
    fits: (arrival: Arrival) => boolean = () => true,
    withinMs = 120_000,
  ): Promise<Arrival[]> {
    return until(
      `${count} webhooks (${this.arrivals.filter(fits).length} of ${this.arrivals.length} fit so far)`,
      () => {
        const fitting = this.arrivals.filter(fits);
        return fitting.length >= count ? fitting : null;
      },
      withinMs,
    );
  }

  /** The first arrival of this event type (of this message, if an id is given); waits for it. */
  async event(event: string, messageId?: string): Promise<Arrival> {
    const fits = (arrival: Arrival): boolean =>
      arrival.event.event === event &&
      (messageId === undefined || arrival.event.data['message_id'] === messageId);
    return until(
      `${event}${messageId === undefined ? '' : ` of ${messageId}`} (seen: ${this.arrivals.map((a) => a.event.event).join(', ')})`,
      () => this.arrivals.find(fits) ?? null,
    );
  }

  /** The arrivals of this event type so far. */
  ofType(event: string): Arrival[] {
    return this.arrivals.filter((arrival) => arrival.event.event === event);
  }

  clear(): void {
    this.arrivals.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #take(request: http.IncomingMessage, response: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const answer = this.#plan.shift() ?? this.#standing;
      const raw = Buffer.concat(chunks);
      const answered = typeof answer === 'number' ? answer : 0;
      const { headers, url = '/' } = request;
      this.arrivals.push({
        path: url,
        headers,
        raw,
        event: JSON.parse(raw.toString()),
        at: performance.now(),
        answered,
      });
      if (answer === 'hang') return;
      if (answer === 'reset') request.socket.destroy();
      else response.writeHead(answer).end();
    });
  }
}

/** [spec: Authentication 7] Verifies the signature as a receiver does. */
export function isSigned({ raw, headers }: Arrival, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`);
  const given = Buffer.from(String(headers['x-webhook-signature'] ?? ''));
  return given.length === expected.length && timingSafeEqual(given, expected);
}
