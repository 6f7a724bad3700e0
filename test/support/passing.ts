/** Between the service and the simulator: what upstream is asked, and under which request ids. */
import { once } from 'node:events';
import http from 'node:http';

export interface Seen {
  /** Without the version; ids as `*`. */
  call: string;
  id: string | undefined;
}

const shapeOf = (method: string, url: string): string =>
  `${method} ${url
    .replace(/^\/v[0-9.]+/, '')
    .replace(/\?.*$/, '')
    .replaceAll(/[0-9]{6,}/g, '*')}`;

/** Passes every call on to the simulator, and keeps what id each came with, and which were sends. */
export async function passing(
  to: string,
): Promise<{ url: string; ids: (string | undefined)[]; calls: Seen[]; close(): void }> {
  const ids: (string | undefined)[] = [];
  const calls: Seen[] = [];
  const server = http.createServer((request, response) => {
    const { method = '', headers, url = '' } = request;
    const id = headers['x-request-id'];
    if (!/^\/(?:control|v[0-9.]+\/dialog)/.test(url))
      calls.push({ call: shapeOf(method, url), id: typeof id === 'string' ? id : undefined });
    if (method === 'POST' && url.includes('/messages')) ids.push(String(headers['x-request-id']));
    const onward = http.request(new URL(url, to), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    ids,
    calls,
    close: () => server.closeAllConnections() ?? server.close(),
  };
}
