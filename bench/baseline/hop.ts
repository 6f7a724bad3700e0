/**
 * `hop`: an `echo` whose bodies go to a second process and back, over the TLS of links between nodes: the least that a hop can cost. Without
 * `HOP_TO` it is that second process.
 */
import { once } from 'node:events';
import tls from 'node:tls';
import { tlsClientOptions, tlsServerOptions } from '../../src/ownership/tls.ts';
import { serve } from './serve.ts';

const secret = 'a secret of the bench, of no one else';
const to = process.env['HOP_TO'];

if (to === undefined) {
  const server = tls.createServer(tlsServerOptions(secret), (socket) => {
    socket.setNoDelay(true);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
  });
} else {
  const options = { ...tlsClientOptions(secret, 'hop'), host: '127.0.0.1', port: Number(to) };
  const socket = tls.connect(options);
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  serve(async (_, body) => {
    socket.write(body);
    let text = '';
    while (text.length < body.length) text += String((await once(socket, 'data'))[0]);
    return text;
  });
}
