import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Who takes the requests of one path. */
export interface Door {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/**
 * Puts a door in front of what a server already answers. Everything outside `path` goes on as before, upgrades too: a
 * server that listens to `upgrade` gets every request that offers one, and some HTTP clients offer `h2c` on each.
 */
export function addDoor(server: Server, path: string, door: Door): void {
  const isOurs = (request: IncomingMessage) => request.url?.startsWith(path) === true;
  const others = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isOurs(request)) door.request(request, response);
    else for (const other of others) Reflect.apply(other, server, [request, response]);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (isOurs(request)) door.upgrade(request, socket, head);
    else declineUpgrade(server, request, socket, head);
  });
}

/**
 * [RFC 9110 §7.8] A server may ignore an offered upgrade and answer as if there were none. Node has taken its parser off the
 * connection by now, so the request is put back in front of its body, without the offer, and read again.
 */
function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const lines = [`${request.method ?? 'GET'} ${request.url ?? '/'} HTTP/${request.httpVersion}`];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? '';
    if (!offers.has(name.toLowerCase())) lines.push(`${name}: ${request.rawHeaders[index + 1] ?? ''}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

const offers: ReadonlySet<string> = new Set(['upgrade', 'connection', 'http2-settings']);
