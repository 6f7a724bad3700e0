/** The service as its client and its operator see it; each exchange is recorded as shape. */
import { shapeOf, shapeOfPath } from './shape.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A call or an event as it is written to the report. */
export type Exchange = Readonly<Record<string, unknown>>;

export class Service {
  readonly url: string;
  readonly exchanges: Exchange[] = [];
  readonly #adminToken: string;
  #key = '';

  constructor(url: string, adminToken: string) {
    this.url = url;
    this.#adminToken = adminToken;
  }

  /** The API key of the calls from now on. */
  useKey(key: string): void {
    this.#key = key;
  }

  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#call(method, path, { authorization: `Bearer ${this.#adminToken}` }, body);
  }

  api(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#call(method, path, { 'x-api-key': this.#key }, body);
  }

  /** Reads a file to its end; the answer's body is its type and size. */
  async file(path: string): Promise<Answer> {
    const response = await fetch(this.url + path, { headers: { 'x-api-key': this.#key } });
    const { byteLength } = await response.arrayBuffer();
    const body = { mime_type: response.headers.get('content-type'), is_empty: byteLength === 0 };
    this.#note('GET', path, undefined, response.status, body);
    return { status: response.status, body };
  }

  async #call(method: string, path: string, headers: Record<string, string>, body: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    const read: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null;
    this.#note(method, path, body, response.status, read);
    return { status: response.status, body: read };
  }

  #note(method: string, path: string, asked: unknown, status: number, answered: unknown): void {
    this.exchanges.push({
      call: `${method} ${shapeOfPath(path)}`,
      asked: shapeOf(asked ?? null),
      status,
      answered: shapeOf(answered),
    });
  }
}
