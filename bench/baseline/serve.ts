/** The part of an HTTP server that all baselines share: bare node:http. */
import http from 'node:http';
import { createHmac, timingSafeEqual } from 'node:crypto';

export type Answer = (request: http.IncomingMessage, body: Buffer) => Promise<string> | string;

/**
 * Listens on a free port, prints its URL on stdout, and on SIGTERM calls `close` and exits. An error of `answer` becomes a 500 and a line
 * on stderr.
 */
export function serve(answer: Answer, close: () => Promise<void> = async () => undefined): void {
  const server = http.createServer((request, response) => {
    respond(answer, request, response).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(500).end();
    });
  });
  listenAndTell(server, close);
}

async function respond(
  answer: Answer,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): Promise<void> {
  const text = await answer(request, await readBody(request));
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(200, headers).end(text);
}

export function listenAndTell(server: http.Server, close: () => Promise<void>): void {
  server.keepAliveTimeout = 75_000;
  server.listen(Number(process.env['PORT'] ?? 0), '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
  });
  process.once('SIGTERM', () => {
    server.closeAllConnections();
    void close().then(() => process.exit(0));
  });
}

export function readBody(request: http.IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.once('error', reject);
  });
}

export function hmacOf(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

export function isSigned(secret: string, body: Uint8Array, header: unknown): boolean {
  const expected = Buffer.from(hmacOf(secret, body));
  const given = Buffer.from(typeof header === 'string' ? header : '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** An environment variable that `bench/run.ts` always sets. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
