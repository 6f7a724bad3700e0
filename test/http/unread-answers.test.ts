/** [faults: 184, 600] Answers that clients do not read, over real connections. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { UnreadAnswers } from '../../src/http/middleware/unread-answers.ts';
import { pageParameters } from '../../src/http/parameters.ts';
import { routesOver } from '../../src/http/route.ts';
import { listOf, responseObject, string } from '../../src/http/validation/json-schema.ts';
import { noBody } from '../../src/http/validation/request-body.ts';
import { closeAfterEach } from '../support/closing.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { apiKey, keyCaller, optionsOver, otherId, serve, wrongKey as otherKey } from './support.ts';

const closeLater = closeAfterEach();

/** More bytes than both ends of a connection on this machine buffer. */
const mib = 1024 * 1024;
const long = 16 * mib;
const { apiRoute, openRoute } = routesOver<null>();
const item = 'u'.repeat(mib);
const listRoute = apiRoute({
  get: '/api/v1/long-list',
  name: 'longList',
  tag: 'Test',
  needs: ['admin'],
  summary: 'A long list',
  parameters: pageParameters,
  body: noBody,
  success: { status: 200, schema: responseObject('LongList', { items: listOf(string) }) },
  answer: async () => ({ items: Array.from({ length: 16 }, () => item) }),
});
const pageRoute = openRoute({
  get: '/long-page',
  name: 'longPage',
  failures: 'json',
  open: (_, response) => void response.end('p'.repeat(long)),
});
const callers = {
  known: () => null,
  authenticate: async (key: string) => (key === apiKey ? keyCaller : { ...keyCaller, accountId: otherId }),
};

async function serving(bounds: ConstructorParameters<typeof UnreadAnswers>[1]) {
  const clock = new FakeClock();
  const unread = {
    ofAccounts: new UnreadAnswers(clock, bounds),
    ofAnonymous: new UnreadAnswers(clock, bounds),
  };
  const service = await serve(
    optionsOver({ routes: [listRoute, pageRoute], world: null }, { callers, clock, unread }),
  );
  closeLater(service.stop);
  const ask = async (path: string, key = ''): Promise<Asked> => {
    const socket = connect(service.port, '127.0.0.1');
    closeLater(() => socket.destroy());
    let lostBy: string | undefined;
    socket.on('error', (error: NodeJS.ErrnoException) => (lostBy = error.code));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
    await once(socket, 'readable');
    return { rest: () => readToEnd(socket), lostBy: () => lostBy };
  };
  const list = (key: string) => ask('/api/v1/long-list', key);
  return { clock, unread, ask, list };
}

interface Asked {
  /** Resumes reading; returns how many bytes came until the connection ended or the answer was complete. */
  rest: () => Promise<number>;
  /** The error that ended the connection. */
  lostBy: () => string | undefined;
}

function readToEnd(socket: Socket): Promise<number> {
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    if (bytes > long) socket.destroy();
  });
  return new Promise((resolve) => socket.on('close', () => resolve(bytes)));
}

test.each([
  ['of a list', '/api/v1/long-list', apiKey, 'ofAccounts'],
  ['of a page', '/long-page', '', 'ofAnonymous'],
] as const)(
  'an answer %s that is not read ends with its connection, after a minute and the time that a slow line needs',
  async (_, path, key, room) => {
    const { clock, unread, ask } = await serving({ share: Infinity, total: Infinity });
    const answer = await ask(path, key);
    const held = unread[room].bytes;
    expect(held).toBeGreaterThan(mib);
    const ms = 60_000 + held / 64;
    clock.advance(ms - 1);
    expect(unread[room].bytes).toBe(held);
    clock.advance(1);
    await until('the connection to be gone', () => unread[room].bytes === 0);
    expect(await answer.rest()).toBeLessThan(long);
  },
);

/** The kernel would keep what it holds of the answer for minutes, and a stranger has thousands of connections. */
test('the connection of an answer that is not read is reset, so that nothing is left of it in the kernel', async () => {
  const { clock, ask } = await serving({ share: Infinity, total: Infinity });
  const answer = await ask('/long-page');
  clock.advance(60_000 + long);
  await answer.rest();
  expect(answer.lostBy()).toBe('ECONNRESET');
});

test('an answer that is read late is complete, and is not held longer', async () => {
  const { clock, unread, list } = await serving({ share: Infinity, total: Infinity });
  const answer = await list(apiKey);
  expect(unread.ofAccounts.bytes).toBeGreaterThan(mib);
  clock.advance(60_000);
  expect(await answer.rest()).toBeGreaterThan(long);
  await until('the answer to be taken', () => unread.ofAccounts.bytes === 0);
  expect(clock.pending).toBe(0);
});

test("beyond the share of an account its oldest answer ends; the newest, and other accounts', stay", async () => {
  const { unread, list } = await serving({ share: long, total: Infinity });
  const others = await list(otherKey);
  const first = await list(apiKey);
  const both = unread.ofAccounts.bytes;
  const second = await list(apiKey);
  expect(unread.ofAccounts.bytes).toBe(both);
  expect(await first.rest()).toBeLessThan(long);
  expect(await second.rest()).toBeGreaterThan(long);
  expect(await others.rest()).toBeGreaterThan(long);
});

test('beyond the limit of the node the oldest answer of the account that holds most ends', async () => {
  const { list } = await serving({ share: Infinity, total: 3.5 * long });
  const others = await list(otherKey);
  const [first, second] = [await list(apiKey), await list(apiKey)];
  const third = await list(apiKey);
  expect(await first.rest()).toBeLessThan(long);
  for (const answer of [others, second, third]) expect(await answer.rest()).toBeGreaterThan(long);
});
