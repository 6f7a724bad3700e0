/** Deliveries turn by turn: which is posted if slots are scarce, how many end in one turn, and manual retries. */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { nothingKept } from '../../actors/channel/deliveries/state.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { PendingDelivery } from '../../src/storage/journal/channel-journal.ts';
import { minuteMs } from '../../src/kernel/clock.ts';
import { makeDeliveryId } from '../../src/rules/events/built.ts';
import { newYear } from '../rules/samples.ts';
import { answer, down, pendingOf, up } from './support/deliveries.ts';
import { Turns, rules, gone } from './support/turns.ts';

const deadline = newYear - minuteMs + rules.webhookDeadlineMs;

const found = (deliveries: PendingDelivery[], storeHasMoreDeliveries = false): ChannelMessage => ({
  type: 'deliveries-loaded',
  deliveries,
  storeHasMoreDeliveries,
});
const recorded = (deliveryId: string, ended = true): ChannelMessage => ({
  type: 'attempt-recorded',
  deliveryId,
  ended,
  kept: 0,
});
const askedFor = (fields: Partial<PendingDelivery> = {}): ChannelMessage => ({
  type: 'retry-delivery',
  delivery: pendingOf(fields),
});
const many = (count: number, fields: Partial<PendingDelivery>): PendingDelivery[] =>
  Array.from({ length: count }, (_, n) => pendingOf({ id: `d-${n}`, ...fields }));

/** Every slot is taken, by `out-0` and so on. */
function allPlacesTaken(): Turns {
  const turns = new Turns();
  const out = Array.from({ length: limits.posts }, (_, n) => pendingOf({ id: `out-${n}` }));
  expect(turns.tell(found(out))).toHaveLength(limits.posts);
  return turns;
}

describe('the parts of a message', () => {
  const part = (messageId: string, attempts: number, nextDueAt = newYear): PendingDelivery =>
    pendingOf({
      id: makeDeliveryId('channel-1', messageId, 'message.received'),
      messageId,
      attempts,
      nextDueAt,
    });
  const posted = (...parts: PendingDelivery[]): number[] =>
    new Turns().tell(found(parts)).map((line) => Number(/attempt (\d)/.exec(line)?.[1]));

  test('the second waits for the first attempt of the first', () => {
    expect(posted(part('in-1', 0), part('in-1.2', 0))).toEqual([1]);
  });

  test.each([
    ['is gone', [part('in-1.2', 0)], [1]],
    ['was tried once and waits', [part('in-1', 1, newYear + minuteMs), part('in-1.2', 0)], [1]],
  ])('the second is posted if the first %s', (_, parts, attempts) => {
    expect(posted(...parts)).toEqual(attempts);
  });

  test('the second is posted once the first is delivered, even before that is stored', () => {
    const turns = new Turns();
    const first = part('in-1', 0);
    turns.tell(found([first, part('in-1.2', 0)]));
    expect(turns.tell(answer(up, first.id))).toEqual([
      `record ${first.id}:delivered#1`,
      expect.stringMatching(/^post .* attempt 1 claimed$/),
    ]);
  });

  test('the second, once it was tried, does not wait for the first', () => {
    expect(posted(part('in-1', 0), part('in-1.2', 1))).toEqual([1, 2]);
  });

  test('[faults: I9] the part before each of a thousand is identified once, however many POSTs end meanwhile', () => {
    let reads = 0;
    const waiting = Array.from({ length: 1_000 }, (_, n) => {
      const messageId = `in-1.${n + 2}`;
      const counted = {
        get: () => {
          reads += 1;
          return messageId;
        },
      };
      return Object.defineProperty(part(messageId, 0), 'messageId', counted);
    });
    const turns = new Turns();
    const out = many(limits.posts - 1, {});
    turns.tell(found([...out, part('in-1', 0), ...waiting]));
    for (const { id } of out) turns.tell(answer(up, id));
    expect(turns.state.deliveries.posts).toBe(1);
    expect(reads).toBeLessThan(5_000); // asked for each POST that ends: 31,000
  });
});

describe('at the deadline', () => {
  function waiting(): Turns {
    const turns = new Turns();
    turns.tell(gone);
    expect(turns.tell(found([pendingOf()]))).toEqual([]);
    return turns;
  }

  test('a delivery that is ready but blocked sets the alarm, and fails a moment after the deadline', () => {
    const turns = waiting();
    expect(turns.state.wakeAt).toBe(newYear);
    turns.tell({ type: 'alarm' });
    expect(turns.state.wakeAt).toBe(deadline + 1);
    turns.now = deadline;
    expect([turns.tell({ type: 'alarm' }), turns.state.wakeAt]).toEqual([[], deadline + 1]);
    turns.now = deadline + 1;
    expect(turns.tell({ type: 'alarm' })).toEqual(['record d-1:failed#1']);
  });

  test('a delivery that becomes ready sets the alarm', () => {
    const turns = waiting();
    turns.tell({ type: 'alarm' });
    turns.state.wakeAt = Infinity;
    turns.tell(found([pendingOf({ id: 'd-2' })]));
    expect(turns.state.wakeAt).toBe(deadline + 1);
  });

  test('an outcome that is being written is kept', () => {
    const turns = new Turns();
    turns.tell(found([pendingOf()]));
    turns.tell(answer(down));
    turns.now = deadline + 1;
    expect(turns.tell({ type: 'alarm' })).toEqual([]);
  });

  test('of hundreds, one turn fails some, the next one the rest', () => {
    const atOnce = limits.turn / 2; // each makes a record and a log line
    const turns = new Turns({ deliveries: many(atOnce + 1, { nextDueAt: newYear + minuteMs }) });
    turns.now = deadline + 1;
    expect(turns.tell({ type: 'alarm' })).toHaveLength(atOnce);
    expect(turns.state.wakeAt).toBe(turns.now + 1);
    turns.now += 1;
    expect(turns.tell({ type: 'alarm' })).toEqual([`record d-${atOnce}:failed#1 mail:webhook-alert`]);
  });

  test('a delivery that failed while it waited for a slot takes none', () => {
    const turns = allPlacesTaken();
    turns.tell(found([pendingOf()]));
    turns.now = deadline + 1;
    expect(turns.tell({ type: 'alarm' })).toEqual([expect.stringMatching(/^record d-1:failed#1/)]);
    turns.tell(recorded('d-1'));
    expect(turns.tell(answer(up, 'out-0'))).toEqual(['record out-0:delivered#2']);
  });

  test.each([
    [null, newYear],
    [newYear - minuteMs, newYear - minuteMs],
  ])('a quarantined delivery, first tried at %p, is stored with first attempt %p', (firstTriedAt, since) => {
    const turns = new Turns({ deliveries: [pendingOf({ claims: limits.deliveryCrashes, firstTriedAt })] });
    expect(turns.effects({ type: 'delivery-quarantined', deliveryId: 'd-1' })[0]).toMatchObject({
      writes: [{ attempt: { firstTriedAt: since } }, { write: 'addMail' }],
    });
  });
});

describe('a report about an unknown delivery', () => {
  test.each<[string, ChannelMessage]>([
    ['a POST that was answered', answer(up, 'd-9')],
    ['a POST that was put off', { type: 'post-ended', deliveryId: 'd-9', outcome: 'postponed' }],
    ['an outcome on record', recorded('d-9', false)],
  ])('%s: no effects', (_, message) => {
    expect(new Turns().tell(message)).toEqual([]);
  });
});

test('a channel without kept deliveries shares the empty object with the others', () => {
  const turns = new Turns();
  turns.tell(found([pendingOf()]));
  turns.tell(answer(up));
  turns.tell(recorded('d-1'));
  expect(turns.state.kept).toBe(nothingKept);
});

test.each([
  [limits.deliveries / 2, [{ effect: 'load-deliveries', limit: limits.deliveries, inOrder: false }]],
  [limits.deliveries / 2 + 1, []],
])('with %i remembered, does the store have to be read on: %j', (count, effects) => {
  expect(new Turns().effects(found(many(count, { nextDueAt: newYear + minuteMs }), true))).toEqual(effects);
});

describe('a replay', () => {
  const order = { id: 'replay-1', since: 0, until: newYear, events: null };
  const kept = many(limits.replayed / 2, { attempts: 0, firstTriedAt: null }).map((delivery) => ({
    ...delivery,
    keptSince: newYear,
  }));

  test.each([
    [limits.deliveries / 2 - 1, [expect.objectContaining({ effect: 'read-replay', limit: 1 })]],
    [limits.deliveries / 2, []],
  ])('with %i remembered uses at most half of the room', (count, effects) => {
    const turns = new Turns({ deliveries: many(count, { nextDueAt: newYear + minuteMs }) });
    expect(turns.effects({ type: 'replay' })).toEqual(effects);
  });

  test('reads on once half of its batch has been tried', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    turns.tell({ type: 'replay-read', order, kept });
    const lines = turns.tell({ type: 'deliveries-revived', revived: kept, isUncertain: false, ask: null });
    expect(lines).toHaveLength(limits.replayed / 2 + 1);
    expect(lines.at(-1)).toBe('read replay replay-1');
  });

  test('that has ended meanwhile still has the revived deliveries posted, and answers nobody', () => {
    const revived = [pendingOf({ attempts: 0, firstTriedAt: null })];
    expect(new Turns().tell({ type: 'deliveries-revived', revived, isUncertain: false, ask: null })).toEqual([
      'post d-1 attempt 1 claimed',
    ]);
  });

  test('whose next delivery is still being written reads on once that is stored, not before', () => {
    const turns = new Turns();
    turns.tell(found([pendingOf({ attempts: 7 })]));
    turns.tell(answer(down));
    turns.tell({ type: 'replay' });
    const [, ...behind] = kept;
    const next = [{ ...pendingOf(), keptSince: newYear }, ...behind];
    expect(turns.tell({ type: 'replay-read', order, kept: next })).toEqual([]);
    expect(turns.tell({ type: 'alarm' })).toEqual([]);
    expect(turns.tell(recorded('d-1'))).toEqual(['read replay replay-1']);
  });

  test('that waited for a delivery reads on while that one is retried', () => {
    const turns = new Turns();
    turns.tell(found([pendingOf({ attempts: 7 })]));
    turns.tell(answer(down));
    turns.tell({ type: 'replay' });
    const waitedFor = { ...kept[0]!, id: 'd-1' };
    turns.tell({ type: 'replay-read', order, kept: [waitedFor] });
    turns.tell(recorded('d-1'));
    turns.tell({ type: 'replay-read', order, kept: [waitedFor] });
    const revived = [pendingOf({ attempts: 0, firstTriedAt: null })];
    expect(turns.tell({ type: 'deliveries-revived', revived, isUncertain: false, ask: null })).toEqual([
      'post d-1 attempt 1 claimed',
      'read replay replay-1',
    ]);
  });
});

describe('a manual retry', () => {
  test('that nobody waits for has no effect', () => {
    expect(new Turns().tell(askedFor())).toEqual([]);
  });

  test('is overloaded if the owner drains', () => {
    const turns = new Turns();
    turns.tell({ type: 'drain' });
    expect(turns.effects(askedFor(), 3)).toEqual([
      { effect: 'refuse', asks: [3], code: 'overloaded', details: {} },
    ]);
  });

  test('is refused with the reason if the settings are gone', () => {
    const turns = new Turns();
    turns.tell(gone);
    const why = 'The channel no longer asks for this event: nothing to retry';
    expect(turns.effects(askedFor(), 3)).toEqual([
      { effect: 'refuse', asks: [3], code: 'conflict', details: { why } },
    ]);
  });

  test.each([
    [2 * limits.deliveries - 1, ['post asked attempt 2 claimed', '→ 1: retrying']],
    [2 * limits.deliveries, ['✗ 1: overloaded']],
  ])('with %i remembered: %j', (count, lines) => {
    const turns = new Turns({ deliveries: many(count, { nextDueAt: newYear + minuteMs }) });
    expect(turns.ask(askedFor({ id: 'asked' }))).toEqual(lines);
  });

  test.each([
    ['waits for a place', newYear],
    ['is not due', newYear + minuteMs],
  ])('of a delivery that %s is posted next, once', (_, nextDueAt) => {
    const turns = allPlacesTaken();
    turns.tell(found([pendingOf({ id: 'first' }), pendingOf({ id: 'asked', nextDueAt })]));
    expect(turns.ask(askedFor({ id: 'asked' }))).toEqual(['→ 1: retrying']);
    const next = ['out-0', 'out-1', 'out-2'].map((id) => turns.tell(answer(up, id)).slice(1));
    expect(next).toEqual([['post asked attempt 2 claimed'], ['post first attempt 2 claimed'], []]);
  });

  test('of a delivery that was never tried is the first attempt of its schedule', () => {
    const turns = new Turns();
    const own = { attempts: 0, firstTriedAt: null, nextDueAt: newYear + minuteMs };
    turns.tell(found([pendingOf(own)]));
    expect(turns.ask(askedFor(own))).toEqual(['post d-1 attempt 1 claimed', '→ 1: retrying']);
    expect(turns.tell(answer(down))).toEqual(['record d-1:pending#1']);
  });

  test('of a delivery that crashed an owner waits for its turn, although it is not due', () => {
    const turns = new Turns();
    const own = { claims: 1, nextDueAt: newYear + minuteMs };
    turns.tell(found([pendingOf(own)]));
    expect(turns.ask(askedFor(own))).toEqual(['await the turn of d-1', '→ 1: retrying']);
  });

  test.each([
    ['is due later', minuteMs],
    ['would be due at once', 500],
  ])(
    'of a delivery that %s, if the node was busy, is made then, but a second later at the earliest',
    (_, dueMs) => {
      const turns = new Turns();
      turns.tell(found([pendingOf({ nextDueAt: newYear + dueMs })]));
      turns.ask(askedFor());
      turns.tell({ type: 'post-ended', deliveryId: 'd-1', outcome: 'postponed' });
      const afterMs = Math.max(dueMs, limits.retryPauseMs);
      expect([turns.pass(afterMs - 1), turns.pass(1)]).toEqual([[], ['post d-1 attempt 2 claimed']]);
    },
  );
});

describe('deliveries of the previous owner', () => {
  const came = (deliveryId: string): ChannelMessage => ({ type: 'turn-came', deliveryId });

  test('report as many lost attempts as their claims say', () => {
    const turns = new Turns({ deliveries: [pendingOf({ claims: 2, attempts: 2 })] });
    expect(turns.effects(came('d-1'))).toMatchObject([{ effect: 'post-webhook', lost: 2 }]);
  });

  test('the first ones that were never tried may have been in flight, after those that were tried', () => {
    const tried = many(limits.posts, { nextDueAt: newYear + minuteMs });
    const turns = new Turns({ deliveries: [...tried, pendingOf({ id: 'new', attempts: 0 })] });
    expect(turns.tell(came('new'))).toEqual(['post new attempt 1 claimed']);
  });
});
