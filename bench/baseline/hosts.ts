/**
 * Webhook receivers: each address of 127.0.0.0/8 counts as a separate host, and each answers 200. `DEAD_PORT` accepts connections and never
 * answers.
 */
import http from 'node:http';
import net from 'node:net';
import { setting } from './serve.ts';

const server = http.createServer((request, response) => {
  request.resume();
  request.once('end', () => response.writeHead(200).end());
});
server.keepAliveTimeout = 75_000;
net
  .createServer((socket) => socket.on('error', () => socket.destroy()).resume())
  .listen(Number(setting('DEAD_PORT')), '0.0.0.0');
server.listen(Number(setting('PORT')), '0.0.0.0', () =>
  process.stdout.write(`http://127.0.0.1:${setting('PORT')}\n`),
);
process.once('SIGTERM', () => process.exit(0));
