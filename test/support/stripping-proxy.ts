/** A proxy that serves a service below a path, and strips that path; everything outside the path is 404. */
import { createServer, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { freePort } from './ports.ts';

interface StrippingProxy {
  /** The public address, with the path. */
  url: string;
  /** Paths that were asked for outside the path. */
  strays: string[];
  close(): Promise<void>;
}

/** `port`: that of the service, which may start later. */
export async function stripPath(path: string, port: number): Promise<StrippingProxy> {
  const strays: string[] = [];
  const stripped = (asked: IncomingMessage): string | null => {
    const { url = '' } = asked;
    if (url.startsWith(`${path}/`)) return url.slice(path.length);
    strays.push(url);
    return null;
  };
  const own = await freePort();
  const server = createServer((asked, answer) => {
    const url = stripped(asked);
    if (url === null) return void answer.writeHead(404).end('nothing here');
    const { method, headers } = asked;
    const passed = request({ host: '127.0.0.1', port, path: url, method, headers }, (from) => {
      answer.writeHead(from.statusCode ?? 502, from.rawHeaders);
      from.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  server.on('upgrade', (asked, socket, head) => {
    const url = stripped(asked);
    if (url === null) return void socket.destroy();
    const to = connect(port, '127.0.0.1');
    const lines = [`${asked.method} ${url} HTTP/1.1`];
    for (let i = 0; i < asked.rawHeaders.length; i += 2)
      lines.push(`${asked.rawHeaders[i]}: ${asked.rawHeaders[i + 1]}`);
    to.write(`${lines.join('\r\n')}\r\n\r\n`);
    to.write(head);
    to.pipe(socket).pipe(to);
    to.on('error', () => socket.destroy());
    socket.on('error', () => to.destroy());
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${own}${path}`,
    strays,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
