import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { makeExpressApp } from '../../src/http/express-prototypes.ts';
import { listening } from '../support/ports.ts';

/** The same app twice: as Express makes it, and created with its own prototypes. */
function fill(app: express.Express): void {
  app.get('/plain', (_request, response) => void response.send('hello'));
  app.get('/json', (request, response) => void response.json({ path: request.path, host: request.hostname }));
  app.get('/redirect', (_request, response) => response.redirect('/plain'));
  app.get('/status', (_request, response) => void response.sendStatus(204));
  app.get(
    '/cookie',
    (_request, response) => void response.cookie('a', 'b', { httpOnly: true }).type('txt').send('c'),
  );
  app.get(
    '/params/:id',
    (request, response) => void response.json({ ...request.params, q: request.query['q'] }),
  );
  app.get('/sync-error', () => {
    throw Object.assign(new Error('sync'), { status: 418 });
  });
  app.get('/async-error', () => Promise.reject(Object.assign(new Error('async'), { status: 409 })));
  app.get(
    '/accepts',
    (request, response) => void response.json({ type: request.accepts(['json', 'html']) ?? null }),
  );
  app.post(
    '/body',
    express.json({ limit: 50 }),
    (request, response) => void response.json({ got: request.body }),
  );
  const sub = express();
  sub.get(
    '/inside',
    (request, response) => void response.json({ base: request.baseUrl, mount: request.app.mountpath }),
  );
  app.use('/sub', sub);
  app.get('/after-sub', (request, response) => void response.json({ mount: request.app.mountpath }));
  app.use(
    (
      error: Error & { status?: number },
      _request: express.Request,
      response: express.Response,
      next: () => void,
    ) => {
      if (error.message === 'sync') return next();
      response.status(error.status ?? 500).json({ detail: error.message });
    },
  );
}

const requests: [string, string][] = [
  ['GET', 'GET /plain'],
  ['HEAD', 'HEAD /plain'],
  ['OPTIONS', 'OPTIONS /plain'],
  ['JSON with request getters', 'GET /json'],
  ['a redirect', 'GET /redirect'],
  ['204', 'GET /status'],
  ['a cookie', 'GET /cookie'],
  ['parameters and a query', 'GET /params/a%20b?q=1'],
  ['a broken parameter', 'GET /params/%zz'],
  ['a thrown error that the final handler answers', 'GET /sync-error'],
  ['an async rejection', 'GET /async-error'],
  ['content negotiation', 'GET /accepts'],
  ['404', 'GET /nothing'],
  ['a method that is not there', 'DELETE /plain'],
  ['a mounted app', 'GET /sub/inside'],
  ['404 in a mounted app', 'GET /sub/nothing'],
  ['a route after a mounted app', 'GET /after-sub'],
  ['a JSON body', 'POST /body {"a":1}'],
  ['malformed JSON', 'POST /body {"a":'],
  ['413', `POST /body {"a":"${'x'.repeat(100)}"}`],
];

let servers: http.Server[];
let ports: number[];
beforeAll(async () => {
  const born = makeExpressApp(
    () => false,
    () => undefined,
  );
  const stock = express();
  fill(born.app);
  fill(stock);
  servers = [http.createServer(stock), http.createServer(born.classes, born.app)];
  ports = await Promise.all(servers.map(listening));
});
afterAll(() => servers.forEach((server) => server.close()));

/** The whole answer, byte for byte, without what differs by time and place. */
function exchange(port: number, line: string): Promise<string> {
  const [method, path, ...rest] = line.split(' ');
  const body = rest.join(' ');
  const head = [`${method} ${path} HTTP/1.1`, 'Host: service', 'Accept: text/html', 'Connection: close'];
  if (body !== '') head.push('Content-Type: application/json', `Content-Length: ${body.length}`);
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('close', () =>
      resolve(answer.replace(/^Date: .*\r\n/m, '').replaceAll(/ at .*?(?=<br>|<\/pre>)/g, '')),
    );
    socket.on('error', reject);
  });
}

describe('an app created with its own prototypes answers like a stock Express app', () => {
  test.each(requests)('%s', async (_name, line) => {
    const [stock, born] = await Promise.all(ports.map((port) => exchange(port, line)));
    expect(born).toBe(stock);
    expect(born).toMatch(/^HTTP\/1\.1 \d{3} /);
  });

  test('Express finds the prototypes already set', async () => {
    const { app, classes } = makeExpressApp(
      () => false,
      () => undefined,
    );
    const request = new classes.IncomingMessage(new net.Socket());
    const response = new classes.ServerResponse(request);
    expect(Object.getPrototypeOf(request)).toBe(app.request);
    expect(Object.getPrototypeOf(response)).toBe(app.response);
  });
});
