/** [spec: message.received data, rule 2; architecture §6.3] A message with files: on record first, told when they are there. */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { FileOutcome } from '../../actors/channel/ports.ts';
import type { InboundMessage, Part } from '../../src/domain/messages/facts.ts';
import { newYear } from '../domain/samples.ts';
import { LiveChannel } from './support/live-channel.ts';

const image: Part = {
  type: 'image',
  file: { mediaId: '1', url: null, mimeType: null, filename: null, sha256: null, voice: false },
};
const fetched = (mediaId: string): FileOutcome => ({
  outcome: 'fetched',
  media: {
    result: 'fetched',
    mediaId,
    mimeType: 'image/png',
    fileSize: 1,
    filename: null,
    sha256: '',
    durationMs: null,
    downloadUrl: `https://service.test/${mediaId}`,
    expiresAt: newYear,
  },
});
const failed = (mayPass: boolean): FileOutcome => ({ outcome: 'failed', error: 'No file', mayPass });

function messageOf(upstreamId: string, parts: Part[], from = 'mia'): InboundMessage {
  return {
    kind: 'inbound',
    channelType: 'pagechat',
    identity: 'x',
    upstreamId,
    from,
    fromName: null,
    at: newYear,
    caption: null,
    parts,
  };
}
const text = (upstreamId: string, from = 'mia'): InboundMessage =>
  messageOf(upstreamId, [{ type: 'text', text: upstreamId }], from);

/** What was told so far: the text, or the id of the file, or its error. */
function told(channel: LiveChannel): unknown[] {
  return channel.posts.map(({ sent }) => {
    const { data } = JSON.parse(Buffer.from(sent.body).toString());
    return data.text ?? data.media?.error ?? data.media?.media_id ?? data.unsupported_type;
  });
}

const started = (): Promise<LiveChannel> => LiveChannel.started({ type: 'pagechat' });

test('it is on record and answered before a byte is fetched, and forgotten once it is told', async () => {
  const channel = await started();
  expect(await channel.facts(messageOf('a', [image]))).toEqual({ taken: 1, dropped: 0 });
  expect([channel.store.unmatched.size, channel.fetches.length, told(channel)]).toEqual([1, 1, []]);
  await channel.fetches[0]?.answer(fetched('f'));
  expect([channel.store.unmatched.size, told(channel)]).toEqual([0, ['f']]);
});

test('what the store does not take is refused, and nothing is fetched; upstream brings it again', async () => {
  const channel = await started();
  channel.mood = () => 'down';
  await expect(channel.facts(messageOf('a', [image]))).rejects.toThrow();
  expect(channel.fetches).toHaveLength(0);
  channel.mood = () => 'well';
  await channel.facts(messageOf('a', [image]));
  await channel.fetches[0]?.answer(fetched('f'));
  expect(told(channel)).toEqual(['f']);
});

test('all files are there before the first event; one that fails suppresses none', async () => {
  const channel = await started();
  await channel.facts(messageOf('a', [image, image, image]));
  await channel.fetches[2]?.answer(fetched('f3'));
  await channel.fetches[1]?.answer(failed(false));
  expect(told(channel)).toEqual([]);
  await channel.fetches[0]?.answer(fetched('f1'));
  expect(told(channel)).toEqual(['f1', 'No file', 'f3']);
});

test('what may pass is tried again after each delay, then told as failed', async () => {
  const channel = await started();
  await channel.facts(messageOf('a', [image]));
  for (const [tries, delayMs] of [1_000, 5_000, 20_000, 60_000].entries()) {
    await channel.fetches.at(-1)?.answer(failed(true));
    await channel.clock.pass(delayMs - 1);
    expect(channel.fetches).toHaveLength(tries + 1);
    await channel.clock.pass(1);
    expect(channel.fetches).toHaveLength(tries + 2);
  }
  await channel.fetches.at(-1)?.answer(failed(true));
  expect(told(channel)).toEqual(['No file']);
});

describe('order', () => {
  test('what the same person writes later waits, on record; another person does not', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image]), text('b'));
    await channel.facts(text('c'), text('d', 'tom'));
    expect([told(channel), channel.store.unmatched.size]).toEqual([['d'], 3]);
    await channel.fetches[0]?.answer(fetched('f'));
    expect([told(channel), channel.store.unmatched.size]).toEqual([['d', 'f', 'b', 'c'], 0]);
  });

  test('not for ever: after 30 s it overtakes', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image]), text('b'));
    await channel.clock.pass(limits.fileOrderMs - 1);
    expect(told(channel)).toEqual([]);
    await channel.clock.pass(1);
    expect(told(channel)).toEqual(['b']);
    await channel.fetches[0]?.answer(fetched('f'));
    expect(told(channel)).toEqual(['b', 'f']);
  });

  test('files of a later message are fetched meanwhile, four at a time', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image, image, image]), messageOf('b', [image, image]));
    expect(channel.fetches).toHaveLength(limits.fetches);
    for (const n of [3, 4, 0, 1, 2]) await channel.fetches[n]?.answer(fetched(`f${n}`));
    const of = (ids: string[]): unknown[] => told(channel).filter((id) => ids.includes(String(id)));
    expect([told(channel)[0], of(['f0', 'f1', 'f2']), of(['f3', 'f4'])]).toEqual([
      'f0',
      ['f0', 'f1', 'f2'],
      ['f3', 'f4'],
    ]);
  });

  test('a text without anything before it is told in the commit that answers upstream', async () => {
    const channel = await started();
    await channel.facts(text('a'));
    expect([channel.largestCommit, channel.store.deliveries.size]).toEqual([1, 1]);
  });
});

describe('repetition', () => {
  test('while it is fetched and after it was told, upstream is answered and nothing happens', async () => {
    const channel = await started();
    const message = messageOf('a', [image]);
    await channel.facts(message, message);
    await channel.facts(message);
    await channel.fetches[0]?.answer(fetched('f'));
    await channel.facts(message);
    expect([channel.fetches.length, told(channel), channel.store.unmatched.size]).toEqual([1, ['f'], 0]);
  });
});

describe('a new owner', () => {
  test('fetches again what was on record, in its order', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image]), text('b'));
    await channel.takeOver();
    expect(channel.fetches).toHaveLength(2);
    await channel.fetches[1]?.answer(fetched('second'));
    await channel.fetches[0]?.answer(fetched('first')); // of the owner that is no more
    expect([told(channel), channel.store.unmatched.size]).toEqual([['second', 'b'], 0]);
  });

  test('after a commit whose answer was lost, nothing is told twice', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image]));
    channel.mood = () => 'silent';
    await channel.fetches[0]?.answer(fetched('f'));
    channel.mood = () => 'well';
    await channel.takeOver();
    await channel.clock.pass(60_000);
    for (const { answer } of channel.fetches.slice(1)) await answer(fetched('again'));
    await channel.clock.pass(60_000);
    expect([told(channel), channel.store.unmatched.size]).toEqual([['f'], 0]);
  });
});

describe('licences', () => {
  test('on starter the file is withheld at once and nothing is fetched', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', subscription: { tier: 'starter' } });
    await channel.facts(messageOf('a', [image]));
    expect([channel.fetches.length, channel.store.unmatched.size, told(channel)]).toEqual([0, 0, ['image']]);
  });

  test('a downgrade while it is fetched withholds it [faults: 52]', async () => {
    const channel = await started();
    await channel.facts(messageOf('a', [image]));
    await channel.change({ subscription: { tier: 'starter' } });
    expect(told(channel)).toEqual(['image']);
    await channel.fetches[0]?.answer(fetched('f'));
    expect(told(channel)).toEqual(['image']);
  });
});

test('of thousands of parts the first 50 are told [faults: 94]', async () => {
  const channel = await started();
  const parts = Array.from({ length: 20_000 }, (_, n): Part => ({
    type: 'unsupported',
    unsupportedType: `${n}`,
  }));
  await channel.facts(messageOf('a', parts));
  expect(told(channel)).toEqual(parts.slice(0, 50).map((_, n) => String(n)));
});
