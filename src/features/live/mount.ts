import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { boundPipelining } from '../../kernel/pipelining.ts';

/** Handles the requests below one path. */
interface PathHandler {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Puts a handler in front of a server's own listeners; requests outside the paths go to those; upgrades are of the first path alone. The server's upgrade check must use
 * `isHandshake`; without one, every other upgrade is closed.
 */
export function mount(server: Server, [path, ...more]: [string, ...string[]], handler: PathHandler): void {
  const isOurs = ({ url = '' }: IncomingMessage) => [path, ...more].some((each) => url.startsWith(each));
  const take = boundPipelining((request, response) => {
    response.once('finish', () => endUnread(request));
    handler.request(request, response);
  });
  const others = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isOurs(request)) {
      // An ignored `Upgrade` ends the connection, because the parser drops what follows the request in the same packet. [faults: 91]
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      take(request, response);
    } else for (const other of others) Reflect.apply(other, server, [request, response]);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isHandshake(request, path)) handler.upgrade(request, socket, head);
    else socket.destroy();
  });
}

/** After the answer, the rest of the body would be read and discarded for as long as it arrives. [faults: 187] */
function endUnread(request: IncomingMessage): void {
  if (!request.complete) request.socket.destroy();
}

/** Whether the request is a WebSocket handshake below `path`. One with a body is not, because its end would be ambiguous. [faults: 91] */
export function isHandshake({ method, url, headers }: IncomingMessage, path: string): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return method === 'GET' && isWebSocket && !hasBody && url?.startsWith(path) === true;
}
