/** The slots for concurrent POSTs, what is reported of an attempt, and the close. [faults: 65, 98, I11; operator-interface §4] */
import { expect, test } from '@jest/globals';
import { makeWebhookPoster } from '../../src/delivery/index.ts';
import { noNetworks } from '../../src/rules/address.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { closeAfterEach } from '../support/closing.ts';
import { FakeClock, promisesSettled } from '../support/fake-clock.ts';
import { makePoster, nextTurn, plain, postTo, receiver, testSealer } from './receivers.ts';

const closeLater = closeAfterEach();
const url = 'http://receiver.test/';

/** POSTs that never get beyond the look-up of the name. */
function hanging(options: Parameters<typeof makePoster>[0] = {}) {
  const made = makePoster({ timeoutMs: 60_000, lookup: () => new Promise(() => undefined), ...options });
  closeLater(() => made.poster.close(0));
  return made.poster;
}

/** Returns it with its log. */
function telling() {
  const told: Record<string, unknown>[] = [];
  const poster = makeWebhookPoster({
    timeoutMs: 5_000,
    allowInsecure: true,
    sealer: testSealer,
    clock: systemClock,
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    allowedNetworks: noNetworks,
    ownOrigins: [],
    ownPorts: [],
  });
  closeLater(() => poster.close());
  return { poster, told };
}

test.each([
  ['any', 2_048, {}],
  ['failing receivers', 1_024, { isFailing: true }],
])('%s have %i slots by default; one more POST waits', async (_words, places, more) => {
  const poster = hanging();
  await poster.prepare();
  for (let count = 0; count <= places; count += 1) void poster.post(postTo(url, more));
  await nextTurn();
  expect(poster.stats()).toEqual({ inFlight: places, waiting: 1 });
});

test('once prepared, a POST is in flight before the call returns', async () => {
  const poster = hanging();
  await poster.prepare();
  void poster.post(postTo(url));
  expect(poster.stats()).toMatchObject({ inFlight: 1 });
});

test('a slot of a failing receiver is free again once its attempt has ended', async () => {
  const target = await receiver(plain('200 OK'));
  closeLater(() => target.close());
  const { poster } = makePoster({ maxFailing: 1 });
  closeLater(() => poster.close());
  const post = () => poster.post(postTo(target.url, { isFailing: true }));
  expect(await Promise.all([post(), post(), post()])).toEqual(
    Array.from({ length: 3 }, () => ({ ok: true, status: 200 })),
  );
  expect(poster.stats()).toEqual({ inFlight: 0, waiting: 0 });
});

test('a poster without POSTs has nothing to close', async () => {
  const { poster } = makePoster();
  await poster.close();
  expect(await poster.post(postTo(url))).toEqual({ ok: false, status: null, reason: 'busy' });
});

test('POSTs in flight at the close have the given time, and no more', async () => {
  const clock = new FakeClock();
  const poster = hanging({ clock });
  const posted = poster.post(postTo(url));
  await poster.prepare();
  await nextTurn();
  let isClosed = false;
  const closing = poster.close(1_000).then(() => (isClosed = true));
  clock.advance(999);
  await promisesSettled();
  expect([isClosed, poster.stats().inFlight]).toEqual([false, 1]);
  clock.advance(1);
  await closing;
  expect(await posted).toMatchObject({ ok: false, status: null, reason: 'connection' });
});

test('a failure is not logged here: its channel logs each attempt once', async () => {
  const target = await receiver(plain('503 Busy'));
  closeLater(() => target.close());
  const { poster, told } = telling();
  const result = await poster.post(postTo(target.url, { attempt: 4, requestId: 'request-1' }));
  expect([told, result]).toEqual([[], { ok: false, status: 503, reason: 'status' }]);
});

test('a POST that cannot be written as a request is an ordinary failure, and its slot is free', async () => {
  const { poster, told } = telling();
  const result = await poster.post(postTo('http://127.0.0.1:9/', { requestId: 'no\nheader' }));
  expect(result).toEqual({ ok: false, status: null, reason: 'connection' });
  expect(told).toEqual([]);
  expect(poster.stats()).toEqual({ inFlight: 0, waiting: 0 });
});
