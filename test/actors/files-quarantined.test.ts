/** [faults: 102] A fetch is counted before it begins; what has ended two owners is put aside, and the rest goes on. */
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

test('the write that keeps a message counts its fetch; what finds no place is counted when it begins', async () => {
  const channel = await started();
  const many = Array.from({ length: limits.fetches + 1 }, (_, n) => inboundOf(`m${n}`, [image], `p${n}`));
  await channel.facts(...many);
  expect([tries(channel), channel.fetches.length]).toEqual([[1, 1, 1, 1, 0], limits.fetches]);
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect([tries(channel), channel.fetches.length]).toEqual([[1, 1, 1, 1], limits.fetches + 1]);
});

test('nothing is fetched before its count is on record', async () => {
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

test('what was under way when its owner ended is fetched one after the other by the next', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  await channel.takeOver();
  expect([fetchesSince(channel, 2), tries(channel)]).toEqual([1, [2, 1]]);
  await channel.fetches[2]?.answer(fileFetched('fa'));
  expect([fetchesSince(channel, 2), tries(channel), toldBy(channel)]).toEqual([2, [2], ['fa']]);
  await channel.fetches[3]?.answer(fileFetched('fb'));
  expect(toldBy(channel)).toEqual(['fa', 'fb']);
});

test('one that is slow lets the next begin', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  await channel.takeOver();
  await channel.clock.pass(limits.slowFetchMs);
  expect(fetchesSince(channel, 2)).toBe(2);
});

test('what has ended two owners is put aside: told with an error, not fetched; the rest goes on', async () => {
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

test('an outcome clears it: a file that is tried again later has ended nobody', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  await channel.takeOver();
  expect(tries(channel)).toEqual([2]);
  await channel.fetches.at(-1)?.answer({ outcome: 'failed', error: 'No file', mayPass: true });
  expect(tries(channel)).toEqual([0]);
  await channel.clock.pass(1_000);
  expect(tries(channel)).toEqual([1]);
});

test('an owner that ends in order leaves no count behind', async () => {
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
])('an owner that ends %s ends its fetches: none may end the node behind the record', async (_, end) => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image], 'mia'), inboundOf('b', [image], 'tom'));
  const own = channel.fetches.map(({ sent }) => sent.left);
  await end(channel);
  expect(own.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('a fetch whose count was being written when its owner ended in order does not begin', async () => {
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

test('nor of a file whose first fetch has ended and that is tried again later', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  await channel.fetches[0]?.answer({ outcome: 'failed', error: 'No file', mayPass: true });
  await channel.drain();
  expect(tries(channel)).toEqual([0]);
});

test('asked for anew by an operator: fetched and told again under an id of its own', async () => {
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
