/** [architecture §5] The effect of each frame of a peer. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { receiveFrame } from '../../src/ownership/frames.ts';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import type { Frame } from '../../src/ownership/wire.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { until } from '../support/until.ts';

type Outcome = { reply: unknown } | { refusal: { why: 'lost' } } | Error;

let done: unknown[];
let sent: Frame[];
let told: Record<string, unknown>[];
/** Node and channel: what is given to a node that brings a send. */
let gives: string[];
/** The outcome of an ask at this node. */
let outcome: Outcome;
const link = {
  incarnation: 'two:1',
  send: (frame: Frame) => void sent.push(frame),
  offer: (frame: Frame) => void sent.push(frame),
};

beforeEach(() => {
  [done, sent, told, gives] = [[], [], [], []];
  outcome = { reply: 'done' };
});

const receive = (frame: Frame): void =>
  receiveFrame(link, frame, {
    router: {
      async here(channelId, ask) {
        done.push([channelId, ask]);
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
      tellHere: (...told_) => void done.push(told_),
    },
    membership: {
      drains: (incarnation) => void done.push(['drains', incarnation]),
      drop: (incarnation) => void done.push(['drop', incarnation]),
    },
    homes: { settle: (channelId) => void done.push(['settles', channelId]) },
    following: {
      sentFor: (...sentFor) => void done.push(['sent for', ...sentFor]),
      givesIdle: (...asked) => gives.includes(asked.join()),
    },
    feed: { receive: (from, frame_) => void done.push(['feed', from === link, frame_]) },
    refreshMembers: () => void done.push('look'),
    onChanged: (change) => void done.push(['changed', change]),
    async answerNode(ask) {
      done.push(ask);
      if (outcome instanceof Error) throw outcome;
      return 'a status';
    },
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
  });
const answered = () => until('the answer', () => sent[0]);

const ask: Extract<Frame, { f: 'ask' }> = {
  f: 'ask',
  id: 7,
  channelId: 'channel-1',
  ask: { type: 'inspect' },
};
const internal = { f: 'refusal', id: 7, refusal: { why: 'fault', code: 'internal', details: {} } };

describe('an ask', () => {
  test.each<[string, Outcome, object]>([
    ['is answered with the reply', { reply: 'done' }, { f: 'reply', id: 7, reply: 'done' }],
    ['is answered with an empty reply too', { reply: undefined }, { f: 'reply', id: 7, reply: undefined }],
    [
      'that is refused says why',
      { refusal: { why: 'lost' } },
      { f: 'refusal', id: 7, refusal: { why: 'lost' } },
    ],
  ])('%s', async (_words, becomes, answer) => {
    outcome = becomes;
    receive(ask);
    expect(await answered()).toStrictEqual(answer);
    expect([done, told]).toEqual([[['channel-1', { type: 'inspect' }]], []]);
  });

  const send: ChannelAsk = {
    type: 'send',
    messageId: 'message-1',
    recipient: 'someone',
    content: { type: 'text', text: 'hi' },
  };

  test.each<[string, Outcome, unknown[]]>([
    ['is counted for its node', { reply: 'done' }, [['sent for', 'two:1', 'channel-1']]],
    ['that is refused is not', { refusal: { why: 'lost' } }, []],
  ])('to send that is answered %s', async (_words, becomes, counted) => {
    outcome = becomes;
    receive({ ...ask, ask: send });
    await answered();
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([['channel-1', send], ...counted]);
  });

  test('to send is refused if its channel is given to that node', async () => {
    gives = ['two:1,channel-1'];
    receive({ ...ask, ask: send });
    const refusal = { why: 'moved', owner: 'two:1' };
    expect(await answered()).toStrictEqual({ f: 'refusal', id: 7, refusal });
    expect(done).toEqual([]);
    receive(ask);
    await until('the other answer', () => sent[1]);
    expect(done).toEqual([['channel-1', { type: 'inspect' }]]);
  });

  test('that throws is logged as an error here, and the peer gets a refusal at once', async () => {
    outcome = new Error('broken');
    receive(ask);
    expect(await answered()).toStrictEqual(internal);
    expect(told).toMatchObject([
      {
        level: 'error',
        msg: 'ask.failed',
        channel: 'channel-1',
        ask: 'inspect',
        error: { message: 'broken' },
      },
    ]);
  });

  test('to the node itself is answered', async () => {
    receive({ f: 'askNode', id: 7, ask: 'status' });
    expect(await answered()).toStrictEqual({ f: 'reply', id: 7, reply: 'a status' });
    expect(done).toEqual(['status']);
  });

  test('to the node itself that throws is logged as an error', async () => {
    outcome = new Error('broken');
    receive({ f: 'askNode', id: 7, ask: 'drain' });
    expect(await answered()).toStrictEqual(internal);
    expect(told).toMatchObject([
      { level: 'error', msg: 'ask.failed', ask: 'drain', error: { message: 'broken' } },
    ]);
  });
});

const listens: Frame = { f: 'listens', way: 'redis' };
const event: Frame = { f: 'event', channel: 'c', packet: 'AAAA' };

test.each<[string, Frame, unknown[]]>([
  [
    'a tell is told',
    { f: 'tell', channelId: 'channel-1', tell: { type: 'wake' }, frees: 'store' },
    [['channel-1', { type: 'wake' }, null]],
  ],
  [
    'a tell of an earlier build is told with its name',
    { f: 'tell', channelId: 'channel-1', tell: { type: 'wake' }, frees: 'redis' },
    [['channel-1', { type: 'wake' }, 'two:1']],
  ],
  [
    'a tell of a channel that is given settles it first',
    { f: 'tell', channelId: 'channel-1', tell: { type: 'wake' }, frees: 'store', isGiven: true },
    [
      ['settles', 'channel-1'],
      ['channel-1', { type: 'wake' }, null],
    ],
  ],
  [
    'what changed is forgotten here',
    { f: 'changed', channelId: 'channel-1', apiKeyId: null },
    [['changed', { channelId: 'channel-1', apiKeyId: null }]],
  ],
  ['a peer with subscribers is known to the feed', listens, [['feed', true, listens]]],
  ['an event goes to the feed', event, [['feed', true, event]]],
  ['members that changed are looked up', { f: 'look' }, ['look']],
  ['a peer that drains takes no channels', { f: 'drains' }, [['drains', 'two:1']]],
  ['a peer that stops is gone', { f: 'bye' }, [['drop', 'two:1']]],
  ['a ping is answered by the link, not again', { f: 'ping', id: 1 }, []],
  ['an answer to nobody is dropped', { f: 'reply', id: 1, reply: null }, []],
  ['a refusal to nobody is dropped', { f: 'refusal', id: 1, refusal: { why: 'lost' } }, []],
])('%s', (_words, frame, does) => {
  receive(frame);
  expect([done, sent]).toEqual([does, []]);
});
