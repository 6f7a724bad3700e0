/** The clients as people get them: by the links of their page. */
import { writeFile, mkdir } from 'node:fs/promises';
import http from 'node:http';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The archive that `/docs/clients` links and whose name ends like this. */
export async function archive(base: string, ending: string): Promise<{ file: string; bytes: Buffer }> {
  const page = await (await fetch(`${base}/docs/clients`)).text();
  const [, file = ''] = new RegExp(`href="/docs/clients/([^"/]+\\${ending})"`).exec(page) ?? [];
  const answer = await fetch(`${base}/docs/clients/${file}`);
  return { file, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/** Writes the files of a gzipped tar into a folder. */
export async function unpack(bytes: Buffer, folder: string): Promise<void> {
  const tar = gunzipSync(bytes);
  for (let at = 0; tar[at] !== 0;) {
    const text = (from: number, length: number): string =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '');
    const path = join(folder, text(0, 100));
    const size = Number.parseInt(text(124, 12), 8);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, tar.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** One answer: a body for 200, a status with headers and a body, or none. */
type Scripted = { status?: number; headers?: Record<string, string>; body?: unknown } | 'none';

interface Asked {
  method: string;
  url: string;
  key: string | undefined;
  idempotencyKey: string | undefined;
}

/** A service that gives the scripted answers in turn, the last one for ever. */
export class ScriptedService {
  readonly asked: Asked[] = [];
  answers: Scripted[] = [];
  url = '';
  readonly #server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const [key, idempotencyKey] = [headers['x-api-key'], headers['idempotency-key']].map(String);
    this.asked.push({ method, url, key, idempotencyKey });
    const answer = (this.answers.length > 1 ? this.answers.shift() : this.answers[0]) ?? {};
    if (answer === 'none') return void request.socket.destroy();
    response.writeHead(answer.status ?? 200, { 'x-request-id': 'r-1', ...answer.headers });
    response.end(JSON.stringify(answer.body ?? {}));
  });

  static async open(): Promise<ScriptedService> {
    const service = new ScriptedService();
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    const address = service.#server.address();
    service.url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    return service;
  }

  /** Forgets what was asked, and answers like this from now on. */
  script(...answers: Scripted[]): void {
    this.asked.length = 0;
    this.answers = answers;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
