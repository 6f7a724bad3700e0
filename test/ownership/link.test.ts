/** [architecture §4] One end of a link, with a clock that the test moves: the outcome of an ask, and when a peer is given up. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import { maxMessageBytes } from '../../src/ownership/outbox.ts';
import { promisesSettled } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { LinkAndPeer, askDeadlineMs, beatMs, maxPayload, silentMs } from './support/link-and-peer.ts';

const inspect: ChannelAsk = { type: 'inspect' };
const asked = { channelId: 'channel-1', ask: inspect };
const overloaded = { refusal: { why: 'fault', code: 'overloaded', details: {} } };
const broken = { refusal: { why: 'fault', code: 'internal', details: {} } };
const megabyte = 1024 * 1024;

let ends: LinkAndPeer;

beforeEach(async () => {
  ends = await LinkAndPeer.open();
});

afterEach(() => ends.close());

/** Whether it has been answered, and with what. */
function watched(answer: Promise<unknown>): { answer: unknown } {
  const seen: { answer: unknown } = { answer: 'none' };
  void answer.then((value) => (seen.answer = value));
  return seen;
}

/** A frame with this many characters. */
const long = (chars: number, letter = 'x') =>
  ({ f: 'changed', channelId: letter.repeat(chars), apiKeyId: null }) as const;

const frameChars = JSON.stringify(long(0)).length;

describe('an ask', () => {
  test('is sent with its own number, by which its answer is matched', async () => {
    const { link } = ends;
    const answers = [link.ask(asked), link.askNode('status'), link.ask(asked)];
    expect(await ends.next()).toBe(
      JSON.stringify([
        { f: 'ask', id: 1, ...asked },
        { f: 'askNode', id: 2, ask: 'status' },
        { f: 'ask', id: 3, ...asked },
      ]),
    );
    expect(link.inFlight).toBe(3);
    await ends.says(
      { f: 'reply', id: 3, reply: 'three' },
      { f: 'refusal', id: 1, refusal: { why: 'lost' } },
      { f: 'reply', id: 2, reply: 'two' },
      { f: 'reply', id: 9, reply: 'to nobody' },
    );
    expect(await Promise.all(answers)).toEqual([
      { refusal: { why: 'lost' } },
      { reply: 'two' },
      { reply: 'three' },
    ]);
    expect([link.inFlight, ends.frames]).toEqual([0, []]);
  });

  test('is lost after its deadline; a later ask is not, and the link stays open', async () => {
    const { link, time } = ends;
    const first = watched(link.ask(asked));
    time.advance(1);
    const second = watched(link.ask(asked));
    await ends.next();
    for (let ms = beatMs; ms < askDeadlineMs; ms += beatMs) {
      time.advance(beatMs);
      await ends.says();
    }
    expect(first.answer).toBe('none');
    time.advance(beatMs - 1);
    await ends.says({ f: 'reply', id: 2, reply: 'in time' });
    expect([first.answer, second.answer, link.isOpen]).toEqual(['closed', { reply: 'in time' }, true]);
  });

  test('on a link that closes may have been received if it was sent, otherwise not', async () => {
    const { link } = ends;
    const left = [link.ask(asked), link.askNode('drain')];
    await ends.next();
    const kept = link.ask(asked);
    link.terminate();
    expect(await Promise.all([...left, kept])).toEqual(['closed', 'closed', 'not-sent']);
    await promisesSettled();
    expect([link.inFlight, link.messagesSent]).toEqual([0, 1]);
  });

  test('on a closed link is not sent', async () => {
    ends.link.terminate();
    expect(await Promise.all([ends.link.ask(asked), ends.link.askNode('status')])).toEqual([
      'not-sent',
      'not-sent',
    ]);
  });

  test('that the caller abandons may have been received, and the link stays open', async () => {
    const { link } = ends;
    const waiting = link.ask(asked);
    link.endAsks();
    expect([await waiting, link.inFlight, link.isOpen]).toEqual(['closed', 0, true]);
  });

  test('beyond twenty thousand in flight is refused as overloaded, and not sent', async () => {
    const { link } = ends;
    for (let count = 0; count < 20_000; count += 1) void link.ask(asked);
    expect(await link.ask(asked)).toEqual(overloaded);
    expect(link.inFlight).toBe(20_000);
    link.endAsks();
    void link.ask(asked);
    await until('all that left', () => ends.gotFrames.length === 20_001);
    expect(ends.gotFrames.at(-1)).toEqual({ f: 'ask', id: 20_001, ...asked });
  });

  test('that is too large for a message is refused as an internal error, and not sent', async () => {
    const { link } = ends;
    const answer = link.ask({ ...asked, channelId: 'x'.repeat(17 * megabyte) });
    link.send({ f: 'look' });
    expect([await ends.next(), await answer]).toEqual(['[{"f":"look"}]', broken]);
  });
});

describe('a frame', () => {
  test('shares a message of about 256 kB with others of the same tick', async () => {
    for (const chars of [100_000, 150_000, 100_000, 200_000, 300_000, 10]) ends.link.send(long(chars));
    await until('all of it', () => ends.gotFrames.length === 6);
    expect(ends.got.map((text) => Math.round(text.length / 10_000))).toEqual([25, 10, 20, 30, 0]);
    expect(ends.link.messagesSent).toBe(5);
  });

  test('may fill a message to the last character', async () => {
    const half = 128 * 1024 - frameChars;
    ends.link.send(long(half));
    ends.link.send(long(half - 1));
    ends.link.send(long(half));
    ends.link.send(long(half));
    await until('all of it', () => ends.gotFrames.length === 4);
    expect(ends.got.map((text) => text.length)).toEqual([256 * 1024 + 2, 128 * 1024 + 2, 128 * 1024 + 2]);
  });

  test.each<[string, number, string, number]>([
    ['5 MB of ASCII', 5 * megabyte, 'x', 1],
    ['a byte less than fills a message', maxMessageBytes - 3 - frameChars, 'x', 1],
    ['just what fills a message', maxMessageBytes - 2 - frameChars, 'x', 0],
    ['15 MB in five million characters', 5 * megabyte, '€', 0],
  ])('of %s is sent if the peer accepts its size', async (_words, chars, letter, messages) => {
    ends.link.send(long(chars, letter));
    ends.link.send({ f: 'look' });
    await until('what follows', () => ends.got.some((text) => text.includes('look')));
    expect(ends.got.length).toBe(1 + messages);
  });

  test('that is a reply too large for a message is sent as a refusal', async () => {
    ends.link.send({ f: 'reply', id: 7, reply: 'x'.repeat(17 * megabyte) });
    expect(await ends.next()).toBe(JSON.stringify([{ f: 'refusal', id: 7, ...broken }]));
  });

  test('is sent before the link is closed, and none after that', async () => {
    const { link } = ends;
    link.send({ f: 'bye' });
    await link.close();
    link.send({ f: 'look' });
    await link.close();
    await promisesSettled();
    expect([ends.got, ends.closings, link.isOpen]).toEqual([['[{"f":"bye"}]'], 1, false]);
    expect(link.messagesSent).toBe(1);
  });

  test('to a peer that reads nothing ends the link', async () => {
    const { link, peer } = ends;
    peer.pause();
    for (let count = 0; count < 32 && link.isOpen; count += 1) {
      link.send(long(5 * megabyte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([link.isOpen, ends.closings]).toEqual([false, 1]);
  });
});

describe('an offered frame', () => {
  test('to a peer that is 4 MB behind is dropped, until that was written', async () => {
    const { link } = ends;
    const offer = (id: string, bytes: number): void =>
      link.offer({ f: 'event', channel: id, packet: '' }, bytes);
    offer('first', 3 * megabyte);
    offer('second', megabyte);
    offer('third', 1);
    offer('fourth', 1);
    await ends.next();
    offer('fifth', 1);
    await ends.next();
    expect(ends.gotFrames).toEqual(
      ['first', 'second', 'third', 'fifth'].map((channel) => ({ f: 'event', channel, packet: '' })),
    );
  });
});

describe('a received frame', () => {
  test('is passed to the node, if it is no answer', async () => {
    const tell = { f: 'tell', channelId: 'c', tell: { type: 'wake' }, frees: 'store' };
    await ends.says({ f: 'look' }, tell);
    expect(ends.frames).toEqual([{ f: 'look' }, tell]);
  });

  test('that is a ping is answered, and an ask of a newer build refused', async () => {
    ends.peer.send('[{"f":"ping","id":4},{"f":"ask","id":5,"channelId":"c","ask":{"type":"dance"}}]');
    expect(await ends.next()).toBe(
      '[{"f":"reply","id":4,"reply":3},{"f":"refusal","id":5,"refusal":{"why":"unavailable"}}]',
    );
    expect(ends.frames).toEqual([]);
  });

  test.each<[string, string | Buffer]>([
    ['in other words', 'nonsense'],
    ['that is too large', `["${'x'.repeat(maxPayload)}"]`],
    ['in bytes', Buffer.from('[{"f":"look"}]')],
  ])('that is %s ends the link', async (_words, said) => {
    ends.peer.send(said);
    await until('its end', () => ends.closings === 1);
    expect([ends.link.isOpen, ends.frames]).toEqual([false, []]);
  });
});

describe('a peer', () => {
  test('is pinged four times during a silence, one at a time, and the round-trip time is measured', async () => {
    const { time } = ends;
    time.advance(beatMs - 1);
    await ends.says();
    expect(ends.gotFrames).toEqual([{ f: 'reply', id: -1, reply: 3 }]);
    time.advance(1);
    expect(await ends.next()).toBe('[{"f":"ping","id":1}]');
    time.advance(beatMs);
    await ends.says();
    expect(ends.roundTrips).toEqual([]);
    time.advance(30);
    await ends.says({ f: 'reply', id: 1, reply: null });
    expect([ends.roundTrips, ends.link.owns]).toEqual([[beatMs + 30], null]);
    time.advance(beatMs);
    expect(await ends.next()).toBe('[{"f":"ping","id":2}]');
    await ends.says({ f: 'reply', id: 2, reply: 12 });
    expect(ends.link.owns).toBe(12);
  });

  test('is disconnected after a longer silence', () => {
    ends.time.advance(silentMs);
    expect(ends.link.isOpen).toBe(true);
    ends.time.advance(beatMs);
    expect([ends.link.isOpen, ends.closings]).toEqual([false, 1]);
    expect(ends.time.pending).toBe(0);
  });

  test('that sends anything is not disconnected', async () => {
    for (let beats = 0; beats < 10; beats += 1) {
      ends.time.advance(beatMs);
      await ends.says();
    }
    expect(ends.link.isOpen).toBe(true);
  });

  test('is not disconnected by a node that was blocked itself and has not read its frames yet', async () => {
    ends.stoodStillMs = silentMs;
    ends.time.advance(beatMs);
    expect(ends.link.isOpen).toBe(true);
    ends.time.advance(silentMs + beatMs);
    expect(ends.link.isOpen).toBe(false);
  });

  test('that closes the link is reported once', async () => {
    ends.peer.close();
    await until('its end', () => ends.closings > 0);
    ends.link.terminate();
    expect([ends.closings, ends.time.pending]).toEqual([1, 0]);
  });
});
