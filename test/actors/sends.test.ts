import { describe, expect, test } from '@jest/globals';
import { Turns, accepted, deferred, openMessage, refused, unknown } from './support/turns.ts';

const seconds = 1_000;
/** The maximal jitter, which spreads retries in time. */
const maxJitterMs = 250;

describe('the answer to the client', () => {
  test.each([
    ['chatapp', 'record message.sent m-1:accepted=up-1/1 → 1: sent'],
    ['photoapp', 'record message.delivered m-1:accepted=up-1/2 → 1: sent'],
    ['pagechat', 'record m-1:accepted=up-1/1 → 1: sent'],
  ] as const)('%s: upstream accepts: stored, then answered sent', (type, line) => {
    const turns = new Turns({ type });
    expect(turns.send('m-1')).toEqual(['call m-1, copy 1']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(turns.answer('m-1', accepted())).toEqual([line]);
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual([]);
    expect([turns.state.sends.open.size, turns.state.sends.queues.size, turns.state.sends.calls]).toEqual([
      0, 0, 0,
    ]);
  });

  test.each(['none', 'pair', 'channel'] as const)(
    'a transient refusal (pause: %s) is queued and retried, and makes no copy',
    (pause) => {
      const turns = new Turns().sent('m-1');
      expect(turns.answer('m-1', deferred(pause))).toEqual(['record m-1:deferred → 1: queued']);
      turns.tell({ type: 'send-recorded', messageId: 'm-1' });
      expect(turns.pass(999)).toEqual([]);
      expect(turns.pass(1 + maxJitterMs)).toEqual(['call m-1, copy 1 again']);
    },
  );

  test('upstream takes longer than 30 s: queued, and the call continues', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.pass(30 * seconds - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(['→ 1: queued']);
    expect(turns.pass(5 * seconds)).toEqual([]);
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1']);
  });

  test('a permanent error is failed with its code; no mail, because the client knows', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.answer('m-1', refused)).toEqual([
      'record m-1:failed(Not reachable, 131026) → 1: {"status":"failed","error":"Not reachable","errorCode":131026}',
    ]);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    expect(turns.state.sends.open.size).toBe(0);
  });

  test.each([
    ['chatapp', 'record message.failed m-1:failed(Not reachable, 131026) mail:delivery-digest'],
    ['pagechat', 'record m-1:failed(Not reachable, 131026) mail:delivery-digest'],
  ] as const)(
    '%s: a permanent error after the answer queued: a digest mail, and message.failed if the type has it',
    (type, line) => {
      const turns = new Turns({ type }).sent('m-1');
      turns.pass(30 * seconds);
      expect(turns.answer('m-1', refused)).toEqual([line]);
    },
  );

  test('an unknown outcome is answered queued', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.answer('m-1', unknown)).toEqual(['record m-1:unknown → 1: queued']);
  });

  test('queued is not answered before the claim is stored', () => {
    const turns = new Turns();
    turns.send('m-1');
    expect(turns.pass(31 * seconds)).toEqual([]);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' })).toEqual([]);
    expect(turns.pass(0)).toEqual(['→ 1: queued']);
  });

  test.each([
    ['inactive channel', { channel: { isActive: false } }, '✗ 1: channel_inactive'],
    ['no active licence', { subscription: { status: 'canceled' as const } }, '✗ 1: licence_inactive'],
  ])('%s: refused, nothing is claimed', (_case, start, line) => {
    expect(new Turns(start).send('m-1')).toEqual([line]);
  });
});

describe('a repeated request with the same id', () => {
  test('during the call: both get the one answer', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.send('m-1')).toEqual([]);
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1 → 1 2: sent']);
    expect(turns.send('m-1')).toEqual([]);
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual(['→ 3: sent']);
  });

  test('while the send is finished in the background: queued', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    expect(turns.send('m-1')).toEqual(['→ 2: queued']);
  });

  test('while the send waits for its next try: queued at once', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred());
    expect(turns.send('m-1')).toEqual(['→ 2: queued']);
  });

  test('after a slow call was answered queued: queued at once', () => {
    const turns = new Turns().sent('m-1');
    turns.pass(40 * seconds);
    turns.send('m-1');
    expect(turns.pass(0)).toEqual(['→ 2: queued']);
  });
});

describe('order', () => {
  test('to one recipient first in, first out: the next send waits for the previous answer', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.send('m-2')).toEqual([]);
    expect(turns.send('m-3')).toEqual([]);
    expect(turns.answer('m-1', accepted())).toEqual([
      'record message.sent m-1:accepted=up-1/1 → 1: sent',
      'call m-2, copy 1',
    ]);
  });

  test('to several recipients at the same time', () => {
    const turns = new Turns().sent('m-1', 'mia');
    expect(turns.send('m-2', 'noah')).toEqual(['call m-2, copy 1']);
  });

  test('the next send overtakes a call that takes too long', () => {
    const turns = new Turns().sent('m-1');
    turns.send('m-2');
    expect(turns.pass(1_999)).toEqual([]);
    expect(turns.pass(1)).toEqual(['call m-2, copy 1']);
  });

  test('a send has its turn before it is too old, however short MAX_QUEUE_AGE_MS is', () => {
    const turns = new Turns({ rules: { maxQueueAgeMs: 300 } }).sent('m-1');
    turns.send('m-2');
    expect(turns.pass(149)).toEqual([]);
    expect(turns.pass(1)).toEqual(['call m-2, copy 1']);
  });

  test('a retry precedes later sends, which wait for its answer', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred('pair'));
    turns.send('m-2');
    turns.postponed('m-2');
    expect(turns.pass(1 * seconds + maxJitterMs)).toEqual(['call m-1, copy 1 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1']);
    expect(turns.pass(6 * seconds)).toEqual(['call m-2, copy 1 again']);
  });

  test('retries to one recipient follow one another, not as a burst', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred()).sent('m-2').answered('m-2', deferred());
    expect(turns.pass(1 * seconds)).toEqual(['call m-1, copy 1 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answer('m-1', accepted());
    expect(turns.pass(0)).toEqual(['call m-2, copy 1 again']);
  });

  test('a pair limit pauses its recipient only', () => {
    const turns = new Turns().sent('m-1', 'mia').answered('m-1', deferred('pair'));
    expect(turns.send('m-2', 'mia')).toEqual(['postpone m-2 for 7193 ms']);
    expect(turns.send('m-3', 'noah')).toEqual(['call m-3, copy 1']);
  });

  test('a throughput limit pauses the channel', () => {
    const turns = new Turns().sent('m-1', 'mia').answered('m-1', deferred('channel'));
    expect(turns.send('m-2', 'noah')).toEqual(['postpone m-2 for 1193 ms']);
    expect(turns.postponed('m-2')).toEqual(['→ 2: queued']);
    expect(turns.pass(999)).toEqual([]);
    expect(turns.pass(1 + maxJitterMs)).toEqual(['call m-1, copy 1 again', 'call m-2, copy 1 again']);
  });

  test('100 calls at a time; every call that ends lets another start, also one whose send is gone', () => {
    const turns = new Turns();
    for (let n = 1; n <= 100; n += 1) expect(turns.send(`m-${n}`, `user-${n}`)).toHaveLength(1);
    expect([turns.send('late-1', 'user-300'), turns.send('late-2', 'user-301')]).toEqual([[], []]);
    expect(turns.send('late-3', 'user-1')).toEqual([]);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(turns.answer('m-1', accepted())[1]).toBe('call late-3, copy 1');
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-2', outcome: 'unanswered' })).toEqual([
      'withdraw m-2',
      'call late-1, copy 1',
    ]);
    const gone = { messageId: 'unheard-of', attempt: 1, outcome: unknown };
    expect(turns.tell({ type: 'send-result', ...gone })).toEqual(['call late-2, copy 1']);
    expect(turns.state.sends.calls).toBe(100);
  });

  test('a send that waits 5 s for a free call is answered overloaded: nothing of it is stored', () => {
    const turns = new Turns();
    for (let n = 1; n <= 100; n += 1) turns.sent(`m-${n}`, `user-${n}`);
    turns.send('late', 'noah');
    expect(turns.pass(5 * seconds)).toEqual(['✗ 101: overloaded']);
    expect([turns.state.sends.open.has('late'), turns.state.sends.queues.has('noah')]).toEqual([
      false,
      false,
    ]);
  });

  test('with 20,000 open sends a new one is answered overloaded', () => {
    const open = Array.from({ length: 20_000 }, (_, n) => openMessage({ id: `old-${n}` }));
    expect(new Turns({ open }).send('m-1')).toEqual(['✗ 1: overloaded']);
  });
});
