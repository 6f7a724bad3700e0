/** [faults: 102] A fetch is counted before it starts; one that crashed two owners is quarantined, and other messages continue. */
import { expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { fileFetched, fileOf, inboundOf, asText, toldBy } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';

const image = fileOf();
const error = 'The file could not be processed';
const started = (): Promise<LiveChannel> => LiveChannel.started({ type: 'pagechat' });
const tries = (channel: LiveChannel): number[] =>
  [...channel.store.unmatched.values()].map((kept) => kept.tries);

const fetchesSince = (channel: LiveChannel, before: number): number => channel.fetches.length - before;

test('the write that stores a message counts its fetches; a fetch that has to wait for a slot is counted when it starts', async () => {
  const channel = await started();
  const many = Array.from({ length: limits.fetches + 1 }, (_, n) => inboundOf(`m${n}`, [image], `p${n}`));
  await channel.facts(...many);
  expect([tries(channel), channel.fetches.length]).toEqual([[1, 1, 1, 1, 0], limits.fetches]);
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect([tries(channel), channel.fetches.length]).toEqual([[1, 1, 1, 1], limits.fetches + 1]);
});

test('no fetch starts before its count is stored', async () => {
  const channel = await started();
  const many = Array.from({ length: limits.fetches + 1 }, (_, n) => inboundOf(`m${n}`, [image], `p${n}`));
  await channel.facts(...many);
  channel.mood = () => 'down';
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect([channel.fetches.length, tries(channel)]).toEqual([limits.fetches, [1, 1, 1, 1, 0]]);
  channel.mood = () => 'well';
  await channel.clock.pass(10_000);
  expect([channel.fetches.length, tries(channel)]).toEqual([limits.fetches + 1, [1, 1, 1, 1]]);
});

test('fetches that were in flight at a crash are made one after another by the next owner', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  await channel.takeOver();
  expect([fetchesSince(channel, 2), tries(channel)]).toEqual([1, [2, 1]]);
  await channel.fetches[2]?.answer(fileFetched('fa'));
  expect([fetchesSince(channel, 2), tries(channel), toldBy(channel)]).toEqual([2, [2], ['fa']]);
  await channel.fetches[3]?.answer(fileFetched('fb'));
  expect(toldBy(channel)).toEqual(['fa', 'fb']);
});

test('a slow one lets the next start', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  await channel.takeOver();
  await channel.clock.pass(limits.slowFetchMs);
  expect(fetchesSince(channel, 2)).toBe(2);
});

test('a file that crashed two owners is quarantined: its event has an error, it is not fetched; other messages continue', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image, image], 'mia'), inboundOf('b', [image], 'tom'));
  await channel.takeOver();
  await channel.takeOver();
  const fact = inboundOf('a', [image, image], 'mia');
  const { channel: of } = channel.store.settings;
  expect(channel.aside).toEqual([{ kind: 'files', channel: of, id: 'channel-1/i/a', fact, tries: 2 }]);
  expect(toldBy(channel)).toEqual([error, error]);
  await channel.fetches.at(-1)?.answer(fileFetched('fb'));
  await channel.facts(asText('c'));
  expect([toldBy(channel), channel.store.unmatched.size]).toEqual([[error, error, 'fb', 'c'], 0]);
});

test('an outcome resets the count: a file that is retried later has crashed nobody', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  await channel.takeOver();
  expect(tries(channel)).toEqual([2]);
  await channel.fetches.at(-1)?.answer({ outcome: 'failed', error: 'No file', mayPass: true });
  expect(tries(channel)).toEqual([0]);
  await channel.clock.pass(1_000);
  expect(tries(channel)).toEqual([1]);
});

test('an owner that drains leaves no count behind', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  for (let owner = 1; owner < 5; owner += 1) {
    await channel.drain();
    expect(tries(channel)).toEqual([0]);
    await channel.takeOver();
    expect(tries(channel)).toEqual([1]);
  }
  await channel.fetches.at(-1)?.answer(fileFetched('f'));
  expect([toldBy(channel), channel.aside]).toEqual([['f'], []]);
});

test.each([
  ['in order', (channel: LiveChannel) => channel.drain()],
  ['by losing the channel', (channel: LiveChannel) => channel.takeOver()],
])('an owner that ends %s aborts its fetches: none may crash the node unrecorded', async (_, end) => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  const own = channel.fetches.map(({ sent }) => sent.left);
  await end(channel);
  expect(own.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a fetch whose count was being written when its owner drained does not start', async () => {
  const channel = await started();
  const many = Array.from({ length: limits.fetches + 1 }, (_, n) => inboundOf(`m${n}`, [image], `p${n}`));
  await channel.facts(...many);
  channel.mood = () => 'down';
  await channel.fetches[0]?.answer(fileFetched('f'));
  const drained = channel.drain();
  channel.mood = () => 'well';
  await channel.clock.pass(10_000);
  await drained;
  expect([channel.fetches.length, tries(channel)]).toEqual([limits.fetches, [0, 0, 0, 0]]);
});

test('nor does one of a file whose first fetch has ended and that is retried later', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  await channel.fetches[0]?.answer({ outcome: 'failed', error: 'No file', mayPass: true });
  await channel.drain();
  expect(tries(channel)).toEqual([0]);
});

test("an operator's retry fetches the file again and makes an event with an id of its own", async () => {
  const channel = await started();
  const message = inboundOf('a', [image]);
  await channel.facts(message);
  await channel.takeOver();
  await channel.takeOver();
  await channel.facts({ ...message, again: 7 });
  await channel.facts({ ...message, again: 7 });
  await channel.fetches.at(-1)?.answer(fileFetched('f'));
  await channel.facts({ ...message, again: 7 });
  expect([toldBy(channel), channel.store.deliveries.size]).toEqual([[error, 'f'], 2]);
});
