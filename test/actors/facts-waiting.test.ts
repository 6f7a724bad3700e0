/** Facts that wait for their message: how long, and what matches them. [operator-interface §4: a status whose message is not known yet] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { newFacts, reopenUnmatched } from '../../actors/channel/facts/state.ts';
import { forget, remember, unmatchedFrom, waitsUntil } from '../../actors/channel/facts/unmatched.ts';
import { statusTime } from '../../actors/channel/status-times.ts';
import { limits } from '../../actors/channel/limits.ts';
import { echoOf, newYear } from '../rules/samples.ts';
import { committed, facts, readOf, receiptOf, resolved } from './support/facts.ts';
import { Turns, accepted, openMessage, reloaded } from './support/turns.ts';

describe('a fact that waits for its message', () => {
  const { state } = new Turns({ type: 'photoapp' });

  test('waits for 15 minutes, and an echo for 10 s, although it is stored for ninety days', () => {
    const receipt = unmatchedFrom(state, receiptOf(), newYear);
    const echo = unmatchedFrom(state, echoOf({ channelType: 'photoapp', upstreamId: 'foreign' }), newYear);
    expect([receipt.expiresAt, receipt.dueAt, waitsUntil(receipt)]).toEqual([
      newYear + 900_000,
      null,
      newYear + 900_000,
    ]);
    expect([echo.expiresAt, echo.dueAt, waitsUntil(echo)]).toEqual([
      newYear + 90 * 86_400_000,
      newYear,
      newYear + 10_000,
    ]);
  });

  test('sets the alarm for the end of its time, and is dropped then in one write', () => {
    const turns = new Turns();
    for (const upstreamId of ['up-1', 'up-2'])
      remember(turns.state, unmatchedFrom(turns.state, receiptOf({ upstreamId }), turns.now));
    expect(turns.pass(899_999)).toEqual([]);
    expect(turns.pass(1)).toEqual(['record drop r/delivered/up-1 r/delivered/up-2']);
    expect(turns.state.factsAtWork).toBeNull();
  });

  test('is logged when it is dropped: count and channel', () => {
    const turns = new Turns();
    remember(turns.state, unmatchedFrom(turns.state, receiptOf(), turns.now));
    turns.now += limits.unmatchedMs;
    expect(turns.effects({ type: 'alarm' }).at(-1)).toEqual({
      effect: 'log',
      event: 'facts.unmatched',
      fields: { channel: 'channel-1', count: 1 },
    });
  });

  test('that is a read of a conversation is dropped without a log line, because it may cover no further message', () => {
    const turns = new Turns({ type: 'pagechat' });
    remember(turns.state, unmatchedFrom(turns.state, readOf('pagechat'), turns.now));
    turns.now += limits.unmatchedMs;
    const effects = turns.effects({ type: 'alarm' });
    expect(effects).toEqual([expect.objectContaining({ effect: 'commit' })]);
  });

  test.each([
    ['delivered', receiptOf({ status: 'delivered' })],
    ['read', receiptOf({ status: 'read' })],
    ['sent', receiptOf({ status: 'sent' })],
    ['failed', receiptOf({ status: 'failed' })],
    ['an echo', echoOf({ channelType: 'photoapp', upstreamId: 'up-1', recipient: 'mia' })],
    ['a conversation that was read', readOf('photoapp')],
    ['a conversation that was delivered', readOf('photoapp', { status: 'delivered' })],
  ])("is looked up when upstream's answer names it: %s", (_, fact) => {
    const turns = new Turns({ type: 'photoapp' }).sent('m-1');
    remember(turns.state, unmatchedFrom(turns.state, fact, turns.now));
    turns.answer('m-1', accepted('up-1'));
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual(['look up 1!']);
  });

  test('keeps its first time, however often it is repeated with another time', () => {
    const turns = new Turns();
    const take = (job: number, at: number): string[] => {
      turns.tell(facts(receiptOf({ at })));
      const lines = turns.tell(resolved(job));
      turns.tell(committed(job));
      return lines;
    };
    expect([take(1, newYear), take(2, newYear + 5_000)]).toEqual([['commit 1! hold r/delivered/up-1'], []]);
  });

  test.each([
    ['another message', receiptOf({ upstreamId: 'up-2' })],
    ['another person’s conversation', readOf('photoapp', { recipient: 'noah' })],
  ])('stays if the answer names %s', (_, fact) => {
    const turns = new Turns({ type: 'photoapp' }).sent('m-1');
    remember(turns.state, unmatchedFrom(turns.state, fact, turns.now));
    turns.answer('m-1', accepted('up-1'));
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual([]);
  });

  test('continues to wait if it still cannot be matched, and is decided at the end of its time', () => {
    const turns = new Turns().sent('m-1');
    turns.tell(facts(receiptOf()));
    turns.tell(resolved(1));
    turns.tell(committed(1));
    turns.answered('m-1', accepted('up-1'));
    // The store does not know the message yet.
    expect(turns.tell(resolved(2))).toEqual([]);
    expect(turns.state.facts.unmatched.size).toBe(1);
    expect(turns.pass(limits.unmatchedMs)).toEqual(['record drop r/delivered/up-1']);
  });
});

describe('facts that waited under the previous owner', () => {
  const waiting = (turns: Turns, count: number) =>
    Array.from({ length: count }, (_, n) =>
      unmatchedFrom(turns.state, receiptOf({ upstreamId: `up-${n}` }), turns.now),
    );

  test('are looked up one chunk per turn, the next one a moment later', () => {
    const turns = new Turns();
    reopenUnmatched(turns.state.facts, waiting(turns, limits.readChunk + 1));
    expect(turns.tell({ type: 'alarm' })).toEqual(['look up 1!']);
    expect(turns.state.wakeAt).toBe(turns.now + 1);
    expect(turns.pass(1)).toEqual(['look up 2!']);
    expect(turns.state.wakeAt).toBe(newYear + limits.unmatchedMs);
  });

  test('are skipped if they have been dropped or replaced', () => {
    const turns = new Turns();
    const [dropped, replaced, stays] = waiting(turns, 3);
    if (dropped === undefined || replaced === undefined || stays === undefined) throw new Error('three');
    reopenUnmatched(turns.state.facts, [dropped, replaced, stays]);
    turns.state.facts.unmatched.delete(dropped.id);
    turns.state.facts.unmatched.set(replaced.id, {
      ...replaced,
      fact: receiptOf({ upstreamId: 'up-1', at: 5 }),
    });
    const named = turns
      .effects({ type: 'alarm' })
      .flatMap((effect) => (effect.effect === 'resolve-facts' ? [effect.named] : []));
    expect(named).toEqual([[{ id: null, upstreamId: 'up-2' }]]);
  });

  test('that are loaded again while they are matched are not written again', () => {
    const turns = new Turns({ epoch: 2 });
    const [found] = waiting(turns, 1);
    if (found === undefined) throw new Error('one');
    reopenUnmatched(turns.state.facts, [found]);
    turns.tell({ type: 'alarm' });
    const { message } = openMessage({ state: 'sent', upstreamIds: ['up-0'] });
    const matched: ChannelMessage = {
      type: 'facts-resolved',
      job: 1,
      known: [message],
      conversations: [],
      delivered: [],
    };
    expect(turns.tell(matched)).toEqual([
      'commit 1! message.delivered(m-1) m-1:delivered=up-0 drop r/delivered/up-0',
    ]);
    turns.tell(reloaded({ unmatched: [structuredClone(found)] }));
    expect(turns.tell(committed(1))).toEqual([]);
  });

  /** The number of facts in each look-up that the alarm begins. */
  const lookedUp = (turns: Turns): number[] =>
    turns
      .effects({ type: 'alarm' })
      .flatMap((effect) => (effect.effect === 'resolve-facts' ? [effect.named.length] : []));

  test.each([
    ['one part', 1, limits.readChunk],
    ['fifty parts, each of which makes an event', 50, 10],
  ])('of echoes with %s are decided in chunks, so that no turn is long', (_, length, chunk) => {
    const left = new Turns({ type: 'photoapp' });
    const ended = new Turns({ type: 'photoapp' });
    const parts = Array.from({ length }, () => ({ type: 'text' as const, text: 'Hello' }));
    const echoes = Array.from({ length: chunk + 1 }, (_each, n) =>
      unmatchedFrom(left.state, echoOf({ channelType: 'photoapp', upstreamId: `e-${n}`, parts }), newYear),
    );
    reopenUnmatched(left.state.facts, echoes);
    for (const echo of echoes) remember(ended.state, echo);
    ended.now += 60_000;
    for (const turns of [left, ended]) {
      expect([lookedUp(turns), turns.state.wakeAt]).toEqual([[chunk], turns.now + 1]);
      turns.now += 1;
      expect([lookedUp(turns), lookedUp(turns)]).toEqual([[1], []]);
    }
  });
});

describe('a waiting read of more messages than one chunk', () => {
  const read = readOf('pagechat', { at: newYear + 20_000 });
  const { message } = openMessage({ state: 'sent', attemptedAt: newYear });
  const found = (...covered: (typeof message)[]): ChannelMessage => ({
    type: 'facts-resolved',
    job: 1,
    known: [],
    conversations: [covered],
    delivered: [],
  });
  const nextRound: ChannelMessage = { type: 'facts-ended', job: 1, outcome: 'committed', again: [read] };
  const inSecondRound = (): Turns => {
    const turns = new Turns({ type: 'pagechat' });
    reopenUnmatched(turns.state.facts, [unmatchedFrom(turns.state, read, newYear)]);
    turns.now += 10_000;
    turns.tell({ type: 'alarm' });
    const chunk = Array.from({ length: limits.readChunk }, (_, n) => ({ ...message, id: `m-${n}` }));
    expect(turns.tell(found(...chunk))).toEqual([expect.not.stringContaining(' drop ')]);
    expect(turns.tell(nextRound)).toEqual(['look up 1!']);
    return turns;
  };

  test('is kept until its last round', () => {
    const turns = inSecondRound();
    expect(turns.state.facts.unmatched.size).toBe(1);
    expect(turns.tell(found())).toEqual(['commit 1! drop c/read/mia']);
    expect(turns.tell(committed(1))).toEqual([]);
    expect(turns.state.facts.unmatched.size).toBe(0);
  });

  test('waits on after its last round if a send that it covers is in flight', () => {
    const turns = inSecondRound();
    turns.sent('sent-now');
    expect(turns.tell(found())).toEqual([]);
    expect(turns.state.facts.unmatched.size).toBe(1);
  });
});

describe('a read does not cover what was sent after its arrival, which upstream may mean by a time in seconds,', () => {
  const read = readOf('pagechat');
  const arrival = newYear + 100;
  const sentAt = (id: string, attemptedAt: number) => openMessage({ id, state: 'sent', attemptedAt }).message;
  const [before, after] = [sentAt('before', newYear), sentAt('after', arrival + 20)];
  const found = (job: number, ...covered: (typeof before)[]): ChannelMessage => ({
    type: 'facts-resolved',
    job,
    known: [],
    conversations: [covered],
    delivered: [],
  });
  const nextRound = (job: number): ChannelMessage => ({
    type: 'facts-ended',
    job,
    outcome: 'committed',
    again: [read],
  });
  const chunk = Array.from({ length: limits.readChunk }, (_, n) => sentAt(`m-${n}`, newYear));
  const arrived = (): Turns => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1');
    turns.now = arrival;
    turns.ask(facts(read));
    turns.now += 50;
    return turns;
  };

  test('however long the look-up takes', () => {
    expect(arrived().tell(found(1, before, after))).toEqual([
      'commit 1 message.read(before) before:read hold c/read/mia',
    ]);
  });

  test('however many rounds it takes', () => {
    const turns = arrived();
    turns.tell(found(1, ...chunk));
    turns.tell(nextRound(1));
    turns.now += 50;
    expect(turns.tell(found(1, before, after))).toEqual([
      'commit 1 message.read(before) before:read hold c/read/mia',
    ]);
  });

  test('however long it waits, and however many rounds it takes then', () => {
    const turns = arrived();
    turns.tell(found(1));
    turns.tell(committed(1));
    turns.now += 5_000;
    turns.answered('m-1', accepted('up-1'));
    turns.tell(found(2, ...chunk));
    turns.tell(nextRound(2));
    turns.now += 50;
    expect(turns.tell(found(2, before, after))).toEqual([
      'commit 2! message.read(before) before:read drop c/read/mia',
    ]);
  });
});

describe('of two waiting reads of one conversation', () => {
  const waiting = (until: number, at = until) => {
    const { state } = new Turns({ type: 'pagechat' });
    return unmatchedFrom(
      state,
      readOf('pagechat', { upTo: until === 0 ? null : newYear + until, at: newYear + at }),
      newYear,
    );
  };

  test('the later one is kept, and is written again if the earlier one was written after it', () => {
    const { state } = new Turns({ type: 'pagechat' });
    const [early, late] = [waiting(100), waiting(200)];
    expect([remember(state, late), remember(state, early)]).toEqual([null, late]);
    expect([...state.facts.unmatched.values()]).toEqual([late]);
    expect([remember(state, waiting(200)), remember(state, waiting(300))]).toEqual([null, null]);
  });

  test('the time up to which a read reaches decides, or its own time if it has none', () => {
    const { state } = new Turns({ type: 'pagechat' });
    const [byUntil, byTime] = [waiting(100, 900), waiting(0, 500)];
    expect([remember(state, byTime), remember(state, byUntil)]).toEqual([null, byTime]);
  });

  test('the one that was added while the other was dropped is written again', () => {
    const { state } = new Turns({ type: 'pagechat' });
    const [early, late] = [waiting(100), waiting(200)];
    remember(state, early);
    remember(state, late);
    expect([forget(state, early), forget(state, late), forget(state, late)]).toEqual([late, null, null]);
  });

  test('[faults: I1] the later one is not erased with the one that it has replaced', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1');
    turns.tell(facts(readOf('pagechat')));
    turns.tell(resolved(1));
    turns.tell(committed(1));
    turns.now += 1_000;
    expect(turns.answered('m-1', accepted('up-1')).state.facts.jobs.size).toBe(1);
    turns.sent('m-2');
    turns.tell(facts(readOf('pagechat', { at: newYear + 1_500 })));
    expect(turns.tell(resolved(3))).toEqual(['commit 3! hold c/read/mia']);
    turns.tell(committed(3));
    const { message } = openMessage({ state: 'sent' });
    const matched: ChannelMessage = {
      type: 'facts-resolved',
      job: 2,
      known: [],
      conversations: [[message]],
      delivered: [],
    };
    expect(turns.tell(matched)).toEqual(['commit 2! message.read(m-1) m-1:read']);
    expect(turns.tell(committed(2))).toEqual([]);
    expect(turns.state.facts.unmatched.size).toBe(1);
  });

  test('a later one replaces the stored one, an earlier one changes nothing', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1');
    const take = (job: number, at: number): string[] => {
      turns.tell(facts(readOf('pagechat', { at: newYear + at })));
      const lines = turns.tell(resolved(job));
      turns.tell(committed(job));
      return lines;
    };
    expect([take(1, 200), take(2, 100), take(3, 200), take(4, 201)]).toEqual([
      ['commit 1! hold c/read/mia'],
      [],
      [],
      ['commit 4! hold c/read/mia'],
    ]);
  });
});

describe('the time of a status', () => {
  test("is upstream's, but never before the previous status, stored or remembered", () => {
    const state = { facts: newFacts(1) };
    expect([
      statusTime(state, 'm-1', 500, null),
      statusTime(state, 'm-1', 400, null),
      statusTime(state, 'm-1', 400, 700),
      statusTime(state, 'm-1', 600, null),
      statusTime(state, 'm-2', 100, null),
    ]).toEqual([500, 500, 700, 700, 100]);
  });

  test('is remembered for the latest messages only', () => {
    const state = { facts: newFacts(1) };
    for (let n = 0; n < limits.statusTimes; n += 1) statusTime(state, `m-${n}`, 500, null);
    statusTime(state, 'm-0', 500, null);
    statusTime(state, 'new', 500, null);
    expect(state.facts.statusTimes.size).toBe(limits.statusTimes);
    expect(['m-0', 'm-1', 'm-2'].map((id) => state.facts.statusTimes.has(id))).toEqual([true, false, true]);
  });
});
