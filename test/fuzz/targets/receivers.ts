/** A receiver's answer to a webhook: untrusted bytes on one of our sockets. [faults: 54-61] */
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { noNetworks } from '../../../src/rules/address.ts';
import { makePoster, postTo } from '../../delivery/receivers.ts';
import { listening } from '../../support/ports.ts';
import type { Target } from '../target.ts';

const reasons = new Set(['status', 'timeout', 'connection', 'reset', 'tls', 'protocol', 'loop']);

export async function openReceivers(): Promise<Target> {
  let answer: Buffer = Buffer.alloc(0);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    // Sent completely and then closed: a receiver that stays silent is not tested here.
    socket.once('data', () => socket.end(answer));
    socket.resume();
  });
  const port = await listening(server);
  const { poster } = makePoster({ allowedNetworks: noNetworks });
  await poster.prepare();
  return {
    seeds: [
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
      'HTTP/1.1 204 No Content\r\n\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.1 500 No\r\nConnection: close\r\n\r\nno',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      'HTTP/1.1 429 Too Many\r\nRetry-After: 5\r\nKeep-Alive: timeout=1\r\nContent-Length: 0\r\n\r\n',
      'HTTP/1.0 200 OK\r\n\r\nuntil the end',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08',
      `HTTP/1.1 200 OK\r\n${'a:1\r\n'.repeat(16_000)}\r\n`,
      'HTTP/1.1 200 OK\r\nx-trunkline-hop: 1\r\nContent-Length: 0\r\n\r\n',
    ],
    maxBytes: 100_000,
    async run(input) {
      answer = input;
      const result = await poster.post(postTo(`http://127.0.0.1:${port}/hook`));
      const { inFlight } = poster.stats();
      if (inFlight !== 0) throw new Error(`${inFlight} connections are not released`);
      if (!result.ok && !reasons.has(result.reason)) throw new Error(`no reason: ${result.reason}`);
      if (result.ok && (result.status < 200 || result.status > 299))
        throw new Error(`counted as delivered: ${result.status}`);
      return JSON.stringify(result);
    },
    async close() {
      await poster.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
