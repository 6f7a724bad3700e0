import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { inTurn } from '../../kernel/in-turn.ts';

/** Answers the requests of one path. */
interface PathHandler {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Puts a handler in front of what a server already answers. Everything outside `path` goes on as before. Which upgrades come here
 * the server decides by `isHandshake`; one that did not ask it has its other upgrades closed.
 */
export function mount(server: Server, path: string, handler: PathHandler): void {
  const isOurs = (request: IncomingMessage) => request.url?.startsWith(path) === true;
  const take = inTurn((request, response) => {
    response.once('finish', () => endUnread(request));
    handler.request(request, response);
  });
  const others = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isOurs(request)) {
      // An offer that is not taken up ends the connection: the parser drops what came behind it in one packet. [faults: 91]
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      take(request, response);
    } else for (const other of others) Reflect.apply(other, server, [request, response]);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isHandshake(request, path)) handler.upgrade(request, socket, head);
    else socket.destroy();
  });
}

/** What still comes of a body that is answered would be read and thrown away for as long as it comes, piece by piece. [faults: 187] */
function endUnread(request: IncomingMessage): void {
  if (!request.complete) request.socket.destroy();
}

/** A WebSocket handshake below `path`: without a body, which nobody would know where to end. [faults: 91] */
export function isHandshake({ method, url, headers }: IncomingMessage, path: string): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return method === 'GET' && isWebSocket && !hasBody && url?.startsWith(path) === true;
}
