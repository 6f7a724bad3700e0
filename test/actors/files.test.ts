/** [spec: message.received data, rule 2; architecture §6.3] A message with files is stored first, and makes its events once the files are there. */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { FileOutcome } from '../../src/rules/outside.ts';
import type { Part } from '../../src/rules/messages/facts.ts';
import { fileFetched, fileOf, inboundOf, asText, toldBy } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';

const image = fileOf();
const failed = (mayPass: boolean): FileOutcome => ({ outcome: 'failed', error: 'No file', mayPass });

const started = (): Promise<LiveChannel> => LiveChannel.started({ type: 'pagechat' });

test('it is stored and answered before a byte is fetched, and forgotten once its events are stored', async () => {
  const channel = await started();
  expect(await channel.facts(inboundOf('a', [image]))).toEqual({ taken: 1, dropped: 0 });
  expect([channel.store.unmatched.size, channel.fetches.length, toldBy(channel)]).toEqual([1, 1, []]);
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect([channel.store.unmatched.size, toldBy(channel)]).toEqual([0, ['f']]);
});

test('a message that the store does not accept is refused, and nothing is fetched; upstream repeats it', async () => {
  const channel = await started();
  channel.mood = () => 'down';
  await expect(channel.facts(inboundOf('a', [image]))).rejects.toThrow();
  expect(channel.fetches).toHaveLength(0);
  channel.mood = () => 'well';
  await channel.facts(inboundOf('a', [image]));
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect(toldBy(channel)).toEqual(['f']);
});

test('all files are there before the first event; a failed one suppresses no other', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image, image, image]));
  await channel.fetches[2]?.answer(fileFetched('f3'));
  await channel.fetches[1]?.answer(failed(false));
  expect(toldBy(channel)).toEqual([]);
  await channel.fetches[0]?.answer(fileFetched('f1'));
  expect(toldBy(channel)).toEqual(['f1', 'No file', 'f3']);
});

test('a transient failure is retried after each delay, then reported as failed', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  for (const [tries, delayMs] of [1_000, 5_000, 20_000, 60_000].entries()) {
    await channel.fetches.at(-1)?.answer(failed(true));
    await channel.clock.pass(delayMs - 1);
    expect(channel.fetches).toHaveLength(tries + 1);
    await channel.clock.pass(1);
    expect(channel.fetches).toHaveLength(tries + 2);
  }
  await channel.fetches.at(-1)?.answer(failed(true));
  expect(toldBy(channel)).toEqual(['No file']);
});

test('a fetch for which the node had no free connection does not count: it is repeated after a second', async () => {
  const channel = await started();
  await channel.facts(inboundOf('a', [image]));
  for (let n = 1; n <= 20; n += 1) {
    await channel.fetches.at(-1)?.answer({ outcome: 'busy' });
    await channel.clock.pass(999);
    expect(channel.fetches).toHaveLength(n);
    await channel.clock.pass(1);
    expect(channel.fetches).toHaveLength(n + 1);
  }
  await channel.fetches.at(-1)?.answer(failed(true));
  await channel.clock.pass(1_000);
  await channel.fetches.at(-1)?.answer(fileFetched('f'));
  expect(toldBy(channel)).toEqual(['f']);
});

describe('order', () => {
  test("a later message of the same person waits, and is stored; another person's does not", async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]), asText('b'));
    await channel.facts(asText('c'), asText('d', 'tom'));
    expect([toldBy(channel), channel.store.unmatched.size]).toEqual([['d'], 3]);
    await channel.fetches[0]?.answer(fileFetched('f'));
    expect([toldBy(channel), channel.store.unmatched.size]).toEqual([['d', 'f', 'b', 'c'], 0]);
  });

  test('also while the store is still asked whether the message has made its events before', async () => {
    const channel = await started();
    let answer = (): void => undefined;
    channel.lookUps = new Promise((resolve) => (answer = resolve));
    const first = channel.facts(asText('z'), inboundOf('b', [image]));
    const second = channel.facts(asText('a'));
    expect(toldBy(channel)).toEqual([]);
    answer();
    await Promise.all([first, second]);
    await channel.fetches[0]?.answer(fileFetched('f'));
    expect(toldBy(channel)).toEqual(['z', 'f', 'a']);
  });

  test('a repeated message whose events exist delays nothing', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]));
    await channel.fetches[0]?.answer(fileFetched('f'));
    let answer = (): void => undefined;
    channel.lookUps = new Promise((resolve) => (answer = resolve));
    const again = channel.facts(inboundOf('a', [image]));
    const text = channel.facts(asText('b'));
    expect(toldBy(channel)).toEqual(['f']);
    answer();
    await Promise.all([again, text]);
    await channel.clock.pass(0);
    expect([toldBy(channel), channel.store.unmatched.size]).toEqual([['f', 'b'], 0]);
  });

  test('a message that could not be stored delays nothing', async () => {
    const channel = await started();
    let answer = (): void => undefined;
    let tries = 0;
    channel.lookUps = new Promise((resolve) => (answer = resolve));
    const lost = channel.facts(inboundOf('a', [image]));
    lost.catch(() => undefined);
    const text = channel.facts(asText('b'));
    channel.mood = () => ((tries += 1) === 1 ? 'down' : 'well');
    answer();
    await expect(lost).rejects.toThrow();
    await text;
    await channel.clock.pass(5_000);
    expect(toldBy(channel)).toEqual(['b']);
  });

  test('but only until 5 s after the message: then later ones overtake it, in order and without waiting themselves', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]), asText('b'));
    await channel.clock.pass(limits.fileOrderMs - 1);
    expect(toldBy(channel)).toEqual([]);
    await channel.clock.pass(1);
    expect(toldBy(channel)).toEqual(['b']);
    await channel.facts(asText('c'), asText('d'));
    expect(toldBy(channel)).toEqual(['b', 'c', 'd']);
    await channel.fetches[0]?.answer(fileFetched('f'));
    expect(toldBy(channel)).toEqual(['b', 'c', 'd', 'f']);
  });

  test('a file that upstream can’t give delays no text by more than 5 s, while it is tried again', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]));
    await channel.fetches[0]?.answer({ outcome: 'failed', error: 'gone', mayPass: true });
    await channel.facts(asText('b'));
    await channel.clock.pass(2_000);
    await channel.facts(asText('c'));
    await channel.clock.pass(limits.fileOrderMs - 2_001);
    expect(toldBy(channel)).toEqual([]);
    await channel.clock.pass(1);
    expect(toldBy(channel)).toEqual(['b', 'c']);
  });

  test('files of a later message are fetched meanwhile, four at a time', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image, image, image]), inboundOf('b', [image, image]));
    expect(channel.fetches).toHaveLength(limits.fetches);
    for (const n of [3, 4, 0, 1, 2]) await channel.fetches[n]?.answer(fileFetched(`f${n}`));
    const of = (ids: string[]): unknown[] => toldBy(channel).filter((id) => ids.includes(String(id)));
    expect([toldBy(channel)[0], of(['f0', 'f1', 'f2']), of(['f3', 'f4'])]).toEqual([
      'f0',
      ['f0', 'f1', 'f2'],
      ['f3', 'f4'],
    ]);
  });

  test('a text that nothing precedes makes its event in the commit that answers upstream', async () => {
    const channel = await started();
    await channel.facts(asText('a'));
    expect([channel.largestCommit, channel.store.deliveries.size]).toEqual([1, 1]);
  });
});

test('events that one turn does not make are made by the next, although the store has not accepted the first ones yet [faults: I9]', async () => {
  const channel = await started();
  const parts = Array.from({ length: limits.parts }, (): Part => ({
    type: 'unsupported',
    unsupportedType: 'x',
  }));
  const people = Array.from({ length: limits.turn / limits.parts + 1 }, (_, n) => `person ${n}`);
  for (const from of people)
    await channel.facts(inboundOf(`file of ${from}`, [image], from), inboundOf(from, parts, from));
  await channel.clock.pass(limits.fileOrderMs - 1);
  channel.mood = () => 'down';
  await channel.clock.pass(1); // the texts overtake the files
  expect(toldBy(channel)).toEqual([]);
  channel.mood = () => 'well';
  await channel.clock.pass(1);
  expect(channel.store.deliveries.size).toBe(limits.parts);
  await channel.clock.pass(5_000);
  expect(channel.store.deliveries.size).toBe(people.length * limits.parts);
});

describe('repetition', () => {
  test('a message that is repeated during the fetch and after its events is answered, and nothing else happens', async () => {
    const channel = await started();
    const message = inboundOf('a', [image]);
    await channel.facts(message, message);
    await channel.facts(message);
    await channel.fetches[0]?.answer(fileFetched('f'));
    await channel.facts(message);
    expect([channel.fetches.length, toldBy(channel), channel.store.unmatched.size]).toEqual([1, ['f'], 0]);
  });
});

describe('a new owner', () => {
  test('fetches again what was stored, in its order', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]), asText('b'));
    await channel.takeOver();
    expect(channel.fetches).toHaveLength(2);
    await channel.fetches[1]?.answer(fileFetched('second'));
    await channel.fetches[0]?.answer(fileFetched('first')); // a fetch of the previous owner
    expect([toldBy(channel), channel.store.unmatched.size]).toEqual([['second', 'b'], 0]);
  });

  test('after a commit whose answer was lost, makes no event twice', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]));
    channel.mood = () => 'silent';
    await channel.fetches[0]?.answer(fileFetched('f'));
    channel.mood = () => 'well';
    await channel.takeOver();
    await channel.clock.pass(60_000);
    for (const { answer } of channel.fetches.slice(1)) await answer(fileFetched('again'));
    await channel.clock.pass(60_000);
    expect([toldBy(channel), channel.store.unmatched.size]).toEqual([['f'], 0]);
  });
});

describe('licences', () => {
  test('on starter the file is withheld at once and nothing is fetched', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', subscription: { tier: 'starter' } });
    await channel.facts(inboundOf('a', [image]));
    expect([channel.fetches.length, channel.store.unmatched.size, toldBy(channel)]).toEqual([
      0,
      0,
      ['image'],
    ]);
  });

  test('a downgrade during the fetch withholds the file [faults: 52]', async () => {
    const channel = await started();
    await channel.facts(inboundOf('a', [image]));
    await channel.change({ subscription: { tier: 'starter' } });
    expect(toldBy(channel)).toEqual(['image']);
    await channel.fetches[0]?.answer(fileFetched('f'));
    expect(toldBy(channel)).toEqual(['image']);
  });
});

test('of thousands of parts the first 50 make events [faults: 94]', async () => {
  const channel = await started();
  const parts = Array.from({ length: 20_000 }, (_, n): Part => ({
    type: 'unsupported',
    unsupportedType: `${n}`,
  }));
  await channel.facts(inboundOf('a', parts));
  expect(toldBy(channel)).toEqual(parts.slice(0, 50).map((_, n) => String(n)));
});
