/** A minimal load balancer: polls `/readyz`, sends requests round robin or by key, tries the next node if one refuses the connection. */
import { hash } from 'node:crypto';
import http from 'node:http';
import { freePort } from './ports.ts';

/** Interval of the `/readyz` polls: shorter than the time for which a stopping node still serves after it has become not ready. */
const pollMs = 100;
/** A request without an answer for this long fails with 502. */
const answerTimeoutMs = 15_000;

interface Backend {
  url: string;
  isReady: boolean;
}

export class Balancer {
  readonly port: number;
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true });
  #backends: Backend[] = [];
  #requests = 0;
  /** The requests with one API key go to one node, as long as it is ready. */
  isByKey = false;
  #timer: NodeJS.Timeout | null = null;

  private constructor(port: number) {
    this.port = port;
    this.#server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) =>
      this.#take(request, response),
    );
  }

  static async open(): Promise<Balancer> {
    const balancer = new Balancer(await freePort());
    await new Promise<void>((resolve, reject) => {
      balancer.#server.once('error', reject);
      balancer.#server.listen(balancer.port, '127.0.0.1', resolve);
    });
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Replaces the nodes behind the balancer; each receives requests once it is ready. */
  async useNodes(urls: readonly string[]): Promise<void> {
    this.#backends = urls.map((url) => ({ url, isReady: false }));
    await this.#poll();
    this.#timer ??= setInterval(() => void this.#poll(), pollMs);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #poll(): Promise<void> {
    await Promise.all(
      this.#backends.map(async (backend) => {
        backend.isReady = await isReady(backend.url, this.#agent);
      }),
    );
  }

  #take(request: http.IncomingMessage, response: http.ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => this.#pass(request, Buffer.concat(chunks), response, this.#inOrder(request)));
  }

  /** All ready backends, the first choice first. */
  #inOrder({ headers }: http.IncomingMessage): Backend[] {
    this.#requests += 1;
    const ready = this.#backends.filter((backend) => backend.isReady);
    // If no node is ready, any node that still answers gives a better reason than a 502 of the balancer.
    if (ready.length === 0) ready.push(...this.#backends);
    const { 'x-api-key': key } = headers;
    if (this.isByKey && typeof key === 'string')
      return ready.toSorted((a, b) => scoreOf(a, key).localeCompare(scoreOf(b, key)));
    return ready
      .map((_, index) => ready[(index + this.#requests) % ready.length])
      .filter((one) => one !== undefined);
  }

  #pass(
    request: http.IncomingMessage,
    body: Buffer,
    response: http.ServerResponse,
    [backend, ...others]: readonly Backend[],
  ): void {
    if (backend === undefined) {
      response.writeHead(502, { 'content-type': 'application/json' }).end('{"detail":"no node is ready"}');
      return;
    }
    const { method, url, headers } = request;
    const options = { method, headers, agent: this.#agent, timeout: answerTimeoutMs };
    const onward = http.request(`${backend.url}${url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('timeout', () => onward.destroy());
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      // The node has received nothing: a retry is safe for any method.
      else if (error.code === 'ECONNREFUSED') this.#pass(request, body, response, others);
      else
        response.writeHead(502, { 'content-type': 'application/json' }).end('{"detail":"connection broke"}');
    });
    onward.end(body);
  }
}

/** A node that leaves moves its keys alone. */
const scoreOf = ({ url }: Backend, key: string): string => hash('sha256', `${url} ${key}`);

function isReady(url: string, agent: http.Agent): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = http.get(`${url}/readyz`, { agent, timeout: 1_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
  });
}
