/** Facts turn by turn: the answer to whoever brings them, and its time. [architecture §6.1] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { committed, facts, readOf, receiptOf, resolved } from './support/facts.ts';
import { asText, fileOf, inboundOf as inboundWith } from './support/files.ts';
import { Turns, accepted, openMessage, gone } from './support/turns.ts';

const failed = (job: number, mayBeStored = false): ChannelMessage => ({
  type: 'facts-ended',
  job,
  outcome: 'failed',
  mayBeStored,
});

describe('a request with facts', () => {
  test.each<[string, ChannelFact[], string]>([
    ['none', [], '{"taken":0,"dropped":0}'],
    ['some to a channel that is gone', [inboundOf(), receiptOf()], '{"taken":0,"dropped":2}'],
  ])('with %s is answered at once', (_, brought, answer) => {
    const turns = new Turns();
    if (brought.length > 0) turns.tell(gone);
    expect(turns.ask(facts(...brought))).toEqual([`→ 1: ${answer}`]);
    expect(turns.tell(facts(...brought))).toEqual([]);
  });

  test('without consequences is answered without a write', () => {
    const turns = new Turns({ type: 'pagechat' });
    turns.ask(facts(readOf('pagechat')));
    expect(turns.tell(resolved(1))).toEqual(['→ 1: {"taken":1,"dropped":0}']);
  });

  test('without a waiting client is processed too; of an inactive channel only statuses of its sends', () => {
    const turns = new Turns({ channel: { isActive: false } });
    expect(turns.tell(facts(inboundOf()))).toEqual([]);
    expect(turns.tell(facts(inboundOf(), receiptOf()))).toEqual(['look up 1!']);
    expect(turns.tell(resolved(1))).toEqual(['commit 1! hold r/delivered/up-1']);
  });

  test('is refused if the channel is deleted during the look-up', () => {
    const turns = new Turns();
    turns.ask(facts(receiptOf()));
    turns.tell(gone);
    expect(turns.tell(resolved(1))).toEqual(['✗ 1: unavailable']);
  });

  test.each([
    ['looked up', resolved(7)],
    ['on record', committed(7)],
    ['not on record', failed(7, true)],
  ])('is not affected by a report about an unknown job: %s', (_, message) => {
    const turns = new Turns();
    expect([turns.tell(message), turns.state.deliveriesAtWork]).toEqual([[], null]);
  });
});

describe('facts that could not be written', () => {
  test('but may be stored have their deliveries looked up in the store', () => {
    const turns = new Turns();
    turns.ask(facts(receiptOf()));
    expect(turns.tell(failed(1, true))).toEqual(['✗ 1: unavailable', 'load deliveries']);
  });

  test('and cannot be stored cause no look-up', () => {
    const turns = new Turns();
    turns.ask(facts(receiptOf()));
    expect(turns.tell(failed(1))).toEqual(['✗ 1: unavailable']);
  });

  test('and would have waited for their message cause no look-up', () => {
    const turns = new Turns();
    turns.ask(facts(receiptOf()));
    turns.tell(resolved(1));
    expect(turns.tell(failed(1))).toEqual(['✗ 1: unavailable']);
  });

  test('may be stored only if deliveries are among them', () => {
    const otherwise = (webhookEvents: 'message.received'[]): unknown => {
      const turns = new Turns({ channel: { webhookEvents } });
      const [commit] = turns.effects(facts(inboundOf()), 1);
      return commit?.effect === 'commit' ? commit.otherwise : null;
    };
    const outcome = { type: 'facts-ended', job: 1, outcome: 'failed' };
    expect([otherwise(['message.received']), otherwise([])]).toEqual([
      { ...outcome, mayBeStored: true },
      { ...outcome, mayBeStored: false },
    ]);
  });

  test('and wait for their files are looked up in the store, because upstream may not repeat them', () => {
    const turns = new Turns({ type: 'pagechat' });
    turns.ask(facts(inboundWith('a', [fileOf()])));
    expect(turns.tell(resolved(1))).toEqual(['commit 1 hold i/a']);
    expect(turns.tell(failed(1))).toEqual(['✗ 1: unavailable', `load ${limits.inbound} inbound after 0`]);
  });
});

describe('messages with files whose write fails while another one is being written', () => {
  const image = (name: string, from: string): ChannelFact => inboundWith(name, [fileOf()], from);
  const read = readOf('pagechat'); // is a job of its own, so that both writes are concurrent

  test('are looked up in the store from just before their own time', () => {
    const turns = new Turns({ type: 'pagechat' });
    turns.ask(facts(image('a', 'mia')));
    turns.ask(facts(image('b', 'tom'), read));
    for (const job of [1, 2]) turns.tell(resolved(job));
    turns.tell(committed(2));
    expect(turns.tell(failed(1))).toEqual([
      '✗ 1: unavailable',
      `load ${limits.inbound - 1} inbound after ${newYear - 1}`,
    ]);
  });

  test("keep their place if upstream repeated them: the person's next message waits behind", () => {
    const turns = new Turns({ type: 'pagechat' });
    turns.ask(facts(image('a', 'mia')));
    turns.ask(facts(image('a', 'mia'), read));
    for (const job of [1, 2]) turns.tell(resolved(job));
    turns.tell(failed(1));
    turns.ask(facts(asText('t', 'mia')));
    turns.tell(committed(2));
    expect([...turns.state.inbound.open.values()].map(({ pending, stage }) => [pending.id, stage])).toEqual([
      ['channel-1/i/a', 'open'],
      ['channel-1/i/t', 'keeping'],
    ]);
  });
});

test('a repeated text that waits already is answered at once, and delays nothing', () => {
  const turns = new Turns({ type: 'pagechat' });
  turns.ask(facts(inboundWith('a', [fileOf()], 'mia'), asText('t', 'mia')));
  turns.tell(resolved(1));
  turns.tell(committed(1));
  expect(turns.ask(facts(asText('t', 'mia')))).toEqual(['→ 2: {"taken":1,"dropped":0}']);
  expect(turns.ask(facts(receiptOf()))).toEqual(['look up 3']);
});

test('a read of more messages than one chunk takes another round, alone', () => {
  const turns = new Turns({ type: 'pagechat' });
  const { message } = openMessage({ state: 'sent' });
  const chunk = Array.from({ length: limits.readChunk }, (_, n) => ({ ...message, id: `m-${n}` }));
  const read = readOf('pagechat');
  turns.ask(facts(receiptOf({ upstreamId: 'up-9' }), read, inboundOf()));
  const first = turns.tell({
    type: 'facts-resolved',
    job: 1,
    known: [],
    conversations: [chunk],
    delivered: [],
  });
  expect(first).toEqual([expect.stringContaining('hold r/delivered/up-9')]);
  const round = turns.effects({ type: 'facts-ended', job: 1, outcome: 'committed', again: [read] });
  expect(round).toEqual([
    {
      effect: 'resolve-facts',
      job: 1,
      named: [],
      conversations: [expect.objectContaining({ recipient: 'mia', upTo: newYear })],
      deliveries: [],
      retry: false,
    },
  ]);
  const [last] = chunk;
  if (last === undefined) throw new Error('a chunk is not empty');
  expect(
    turns.tell({ type: 'facts-resolved', job: 1, known: [], conversations: [[last]], delivered: [] }),
  ).toEqual(['commit 1 message.read(m-0) m-0:read']);
  expect(turns.tell(committed(1))).toEqual(['→ 1: {"taken":3,"dropped":0}']);
  expect(turns.state.facts.unmatched.size).toBe(1);
});

describe('an upstream id that becomes known while jobs look up', () => {
  /** Two jobs whose look-up started before the answer was stored. */
  const looking = (): Turns => {
    const turns = new Turns().sent('m-1');
    turns.tell(facts(receiptOf()));
    turns.tell(facts(receiptOf({ status: 'read' })));
    turns.answered('m-1', accepted('up-1'));
    return turns;
  };

  test('is matched with the waiting facts of each job, and remembered until the last job has ended', () => {
    const turns = looking();
    turns.tell(resolved(1));
    expect(turns.tell(committed(1))).toEqual(['look up 3!']);
    expect(turns.state.facts.learnedLately.size).toBe(1);
    turns.tell(resolved(2));
    expect(turns.tell(committed(2))).toEqual(['look up 4!']);
    expect(turns.state.facts.learnedLately.size).toBe(0);
  });

  test('is found by a later job, which need not look up again', () => {
    const turns = looking();
    turns.tell(facts(receiptOf({ status: 'sent' })));
    turns.tell(resolved(3));
    expect(turns.tell(committed(3))).toEqual([]);
  });

  test('that no fact waits for causes no look-up', () => {
    const turns = new Turns().sent('m-1');
    turns.answer('m-1', accepted('up-1'));
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual([]);
  });
});
