/** Deliveries turn by turn: what a turn answers where a channel's settings, its owner or the delivery itself are gone meanwhile. */
import { describe, expect, test } from '@jest/globals';
import type { ChannelEffect, ChannelMessage } from '../../actors/channel/messages.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { KeptDelivery, PendingDelivery } from '../../actors/channel/ports/store.ts';
import { newYear } from '../domain/samples.ts';
import { answer, down, pendingOf, up } from './support/deliveries.ts';
import { Turns } from './support/turns.ts';

const hour = 3_600_000;
const minute = 60_000;

function withPending(...deliveries: PendingDelivery[]): Turns {
  return new Turns({ deliveries });
}

const gone: ChannelMessage = { type: 'settings-loaded', request: 1, settings: null, ask: null };

function mailIn(effects: readonly ChannelEffect[]): unknown {
  const writes = effects.flatMap((effect) => (effect.effect === 'commit' ? effect.writes : []));
  return writes.flatMap((write) => (write.write === 'addMail' ? [write.mail] : []));
}

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
  ])('%s says nothing', (_, turns, message) => {
    expect(turns.tell(message)).toEqual([]);
  });

  test('of a channel whose settings are gone waits for them', () => {
    const turns = suspected();
    turns.tell(gone);
    expect([turns.tell(came), turns.state.deliveries.open.get('d-1')?.stage]).toEqual([[], 'pending']);
  });

  test('that is put aside is not kept for another try, also where the channel keeps what is given up', () => {
    const turns = new Turns({
      channel: { failedRetentionDays: 7 },
      deliveries: [pendingOf({ claims: limits.deliveryCrashes })],
    });
    const effects = turns.effects({ type: 'delivery-quarantined', deliveryId: 'd-1' });
    expect(effects[0]).toMatchObject({ report: { type: 'attempt-recorded', ended: true, kept: 0 } });
  });
});

describe('what an operator has told anew', () => {
  const told = { event: 'message.received', messageId: 'm-1', at: newYear, data: {}, again: 7 } as const;

  test('is one event, delivered to who asks for it', () => {
    expect(new Turns().ask({ type: 'tell-again', told })).toEqual(['record message.received → 1: retrying']);
    const [commit] = new Turns().effects({ type: 'tell-again', told }, 1);
    expect(commit).toMatchObject({ effect: 'commit', writes: [], events: [told], deliveries: [told] });
  });

  test('is overloaded where the settings are gone, and where the owner ends', () => {
    const without = new Turns();
    without.tell(gone);
    const draining = new Turns();
    draining.tell({ type: 'drain' });
    const answers = [without, draining].map((turns) => turns.effects({ type: 'tell-again', told }, 3));
    const refused = [{ effect: 'refuse', asks: [3], code: 'overloaded', details: {} }];
    expect(answers).toEqual([refused, refused]);
  });

  test('for nobody is not told', () => {
    expect(new Turns().tell({ type: 'tell-again', told })).toEqual([]);
  });
});

describe('an attempt', () => {
  test('that was taken sends no mail, whatever number it has', () => {
    const turns = withPending(pendingOf({ attempts: 2 }));
    expect(turns.tell(answer(up))).toEqual(['record d-1:delivered#3']);
  });

  test('that was the third to fail warns at once: one mail an hour', () => {
    const turns = withPending(pendingOf({ attempts: 2, firstTriedAt: newYear - 2 * minute }));
    turns.state.deliveries.failingSince = newYear - 5 * minute;
    expect(mailIn(turns.effects(answer(down)))).toEqual([
      expect.objectContaining({
        id: `webhook-warning:channel-1:${newYear / hour}`,
        accountId: 'account-1',
        kind: 'webhook-warning',
        sendAfter: newYear,
        createdAt: newYear,
        opening: expect.arrayContaining([expect.stringContaining('no event since 2025-12-31 23:55 UTC')]),
      }),
    ]);
  });

  test('that was the first since one succeeded says since when itself', () => {
    const turns = withPending(pendingOf({ attempts: 2, firstTriedAt: newYear - 2 * minute }));
    const [mail] = [mailIn(turns.effects(answer(down)))].flat();
    expect(mail).toMatchObject({
      opening: expect.arrayContaining([expect.stringContaining('no event since 2025-12-31 23:58 UTC')]),
    });
  });

  test('that was the last gathers its alert until the interval ends', () => {
    const turns = withPending(pendingOf({ attempts: 7 }));
    turns.now += minute;
    expect(mailIn(turns.effects(answer(down)))).toEqual([
      expect.objectContaining({
        id: `webhook-alert:channel-1:${newYear / (15 * minute)}`,
        kind: 'webhook-alert',
        sendAfter: newYear + 15 * minute,
        createdAt: newYear + minute,
      }),
    ]);
  });

  test('that was the last has a mail of its own where nothing is gathered', () => {
    const turns = new Turns({ deliveries: [pendingOf({ attempts: 7 })], rules: { digestIntervalMs: 0 } });
    turns.now += minute;
    expect(mailIn(turns.effects(answer(down)))).toEqual([
      expect.objectContaining({
        id: `webhook-alert:channel-1:${newYear + minute}`,
        sendAfter: newYear + minute + 1,
      }),
    ]);
  });

  test('of a channel whose settings are gone sends no mail', () => {
    const turns = withPending(pendingOf({ attempts: 7 }));
    turns.tell(gone);
    expect(mailIn(turns.effects(answer(down)))).toEqual([]);
  });

  test('is told in one line, with when the next one is', () => {
    const lines = [down, up].map((result) =>
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
        fields: { ...fields, result: '503', state: 'pending', retryInMs: minute },
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

  /** It has read two and has them revived. */
  function reviving(): Turns {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('k-2')] });
    return turns;
  }

  test('reads the oldest one first', () => {
    expect(new Turns().tell({ type: 'replay' })).toEqual(['read replay next']);
  });

  test('is not begun without settings, nor by an owner that ends', () => {
    const without = new Turns();
    without.tell(gone);
    const draining = new Turns();
    draining.tell({ type: 'drain' });
    expect([without, draining].map((turns) => turns.tell({ type: 'replay' }))).toEqual([[], []]);
  });

  test('that is asked for while one goes on changes nothing of it', () => {
    const turns = reviving();
    expect([turns.tell({ type: 'replay' }), turns.state.deliveries.replay?.stage]).toEqual([[], 'reviving']);
  });

  test('has what it read revived, and goes on behind it', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('k-2')] })).toEqual([
      'revive k-1 k-2',
    ]);
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: newYear - minute, id: 'k-2' });
  });

  test('of which there is none any more is over', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order: null, kept: [] })).toEqual([]);
    expect(turns.state.deliveries.replay).toBeNull();
  });

  test('that is read when none goes on says nothing', () => {
    expect(new Turns().tell({ type: 'replay-read', order, kept: [kept('k-1')] })).toEqual([]);
  });

  test('whose end is read reads the next one from its beginning', () => {
    const turns = new Turns();
    turns.tell({ type: 'replay' });
    expect(turns.effects({ type: 'replay-read', order, kept: [] })).toEqual([
      { effect: 'read-replay', order: null, after: { createdAt: -1, id: '' }, limit: limits.replayed / 2 },
    ]);
  });

  test('is not moved on by the answer to one who asks meanwhile', () => {
    const turns = reviving();
    expect(turns.tell(revived('k-9', 5))).toEqual(['→ 5: retrying', 'post k-9 attempt 1 claimed']);
    expect(turns.state.deliveries.replay?.stage).toBe('reviving');
    expect([...(turns.state.deliveries.replay?.untried ?? [])]).toEqual([]);
    turns.tell(revived('k-1', null));
    expect([...(turns.state.deliveries.replay?.untried ?? [])]).toEqual(['k-1']);
  });

  test('begins again where the store does not say what became of some', () => {
    const turns = reviving();
    turns.tell(revived('k-1', null, true));
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: -1, id: '' });
  });

  test('stops before one whose outcome is not on record yet', () => {
    const turns = withPending(pendingOf({ nextDueAt: newYear + minute }));
    turns.tell({ type: 'replay' });
    expect(turns.tell({ type: 'replay-read', order, kept: [kept('k-1'), kept('d-1'), kept('k-2')] })).toEqual(
      ['revive k-1'],
    );
    expect(turns.state.deliveries.replay?.after.id).toBe('k-1');
  });

  test('takes what it has revived off what the channel keeps', () => {
    const turns = reviving();
    turns.state.keepFrom(500);
    turns.tell(revived('k-1', null));
    expect(turns.state.kept.base).toBe(400);
  });

  test('goes on behind what it has read where the store says it of all', () => {
    const turns = reviving();
    turns.tell(revived('k-1', null));
    expect(turns.state.deliveries.replay?.after).toEqual({ createdAt: newYear - minute, id: 'k-2' });
  });
});

describe('one that was given up, asked for anew', () => {
  const delivery = pendingOf({ id: 'k-1' });
  const asked: ChannelMessage = { type: 'retry-delivery', delivery, keptSince: newYear };

  test('is revived', () => {
    expect(new Turns().effects(asked, 4)).toEqual([
      {
        effect: 'revive',
        kept: [expect.objectContaining({ id: 'k-1', keptSince: newYear })],
        at: newYear,
        ask: 4,
      },
    ]);
  });

  test('that is under way is refused', () => {
    expect(withPending(delivery).effects(asked, 4)).toEqual([
      {
        effect: 'refuse',
        asks: [4],
        code: 'conflict',
        details: { why: 'The delivery is under way already, or its content was erased meanwhile' },
      },
    ]);
  });

  test('that was erased meanwhile is refused with why', () => {
    expect(
      new Turns().effects({ type: 'deliveries-revived', revived: [], isUncertain: false, ask: 4 }),
    ).toEqual([
      {
        effect: 'refuse',
        asks: [4],
        code: 'conflict',
        details: { why: 'The delivery is under way already, or its content was erased meanwhile' },
      },
    ]);
  });
});
