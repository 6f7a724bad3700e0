import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { PendingDelivery } from '../../src/storage/journal/channel-journal.ts';
import { remember, unmatchedFrom } from '../../actors/channel/facts/unmatched.ts';
import { limits } from '../../actors/channel/limits.ts';
import { rankOf } from '../../src/rules/messages/message.ts';
import { echoOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { Turns, openMessage, settingsOf } from './support/turns.ts';

/** A channel with every bound reached. */
function full(): Turns {
  const open = Array.from({ length: limits.sends }, (_, n) =>
    openMessage({ id: `m-${n}`, recipient: `user-${n % 5_000}`, copies: 2 }),
  );
  const turns = new Turns({ open, epoch: 2 });
  const pending = {
    event: 'message.read' as const,
    messageId: 'm',
    requestId: null,
    attempts: 1,
    claims: 0,
    firstTriedAt: newYear,
  };
  const deliveries: PendingDelivery[] = Array.from({ length: limits.deliveries }, (_, n) => ({
    ...pending,
    id: `d-${n}`,
    nextDueAt: newYear + 60_000,
    attemptLog: null,
    bytes: 100,
    createdAt: newYear,
  }));
  turns.tell({ type: 'deliveries-loaded', deliveries, storeHasMoreDeliveries: true });
  for (let n = 0; n < limits.unmatched; n += 1) {
    const unmatched = unmatchedFrom(turns.state, receiptOf({ upstreamId: `up-${n}` }), newYear);
    turns.state.facts.unmatched.set(unmatched.id, unmatched);
  }
  return turns;
}

/** The size of one turn's work: its effects, with their writes and events. bench/ measures how long it takes. */
function workOf(turnOf: (turns: Turns) => ChannelMessage, afterMs = 0): number {
  const turns = full();
  turns.now += afterMs;
  const effects = turns.effects(turnOf(turns), 1);
  return effects.reduce(
    (sum, effect) => sum + 1 + (effect.effect === 'commit' ? effect.writes.length + effect.events.length : 0),
    0,
  );
}

/** One turn's limit of sends and of deliveries, each effect with a write and an event, and some effects for the whole channel. */
const maxWork = 6 * limits.turn + 100;

// [faults: I9, I11]
describe('with every bound reached, the work of one turn is bounded', () => {
  test.each([
    ['nothing is due', 0],
    ['every webhook is due', 60_000],
    ['every webhook is past its deadline, every send given up', 1_200_001],
    ['every send is given up', 600_000],
    ['every held fact expires', 15 * 60_000],
  ])('the alarm, if %s', (_case, afterMs) => {
    expect(workOf(() => ({ type: 'alarm' }), afterMs)).toBeLessThanOrEqual(maxWork);
  });

  test('what one alarm turn does not finish, the next ones do', () => {
    const turns = full();
    turns.now += 600_000;
    let ended = 0;
    for (const until = turns.now + 1_000; turns.now < until; turns.now = turns.state.wakeAt)
      ended += turns.effects({ type: 'alarm' }).filter(({ effect }) => effect === 'commit').length;
    expect(ended).toBe(limits.sends);
  });

  test.each<[string, ChannelMessage]>([
    ['a send', { type: 'send', messageId: 'new', recipient: 'mia', content: { type: 'text', text: 'x' } }],
    ['new settings', { type: 'settings-loaded', request: 1, settings: settingsOf(), ask: null }],
    ['a drain', { type: 'drain' }],
    ['a look from outside', { type: 'inspect' }],
  ])('%s', (_case, message) => {
    expect(workOf(() => message)).toBeLessThanOrEqual(maxWork);
  });

  test('one chunk of a conversation receipt', () => {
    const { message } = openMessage({ state: 'sent' });
    const covered = Array.from({ length: limits.readChunk }, (_, n) => ({ ...message, id: `read-${n}` }));
    const work = workOf((turns) => {
      turns.tell({ type: 'take-facts', facts: [readOf('pagechat')] });
      return {
        type: 'facts-resolved',
        job: turns.state.facts.nextJob - 1,
        known: [],
        conversations: [covered],
        delivered: [],
      };
    });
    expect(work).toBeLessThanOrEqual(maxWork);
  });
});

test('[faults: I9, 45] a hundred reads of conversations of twenty messages: each commit has as much as one chunk, until all are told', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  const people = Array.from({ length: 100 }, (_, n) => `user-${n}`);
  for (const recipient of people)
    for (let n = 0; n < 20; n += 1) {
      const id = `${recipient}-${n}`;
      channel.store.messages.set(id, { ...openMessage({ state: 'sent' }).message, id, recipient });
    }
  channel.largestCommit = 0;
  await channel.facts(...people.map((recipient) => readOf('pagechat', { recipient })));
  expect(channel.largestCommit).toBeLessThanOrEqual(2 * limits.readChunk);
  const ranks = new Set([...channel.store.messages.values()].map(({ rank }) => rank));
  expect([...ranks]).toEqual([rankOf('read')]);
});

test('[faults: I9] a hundred receipts of an echo with fifty parts: each commit has as much as one chunk, until all are told', async () => {
  const channel = await LiveChannel.started({ channel: { echoStatuses: true } });
  for (let n = 0; n < 50; n += 1) {
    const { message } = openMessage({
      id: `echo-${n}`,
      origin: 'echo',
      state: 'sent',
      upstreamIds: ['up-1'],
    });
    channel.store.messages.set(message.id, message);
  }
  channel.largestCommit = 0;
  const receipts = Array.from({ length: 100 }, () => receiptOf({ upstreamId: 'up-1' }));
  expect(await channel.facts(...receipts)).toEqual({ taken: 100, dropped: 0 });
  expect(channel.largestCommit).toBeLessThanOrEqual(2 * limits.readChunk + 100);
  const ranks = new Set([...channel.store.messages.values()].map(({ rank }) => rank));
  expect([...ranks]).toEqual([rankOf('delivered')]);
});

test('[faults: I9] receipts that waited for echoes with fifty parts: each commit has as much as one chunk, until all are told', async () => {
  const channel = await LiveChannel.started({ channel: { echoStatuses: true } });
  const upstreamIds = Array.from({ length: 20 }, (_, n) => `up-${n}`);
  await channel.facts(...upstreamIds.map((upstreamId) => receiptOf({ upstreamId })));
  const { messages, unmatched } = channel.store;
  for (const upstreamId of upstreamIds)
    for (let n = 0; n < 50; n += 1) {
      const id = `${upstreamId}.${n}`;
      const { message } = openMessage({ id, origin: 'echo', state: 'sent', upstreamIds: [upstreamId] });
      messages.set(id, message);
    }
  expect(unmatched.size).toBe(20);
  channel.largestCommit = 0;
  await channel.takeOver();
  expect(channel.largestCommit).toBeLessThanOrEqual(2 * limits.readChunk + 100);
  expect(new Set([...messages.values()].map(({ rank }) => rank))).toEqual(new Set([rankOf('delivered')]));
  expect(unmatched.size).toBe(0);
});

// [faults: 94, 97]
describe('the open sends are searched once for a batch, not once for each of its facts', () => {
  test.each([
    ['conversation receipts', (n: number) => readOf('pagechat', { recipient: `user-${n}`, at: newYear - 1 })],
    [
      'echoes',
      (n: number) => echoOf({ channelType: 'photoapp', upstreamId: `foreign-${n}`, recipient: `user-${n}` }),
    ],
  ])('%s', (_what, factOf) => {
    const turns = full();
    const { sends, facts } = turns.state;
    const looked = [countValues(sends.open), countValues(facts.unmatched)];
    const batch = Array.from({ length: 100 }, (_, n) => factOf(n));
    turns.tell({ type: 'take-facts', facts: batch });
    const job = facts.nextJob - 1;
    for (const each of looked) each.count = 0;
    const conversations = batch.map(() => []);
    turns.effects({ type: 'facts-resolved', job, known: [], conversations, delivered: [] });
    expect(Math.max(...looked.map(({ count }) => count))).toBeLessThanOrEqual(2);
  });

  test('held facts of an earlier owner are looked up in chunks', () => {
    const turns = full();
    turns.state.facts.toRematch = [...turns.state.facts.unmatched.values()];
    const asked: number[] = [];
    while (turns.state.facts.toRematch.length > 0) {
      const effects = turns.effects({ type: 'alarm' });
      asked.push(
        ...effects.flatMap((effect) => (effect.effect === 'resolve-facts' ? [effect.named.length] : [])),
      );
      expect(effects.filter(({ effect }) => effect === 'resolve-facts').length).toBeLessThanOrEqual(1);
      turns.now = Math.max(turns.now + 1, turns.state.wakeAt);
    }
    expect(asked.reduce((sum, count) => sum + count, 0)).toBe(limits.unmatched);
  });

  test('the oldest receipt makes room for a new one, an echo never, because it will be an event', () => {
    const turns = full();
    const held = echoOf({ channelType: 'photoapp', upstreamId: 'foreign', recipient: 'mia' });
    const echo = unmatchedFrom(turns.state, held, newYear);
    const { unmatched } = turns.state.facts;
    const others = [...unmatched.values()];
    unmatched.clear();
    for (const each of [echo, ...others]) unmatched.set(each.id, each);
    const known = unmatchedFrom(turns.state, receiptOf({ upstreamId: 'up-7' }), newYear);
    remember(turns.state, known);
    expect(unmatched.size).toBe(others.length + 1); // It was remembered already, so none made room for it.
    for (let n = 0; n < 10; n += 1)
      remember(turns.state, unmatchedFrom(turns.state, receiptOf({ upstreamId: `more-${n}` }), newYear));
    expect([unmatched.has(echo.id), unmatched.size]).toEqual([true, others.length + 1]);
  });
});

/** Counts full iterations of the map. */
function countValues(map: { values(): Iterable<unknown> }): { count: number } {
  const looks = { count: 0 };
  const values = map.values.bind(map);
  map.values = () => {
    looks.count += 1;
    return values();
  };
  return looks;
}
