import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { PendingDelivery } from '../../actors/channel/ports.ts';
import { unmatchedFrom } from '../../actors/channel/facts/unmatched.ts';
import { limits } from '../../actors/channel/limits.ts';
import { newYear } from '../domain/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { Turns, openMessage, settingsOf } from './support/turns.ts';

/** A channel that remembers as much as it may. */
function full(): Turns {
  const open = Array.from({ length: limits.sends }, (_, n) =>
    openMessage({ id: `m-${n}`, recipient: `user-${n % 5_000}`, copies: 2 }),
  );
  const turns = new Turns({ open, epoch: 2 });
  const pending = { event: 'message.read' as const, messageId: 'm', attempts: 1, firstTriedAt: newYear };
  const deliveries: PendingDelivery[] = Array.from({ length: limits.deliveries }, (_, n) => ({
    ...pending,
    id: `d-${n}`,
    nextDueAt: newYear + 60_000,
    attemptLog: null,
    createdAt: newYear,
  }));
  turns.tell({ type: 'deliveries-loaded', deliveries, storeHasMoreDeliveries: true });
  for (let n = 0; n < limits.unmatched; n += 1) {
    const unmatched = unmatchedFrom('channel-1', receiptOf({ upstreamId: `up-${n}` }), newYear);
    turns.state.facts.unmatched.set(unmatched.id, unmatched);
  }
  return turns;
}

/** Everything one turn asks for: its effects, and the writes and events in them. How long that takes is measured in bench/. */
function workOf(turnOf: (turns: Turns) => ChannelMessage, afterMs = 0): number {
  const turns = full();
  turns.now += afterMs;
  const effects = turns.effects(turnOf(turns), 1);
  return effects.reduce(
    (sum, effect) => sum + 1 + (effect.effect === 'commit' ? effect.writes.length + effect.events.length : 0),
    0,
  );
}

/** A turn of sends and one of deliveries, each effect with a write and an event, and a few for what concerns all. */
const maxWork = 6 * limits.turn + 100;

// [faults: I9, I11]
describe('with everything at its bound, what one turn asks for is bounded', () => {
  test.each([
    ['nothing is due', 0],
    ['every webhook is due', 60_000],
    ['every webhook is past its deadline, every send given up', 1_200_001],
    ['every send is given up', 600_000],
    ['every held fact expires', 15 * 60_000],
  ])('the alarm, when %s', (_case, afterMs) => {
    expect(workOf(() => ({ type: 'alarm' }), afterMs)).toBeLessThanOrEqual(maxWork);
  });

  test('what one alarm turn leaves over gets the next ones', () => {
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
