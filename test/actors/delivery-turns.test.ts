/** Deliveries turn by turn: what a turn does if the channel's settings, its owner or the delivery are gone meanwhile. */
import { describe, expect, test } from '@jest/globals';
import type { ChannelEffect, ChannelMessage } from '../../actors/channel/messages.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { KeptDelivery, PendingDelivery } from '../../src/storage/journal/channel-journal.ts';
import type { MailLine } from '../../src/storage/journal/writes.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import { newYear } from '../rules/samples.ts';
import { answer, down, pendingOf, up } from './support/deliveries.ts';
import { Turns, gone, rules } from './support/turns.ts';
import { hourMs, minuteMs } from '../../src/kernel/clock.ts';

function withPending(...deliveries: PendingDelivery[]): Turns {
  return new Turns({ deliveries });
}

function mailIn(effects: readonly ChannelEffect[]): MailLine[] {
  const writes = effects.flatMap((effect) => (effect.effect === 'commit' ? effect.writes : []));
  return writes.flatMap((write) => (write.write === 'addMail' ? [write.mail] : []));
}

describe('a delivery that an earlier owner left', () => {
  const longest = Math.max(...rules.webhookRetryDelaysMs);

  test.each([
    ['at the end of the longest pause waits for its time', longest, 'pending'],
    ['hours ahead was dated by a clock that was: it is posted [faults: 535]', 5 * hourMs, 'posting'],
  ])('due %s', (_, ms, stage) => {
    const turns = withPending(pendingOf({ nextDueAt: newYear + ms }));
    expect(turns.state.deliveries.open.get('d-1')?.stage).toBe(stage);
  });
});

describe('a suspect', () => {
  const suspected = (): Turns => withPending(pendingOf({ claims: 1 }));
  const came: ChannelMessage = { type: 'turn-came', deliveryId: 'd-1' };

  test('is posted when its turn comes', () => {
    expect(suspected().tell(came)).toEqual(['post d-1 attempt 2 claimed']);
  });

  test.each([
    ['of a channel that has forgotten its deliveries', new Turns(), came],
    ['that is unknown', suspected(), { type: 'turn-came', deliveryId: 'd-2' } as const],
    [
      'that is put aside twice',
      withPending(pendingOf()),
      { type: 'delivery-quarantined', deliveryId: 'd-1' } as const,
    ],
  ])('%s has no effect', (_, turns, message) => {
    expect(turns.tell(message)).toEqual([]);
  });

  test('of a channel whose settings are gone waits for them', () => {
    const turns = suspected();
    turns.tell(gone);
    expect([turns.tell(came), turns.state.deliveries.open.get('d-1')?.stage]).toEqual([[], 'pending']);
  });

  test('that is quarantined is not kept for a replay, even if the channel keeps failed deliveries', () => {
    const turns = new Turns({
      channel: { failedRetentionDays: 7 },
      deliveries: [pendingOf({ claims: limits.deliveryCrashes })],
    });
    const effects = turns.effects({ type: 'delivery-quarantined', deliveryId: 'd-1' });
    expect(effects[0]).toMatchObject({ report: { type: 'attempt-recorded', ended: true, kept: 0 } });
  });
});

describe('an event that an operator retries', () => {
  const told = { event: 'message.received', messageId: 'm-1', at: newYear, data: {}, again: 7 } as const;

  test('is one event, delivered if the channel subscribes to it', () => {
    expect(new Turns().ask({ type: 'emit', told })).toEqual(['record message.received → 1: emitted']);
    const [commit] = new Turns().effects({ type: 'emit', told }, 1);
    expect(commit).toMatchObject({ effect: 'commit', writes: [], events: [told], deliveries: [told] });
  });

  test('is refused if the receiver asks for it no more: it would be told to nobody', () => {
    const [refused, ...more] = new Turns({ channel: { webhookEvents: [] } }).effects(
      { type: 'emit', told },
      3,
    );
    expect(refused).toMatchObject({ effect: 'refuse', asks: [3], code: 'conflict' });
    expect(more).toEqual([]);
  });

  test('is overloaded if the settings are gone, and if the owner drains', () => {
    const without = new Turns();
    without.tell(gone);
    const draining = new Turns();
    draining.tell({ type: 'drain' });
    const answers = [without, draining].map((turns) => turns.effects({ type: 'emit', told }, 3));
    const refused = [{ effect: 'refuse', asks: [3], code: 'overloaded', details: {} }];
    expect(answers).toEqual([refused, refused]);
  });

  test('that nobody waits for is not made', () => {
    expect(new Turns().tell({ type: 'emit', told })).toEqual([]);
  });
});

describe('an attempt', () => {
  test('that was accepted sends no mail, whatever its number', () => {
    const turns = withPending(pendingOf({ attempts: 2 }));
    expect(turns.tell(answer(up))).toEqual(['record d-1:delivered#3']);
  });

  test('that was the third failure warns at once: one mail an hour', () => {
    const turns = withPending(pendingOf({ attempts: 2, firstTriedAt: newYear - 2 * minuteMs }));
    turns.state.deliveries.failingSince = newYear - 5 * minuteMs;
    expect(mailIn(turns.effects(answer(down)))).toEqual([
      expect.objectContaining({
        id: `webhook-warning:channel-1:${newYear / hourMs}`,
        accountId: 'account-1',
        kind: 'webhook-warning',
        sendAfter: newYear,
        createdAt: newYear,
        opening: expect.arrayContaining([expect.stringContaining('no event since 2025-12-31 23:55 UTC')]),
      }),
    ]);
  });

  test('that is the first failure since a success takes the failing time from its own first attempt', () => {
    const turns = withPending(pendingOf({ attempts: 2, firstTriedAt: newYear - 2 * minuteMs }));
    const [mail] = [mailIn(turns.effects(answer(down)))].flat();
    expect(mail).toMatchObject({
      opening: expect.arrayContaining([expect.stringContaining('no event since 2025-12-31 23:58 UTC')]),
    });
  });

  test('that was the last sends an alert at once; later ones are gathered, one mail an interval', () => {
    const times = [0, 500, minuteMs, 10 * minuteMs, 15 * minuteMs, 16 * minuteMs, 60 * minuteMs];
    const ids = times.map((_, nth) => `d-${nth + 1}`);
    const turns = new Turns({ deliveries: ids.map((id) => ({ ...pendingOf({ attempts: 7 }), id })) });
    const mails = times.map((at, nth) => {
      turns.now = newYear + at;
      return mailIn(turns.effects(answer(down, ids[nth])))[0];
    });
    const seconds = 1_000;
    const [first, gathered, next, last] = [2, 902, 1_802, 3_602].map((s) => newYear + s * seconds);
    const due = [first, first, gathered, gathered, gathered, next, last];
    expect(mails).toEqual(
      due.map((sendAfter, nth) =>
        expect.objectContaining({
          id: `webhook-alert:channel-1:${sendAfter}`,
          kind: 'webhook-alert',
          sendAfter,
          createdAt: newYear + (times[nth] ?? 0),
        }),
      ),
    );
  });

  test('that was the last is in no alert that is about to be sent, nor far ahead after a step of the clock', () => {
    const turns = withPending(pendingOf({ attempts: 7 }));
    turns.state.deliveries.alertAt = newYear + 1_000;
    const [mail] = mailIn(turns.effects(answer(down)));
    expect(mail).toMatchObject({ sendAfter: newYear + 1_000 + 15 * minuteMs });
    const stepped = withPending(pendingOf({ attempts: 7 }));
    stepped.state.deliveries.alertAt = newYear + 60 * minuteMs;
    expect(mailIn(stepped.effects(answer(down)))).toMatchObject([{ sendAfter: newYear + 2_000 }]);
  });

  test('that was the last sends its own mail if the interval is 0', () => {
    const turns = new Turns({ deliveries: [pendingOf({ attempts: 7 })], rules: { digestIntervalMs: 0 } });
    turns.now += minuteMs;
    expect(mailIn(turns.effects(answer(down)))).toEqual([
      expect.objectContaining({
        id: `webhook-alert:channel-1:${newYear + minuteMs + 1}`,
        sendAfter: newYear + minuteMs + 1,
      }),
    ]);
  });

  test('of a channel whose settings are gone sends no mail', () => {
    const turns = withPending(pendingOf({ attempts: 7 }));
    turns.tell(gone);
    expect(mailIn(turns.effects(answer(down)))).toEqual([]);
  });

  test('is logged in one line, with the time of the next one', () => {
    const hidden: WebhookResult = { ok: false, status: null, reason: 'no_address', cause: 'blocked' };
    const lines = [down, hidden, up].map((result) =>
      withPending(pendingOf({ attempts: 1, requestId: 'r-1' }))
        .effects(answer(result))
        .find(({ effect }) => effect === 'log'),
    );
    const fields = {
      channel: 'channel-1',
      delivery: 'd-1',
      message: 'm-1',
      request_id: 'r-1',
      type: 'message.received',
      attempt: 2,
    };
    expect(lines).toEqual([
      {
        effect: 'log',
        event: 'delivery.attempted',
        fields: { ...fields, result: '503', state: 'pending', retryInMs: minuteMs },
      },
      {
        effect: 'log',
        event: 'delivery.attempted',
        fields: { ...fields, result: 'no_address', cause: 'blocked', state: 'pending', retryInMs: minuteMs },
      },
      {
        effect: 'log',
        event: 'delivery.attempted',
        fields: { ...fields, result: '204', state: 'delivered', retryInMs: null },
      },
    ]);
  });
});

describe('a replay', () => {
  const order = { id: 'replay-1', since: 0, until: newYear, events: null };
  const kept = (id: string): KeptDelivery => ({ ...pendingOf({ id }), keptSince: newYear });
  const revived = (id: string, ask: number | null, isUncertain = false): ChannelMessage => ({
    type: 'deliveries-revived',
    revived: [pendingOf({ id, attempts: 0, firstTriedAt: null })],
    isUncertain,
    ask,
  });

  /** A replay that has read two deliveries and revives them. */
  function reviving(): Turns {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('k-2')] });
    return turns;
  }

  test('reads the oldest one first', () => {
    expect(new Turns().tell({ type: 'replay' })).toEqual(['read replay next']);
  });

  test('does not start without settings, nor if the owner drains', () => {
    const without = new Turns();
    without.tell(gone);
    const draining = new Turns();
    draining.tell({ type: 'drain' });
    expect([without, draining].map((turns) => turns.tell({ type: 'replay' }))).toEqual([[], []]);
  });

  test('that is running is not changed by another request', () => {
    const turns = reviving();
    expect([turns.tell({ type: 'replay' }), turns.state.deliveries.replay?.stage]).toEqual([[], 'reviving']);
  });

  test('revives what it has read, and continues after it', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('k-2')] })).toEqual([
      'revive k-1 k-2',
    ]);
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: newYear - minuteMs, id: 'k-2' });
  });

  test('ends if there is no order left', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order: null, kept: [] })).toEqual([]);
    expect(turns.state.deliveries.replay).toBeNull();
  });

  test('that is not running ignores what was read', () => {
    expect(new Turns().tell({ type: 'replay-read', order, kept: [kept('k-1')] })).toEqual([]);
  });

  test('that has read its last page asks for the next order from its beginning', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.effects({ type: 'replay-read', order, kept: [] })).toEqual([
      { effect: 'read-replay', order: null, after: { createdAt: -1, id: '' }, limit: limits.replayed / 2 },
    ]);
  });

  test('is not advanced by the revival of a manual retry', () => {
    const turns = reviving();
    expect(turns.tell(revived('k-9', 5))).toEqual(['→ 5: retrying', 'post k-9 attempt 1 claimed']);
    expect(turns.state.deliveries.replay?.stage).toBe('reviving');
    expect([...(turns.state.deliveries.replay?.untried ?? [])]).toEqual([]);
    turns.tell(revived('k-1', null));
    expect([...(turns.state.deliveries.replay?.untried ?? [])]).toEqual(['k-1']);
  });

  test('starts again if the store does not say which deliveries were revived', () => {
    const turns = reviving();
    turns.tell(revived('k-1', null, true));
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: -1, id: '' });
  });

  test('stops before a delivery whose outcome is not stored yet', () => {
    const turns = withPending(pendingOf({ nextDueAt: newYear + minuteMs }));
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('d-1'), kept('k-2')] })).toEqual(
      ['revive k-1'],
    );
    expect(turns.state.deliveries.replay?.after.id).toBe('k-1');
  });

  test('subtracts the revived bytes from what the channel keeps', () => {
    const turns = reviving();
    turns.state.keepFrom(500);
    turns.tell(revived('k-1', null));
    expect(turns.state.kept.base).toBe(400);
  });

  test('continues after what it has read once the store has confirmed all of it', () => {
    const turns = reviving();
    turns.tell(revived('k-1', null));
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: newYear - minuteMs, id: 'k-2' });
  });
});

describe('a manual retry of a failed delivery', () => {
  const delivery = pendingOf({ id: 'k-1' });
  const asked: ChannelMessage = { type: 'retry-delivery', delivery, keptSince: newYear };

  test('revives it', () => {
    expect(new Turns().effects(asked, 4)).toEqual([
      {
        effect: 'revive',
        kept: [expect.objectContaining({ id: 'k-1', keptSince: newYear })],
        at: newYear,
        ask: 4,
      },
    ]);
  });

  test('that is in flight is refused', () => {
    expect(withPending(delivery).effects(asked, 4)).toEqual([
      {
        effect: 'refuse',
        asks: [4],
        code: 'conflict',
        details: { why: 'The delivery is already being retried, or its content has been erased meanwhile' },
      },
    ]);
  });

  test('that was erased meanwhile is refused with the reason', () => {
    expect(
      new Turns().effects({ type: 'deliveries-revived', revived: [], isUncertain: false, ask: 4 }),
    ).toEqual([
      {
        effect: 'refuse',
        asks: [4],
        code: 'conflict',
        details: { why: 'The delivery is already being retried, or its content has been erased meanwhile' },
      },
    ]);
  });
});
