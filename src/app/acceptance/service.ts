/** The service as its client and its operator see it; each exchange is recorded as shape. */
import { shapeOf, shapeOfPath } from './shape.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A call or an event as it is written to the report. */
export type Exchange = Readonly<Record<string, unknown>>;

interface Sent {
  base: string;
  headers: Record<string, string>;
  body: FormData | string | null;
}

export class Service {
  readonly url: string;
  readonly exchanges: Exchange[] = [];
  readonly #adminUrl: string;
  readonly #adminToken: string;
  #key = '';

  /** `adminUrl`: the operators' listener, if there is one. */
  constructor(url: string, admin: { url: string; token: string }) {
    this.url = url;
    this.#adminUrl = admin.url;
    this.#adminToken = admin.token;
  }

  /** The API key of the calls from now on. */
  useKey(key: string): void {
    this.#key = key;
  }

  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#call(method, this.#adminUrl, path, { authorization: `Bearer ${this.#adminToken}` }, body);
  }

  api(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#call(method, this.url, path, { 'x-api-key': this.#key }, body);
  }

  /** Posts a form with a file. */
  async upload(path: string, fields: Readonly<Record<string, string>>, file: File): Promise<Answer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', file);
    return this.#exchange('POST', path, fields, {
      base: this.url,
      headers: { 'x-api-key': this.#key },
      body: form,
    });
  }

  /** Reads a file to its end; the answer's body is its type and size. */
  async file(path: string): Promise<Answer> {
    const response = await fetch(this.url + path, { headers: { 'x-api-key': this.#key } });
    const { byteLength } = await response.arrayBuffer();
    const body = { mime_type: response.headers.get('content-type'), is_empty: byteLength === 0 };
    this.#note('GET', path, undefined, response.status, body);
    return { status: response.status, body };
  }

  /** Values of a metric by its one label; null: the metrics cannot be read. */
  async metric(name: string): Promise<Map<string, number> | null> {
    const response = await fetch(`${this.#adminUrl}/metrics`, {
      headers: { authorization: `Bearer ${this.#adminToken}` },
    });
    if (!response.ok) return null;
    const lines = (await response.text()).matchAll(
      new RegExp(`^trunkline_${name}\\{\\w+="([^"]+)"\\} (\\d+)$`, 'gm'),
    );
    return new Map(Array.from(lines, ([, label = '', value]) => [label, Number(value)]));
  }

  async #call(
    method: string,
    base: string,
    path: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Answer> {
    return this.#exchange(method, path, body, {
      base,
      headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
  }

  async #exchange(method: string, path: string, asked: unknown, sent: Sent): Promise<Answer> {
    const { base, headers, body } = sent;
    const response = await fetch(base + path, { method, headers, body });
    const text = await response.text();
    const read: unknown = text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null;
    this.#note(method, path, asked, response.status, read);
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
