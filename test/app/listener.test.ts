/** What ends a start, and what a listener survives. */
import http from 'node:http';
import { expect, test } from '@jest/globals';
import { listen, StartError } from '../../src/app/listener.ts';

test('a port in use ends the start; later errors of the server are logged, each time, and it continues', async () => {
  const server = http.createServer((_, response) => response.end('here'));
  const told: string[] = [];
  const tell = (error: Error): void => void told.push(error.message);
  const url = await listen(server, { host: '127.0.0.1', port: 0 }, tell);
  const { port } = new URL(url);
  const second = listen(http.createServer(), { host: '127.0.0.1', port: Number(port) }, tell);
  await expect(second).rejects.toBeInstanceOf(StartError);
  for (const message of ['EMFILE', 'ENFILE']) server.emit('error', new Error(message));
  expect(told).toEqual(['EMFILE', 'ENFILE']);
  expect(await (await fetch(url)).text()).toBe('here');
  server.close();
});
