/** [faults: 99, I9, I11] */
import { expect, test } from '@jest/globals';
import http from 'node:http';
import net from 'node:net';
import { boundPipelining } from '../../src/kernel/pipelining.ts';
import { until } from '../support/until.ts';

interface Served {
  port: number;
  seen: () => number;
  /** Answers the present request, and all later ones. */
  open: () => void;
  sockets: net.Socket[];
  close: () => void;
}

/** Counts parsed requests; answers with the request's path once it is opened. */
async function serve(): Promise<Served> {
  let parsed = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const listener = boundPipelining(
    (request, response) => void opened.then(() => response.end(`${request.url};`)),
  );
  const sockets: net.Socket[] = [];
  const server = http.createServer((request, response) => {
    parsed += 1;
    listener(request, response);
  });
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    seen: () => parsed,
    open,
    sockets,
    close,
  };
}

function client(port: number): { socket: net.Socket; heard: () => string[] } {
  let heard = '';
  const socket = net.connect(port, '127.0.0.1');
  socket.setEncoding('latin1').on('data', (text: string) => (heard += text));
  return { socket, heard: () => [...heard.matchAll(/\/(\d+);/g)].map(([, n]) => n ?? '') };
}

const get = (n: number): string => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => get(n)).join('');

test('a connection that does not wait for answers is not read further, and gets all answers nevertheless', async () => {
  const { port, seen, open, sockets, close } = await serve();
  const { socket, heard } = client(port);
  const count = 8_000;
  socket.write(many(count));
  await until('the connection to rest', () => sockets[0]?.isPaused());
  const held = seen();
  await new Promise<void>(
    (resolve) => void http.get({ port, path: '/beside' }).once('socket', () => resolve()),
  );
  expect(held).toBeLessThan(4_000);
  expect(seen()).toBeLessThanOrEqual(held + 1);
  open();
  await until('all answers', () => heard().length === count, 20_000);
  expect(heard()).toEqual(Array.from({ length: count }, (_, n) => String(n)));
  socket.destroy();
  close();
});

test('a few pipelined requests do not stop the connection', async () => {
  const { port, seen, open, sockets, close } = await serve();
  const { socket, heard } = client(port);
  socket.write(many(10));
  await until('ten requests', () => seen() === 10);
  expect(sockets[0]?.isPaused()).toBe(false);
  open();
  await until('ten answers', () => heard().length === 10);
  socket.destroy();
  close();
});

test('a request with a body after many others is read', async () => {
  const { port, open, close } = await serve();
  const { socket, heard } = client(port);
  const body = 'a'.repeat(300_000);
  socket.write(
    `${many(100)}POST /100 HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}${get(101)}`,
  );
  open();
  await until('all answers', () => heard().length === 102);
  socket.destroy();
  close();
});

test('paused connections are resumed one after another, and closed ones are skipped', async () => {
  const { port, open, sockets, close } = await serve();
  const clients = [1, 2, 3].map(() => client(port));
  for (const { socket } of clients) socket.write(many(5_000));
  await until('all to rest', () => sockets.length === 3 && sockets.every((one) => one.isPaused()));
  clients[1]?.socket.destroy();
  open();
  for (const n of [0, 2]) await until('all answers', () => clients[n]?.heard().length === 5_000, 20_000);
  for (const { socket } of clients) socket.destroy();
  close();
});
