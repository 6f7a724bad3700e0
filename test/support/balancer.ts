/** A load balancer as small as one can be: looks at `/readyz`, takes turns, tries the next node when one refuses the connection. */
import http from 'node:http';
import { freePort } from './ports.ts';

/** Between two looks at `/readyz` of every node: shorter than the notice a leaving node gives. */
const lookMs = 100;
/** A node that says nothing for so long is given up. */
const answerMs = 15_000;

interface Backend {
  url: string;
  isReady: boolean;
}

export class Balancer {
  readonly port: number;
  readonly #server: http.Server;
  readonly #agent = new http.Agent({ keepAlive: true });
  #backends: Backend[] = [];
  #turn = 0;
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

  /** Nodes that take turns from now on, once they are ready. */
  async over(urls: readonly string[]): Promise<void> {
    this.#backends = urls.map((url) => ({ url, isReady: false }));
    await this.#look();
    this.#timer ??= setInterval(() => void this.#look(), lookMs);
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #look(): Promise<void> {
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
    request.on('end', () => this.#pass(request, Buffer.concat(chunks), response, this.#inTurn()));
  }

  #inTurn(): Backend[] {
    this.#turn += 1;
    const ready = this.#backends.filter((backend) => backend.isReady);
    // None is: whoever still answers says why better than a balancer could.
    if (ready.length === 0) ready.push(...this.#backends);
    return ready
      .map((_, index) => ready[(index + this.#turn) % ready.length])
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
    const options = { method, headers, agent: this.#agent, timeout: answerMs };
    const onward = http.request(`${backend.url}${url}`, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('timeout', () => onward.destroy());
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (response.headersSent) response.destroy();
      // Nothing was sent: safe for any method.
      else if (error.code === 'ECONNREFUSED') this.#pass(request, body, response, others);
      else
        response.writeHead(502, { 'content-type': 'application/json' }).end('{"detail":"connection broke"}');
    });
    onward.end(body);
  }
}

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
