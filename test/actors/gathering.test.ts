/** [architecture §6.1] Facts that come during a commit of their channel share the next one, and each request gets its own answer. */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import { inboundOf } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { Turns } from './support/turns.ts';

const nothing: Omit<Extract<ChannelMessage, { type: 'facts-resolved' }>, 'job'> = {
  type: 'facts-resolved',
  known: [],
  conversations: [],
  delivered: [],
};

function receipts(from: number, count: number) {
  return Array.from({ length: count }, (_, n) => receiptOf({ upstreamId: `up-${from + n}` }));
}

const isLookUp = (effect: string): boolean => effect.startsWith('look up');

describe('facts that come during a commit', () => {
  test('are one job, and each request is answered once all are stored', () => {
    const turns = new Turns();
    expect(turns.ask({ type: 'take-facts', facts: receipts(1, 1) })).toEqual(['look up 1']);
    expect(turns.ask({ type: 'take-facts', facts: receipts(2, 1) })).toEqual([]);
    expect(turns.ask({ type: 'take-facts', facts: receipts(3, 2) })).toEqual([]);
    turns.tell({ ...nothing, job: 1 });
    const first = turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
    expect(first).toEqual(['→ 1: {"taken":1,"dropped":0}', 'look up 2']);
    expect(turns.tell({ ...nothing, job: 2 })).toEqual([
      'commit 2 hold r/delivered/up-2 hold r/delivered/up-3 hold r/delivered/up-4',
    ]);
    expect(turns.tell({ type: 'facts-ended', job: 2, outcome: 'committed', again: [] })).toEqual([
      '→ 2: {"taken":1,"dropped":0}',
      '→ 3: {"taken":2,"dropped":0}',
    ]);
    expect(turns.ask({ type: 'take-facts', facts: receipts(5, 1) })).toEqual(['look up 3']);
  });

  test('report to each request exactly how many of its own were dropped', () => {
    const turns = new Turns({ channel: { isActive: false } });
    turns.ask({ type: 'take-facts', facts: receipts(1, 1) });
    turns.ask({ type: 'take-facts', facts: [...receipts(2, 1), inboundOf()] });
    expect(turns.ask({ type: 'take-facts', facts: [inboundOf()] })).toEqual(['→ 3: {"taken":0,"dropped":1}']);
    turns.ask({ type: 'take-facts', facts: [...receipts(3, 2), inboundOf(), inboundOf()] });
    turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
    expect(turns.tell({ type: 'facts-ended', job: 2, outcome: 'committed', again: [] })).toEqual([
      '→ 2: {"taken":1,"dropped":1}',
      '→ 4: {"taken":2,"dropped":2}',
    ]);
  });

  test('that could not be written together are written one by one, and only those that fail again are refused', () => {
    const turns = new Turns();
    for (const n of [1, 2, 3]) turns.ask({ type: 'take-facts', facts: receipts(n, 1) });
    turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
    const failed = { type: 'facts-ended', outcome: 'failed', mayBeStored: false } as const;
    expect(turns.tell({ ...failed, job: 2 })).toEqual(['look up 3', 'look up 4']);
    expect(turns.tell({ ...failed, job: 3 })).toEqual(['✗ 2: unavailable']);
    expect(turns.tell({ type: 'facts-ended', job: 4, outcome: 'committed', again: [] })).toEqual([
      '→ 3: {"taken":1,"dropped":0}',
    ]);
  });

  test('start another job at a hundred', () => {
    const turns = new Turns();
    turns.ask({ type: 'take-facts', facts: receipts(0, 1) });
    expect(turns.ask({ type: 'take-facts', facts: receipts(1, limits.factsPerJob - 1) })).toEqual([]);
    expect(turns.ask({ type: 'take-facts', facts: receipts(200, 1) })).toEqual(['look up 2']);
    expect(turns.ask({ type: 'take-facts', facts: receipts(300, 1) })).toEqual([]);
    expect(turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] })).toEqual([
      '→ 1: {"taken":1,"dropped":0}',
    ]);
    const second = turns.tell({ type: 'facts-ended', job: 2, outcome: 'committed', again: [] });
    expect(second.at(-1)).toBe('look up 3');
  });

  test('[faults: I9] start another job at two hundred parts: each makes an event', () => {
    const turns = new Turns({ type: 'pagechat' });
    const part = { type: 'unsupported', unsupportedType: 'fallback' } as const;
    const parts = Array.from({ length: limits.parts }, () => part);
    const give = (n: number) =>
      turns.effects({ type: 'take-facts', facts: [inboundOf({ upstreamId: `in-${n}`, parts })] }, n);
    turns.ask({ type: 'take-facts', facts: receipts(0, 1) });
    const effects = Array.from({ length: 9 }, (_, n) => give(10 + n));
    const sizes = effects.map((made) =>
      made.flatMap((effect) => (effect.effect === 'commit' ? [effect.events.length] : [])),
    );
    const full = [4 * limits.parts];
    expect(sizes).toEqual([[], [], [], full, [], [], [], full, []]);
  });

  test('do not wait for a receipt of a conversation, which may take many rounds', () => {
    const turns = new Turns({ type: 'pagechat' });
    expect(turns.ask({ type: 'take-facts', facts: [readOf('pagechat')] })).toEqual(['look up 1']);
    expect(turns.ask({ type: 'take-facts', facts: receipts(1, 1) })).toEqual(['look up 2']);
    expect(turns.ask({ type: 'take-facts', facts: [readOf('pagechat', { recipient: 'noah' })] })).toEqual([
      'look up 3',
    ]);
  });

  test('delay a read of a conversation only if they are earlier and of a lower status of its person', () => {
    const turns = new Turns({ type: 'pagechat' });
    const read = (recipient: string) => readOf('pagechat', { recipient });
    const conversationDelivered = readOf('pagechat', { recipient: 'ada', status: 'delivered' });
    const give = (...facts: ChannelFact[]) => turns.ask({ type: 'take-facts', facts });
    const end = (job: number) =>
      turns.tell({ type: 'facts-ended', job, outcome: 'committed', again: [] }).filter(isLookUp);
    expect(give(receiptOf({ recipient: 'mia' }))).toEqual(['look up 1']);
    expect(give(receiptOf({ recipient: 'noah' }))).toEqual([]);
    expect(give(conversationDelivered)).toEqual(['look up 2']);
    expect(give(read('eve'))).toEqual(['look up 3']);
    expect([...give(read('mia')), ...give(read('noah')), ...give(read('ada'))]).toEqual([]);
    expect(give(receiptOf({ recipient: 'noah' }))).toEqual([]);
    expect(end(1)).toEqual(['look up 4', 'look up 5']);
    expect(end(4)).toEqual(['look up 6']);
    expect(end(2)).toEqual(['look up 7']);
  });

  test('are answered only once they are durable, and posted once', async () => {
    const channel = await LiveChannel.started();
    const mood = { store: 'well' as 'well' | 'silent' };
    channel.mood = () => mood.store;
    const told = Promise.all([1, 2, 3].map((n) => channel.facts(inboundOf({ upstreamId: `in-${n}` }))));
    expect(await told).toEqual([1, 2, 3].map(() => ({ taken: 1, dropped: 0 })));
    expect([channel.events.length, channel.posts.length]).toEqual([3, 3]);

    mood.store = 'silent'; // applied, but the answer is lost
    const unheard = [4, 5, 6].map((n) => channel.facts(inboundOf({ upstreamId: `in-${n}` })));
    for (const refused of unheard) await expect(refused).rejects.toThrow('Temporarily unavailable');
    mood.store = 'well';
    await channel.clock.pass(50);
    expect([channel.events.length, channel.posts.length]).toEqual([6, 6]);
  });
});
