/** Turns about the whole channel: new settings, the previous owner's work, the drain, an inspection. [architecture §4] */
import { describe, expect, test } from '@jest/globals';
import { remember, unmatchedFrom } from '../../actors/channel/facts/unmatched.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { Turns, accepted, deferred, openMessage, reloaded, settingsOf } from './support/turns.ts';
import type { Start } from './support/turns.ts';

const loaded = (request: number, start: Start = {}, ask: number | null = null): ChannelMessage => ({
  type: 'settings-loaded',
  request,
  settings: settingsOf(start),
  ask,
  keptBase: 5,
});

describe('new settings', () => {
  test('are requested with and without a waiting client, each time with another number', () => {
    const turns = new Turns();
    expect([turns.ask({ type: 'reload' }), turns.tell({ type: 'settings-changed' })]).toEqual([
      ['load settings 1'],
      ['load settings 2'],
    ]);
    const [effect] = turns.effects({ type: 'reload' }, 7);
    expect(effect).toEqual({ effect: 'load-settings', request: 3, ask: 7, keptRecorded: 0 });
  });

  test('report what was stored as kept before they were requested', () => {
    const turns = new Turns();
    turns.state.kept = { base: 0, decided: 42, recorded: 42 };
    const [effect] = turns.effects({ type: 'settings-changed' });
    expect(effect).toMatchObject({ keptRecorded: 42, ask: null });
  });

  test('apply once they are there, and the client is answered', () => {
    const turns = new Turns();
    expect(turns.tell(loaded(1, { channel: { isActive: false } }, 3))).toEqual(['→ 3: reloaded']);
    expect(turns.state.settings?.channel.isActive).toBe(false);
    expect(turns.state.kept.base).toBe(5);
  });

  test('that were requested before others change nothing, but the client is answered', () => {
    const turns = new Turns();
    turns.tell(loaded(2, { channel: { isActive: false } }));
    expect(turns.tell(loaded(1, {}, 3))).toEqual(['→ 3: reloaded']);
    expect(turns.state.settings?.channel.isActive).toBe(false);
    turns.tell(loaded(2));
    expect(turns.state.settings?.channel.isActive).toBe(true);
  });

  test('without a sum of kept bytes set it to 0', () => {
    const turns = new Turns();
    turns.tell({ type: 'settings-loaded', request: 1, settings: settingsOf(), ask: null });
    expect(turns.state.kept.base).toBe(0);
  });

  test("with another URL reset the receiver's failures, with the same URL they do not", () => {
    const turns = new Turns();
    turns.state.deliveries.failures = limits.failing;
    turns.state.deliveries.failingSince = newYear - 60_000;
    turns.tell(loaded(1));
    expect(turns.state.deliveries).toMatchObject({
      failures: limits.failing,
      failingSince: newYear - 60_000,
    });
    turns.tell(loaded(2, { channel: { webhookUrl: 'https://new.example.com/' } }));
    expect(turns.state.deliveriesAtWork).toBeNull();
  });

  test('of a restored channel apply', () => {
    const turns = new Turns();
    turns.tell({ type: 'settings-loaded', request: 1, settings: null, ask: null });
    expect(turns.tell(loaded(2, {}, 3))).toEqual(['→ 3: reloaded']);
    expect(turns.state.settings?.channel.isActive).toBe(true);
  });

  test('set the alarm for what waited for them', () => {
    const open = [openMessage({ state: 'queued', copies: 0, tries: 1, nextTryAt: newYear + 1_000 })];
    const turns = new Turns({ open, subscription: { status: 'canceled' } });
    turns.tell(loaded(1));
    expect(turns.state.wakeAt).toBe(newYear);
    expect(turns.pass(2_000)).toEqual(['call m-1, copy 1 again']);
  });
});

describe('the wake-up by a sweep', () => {
  test('for sends that no owner has loaded reads the store', () => {
    expect(new Turns().tell({ type: 'wake', untaken: true })).toEqual(['reload []']);
  });

  test('for nothing new has no effect, and none on an owner that drains', () => {
    const draining = new Turns();
    draining.tell({ type: 'drain' });
    expect([
      new Turns().tell({ type: 'wake' }),
      new Turns().tell({ type: 'wake', untaken: false }),
      draining.tell({ type: 'wake', untaken: true }),
    ]).toEqual([[], [], []]);
  });

  test('during a read of the store causes no second read', () => {
    const turns = new Turns();
    turns.tell({ type: 'wake', untaken: true });
    expect(turns.tell({ type: 'wake', untaken: true })).toEqual([]);
  });
});

test('with thousands of open sends, some ms lie between two passes over all of them', () => {
  const open = Array.from({ length: 3_000 }, (_, n) =>
    openMessage({ id: `m-${n}`, recipient: `user-${n}`, copies: 2 }),
  );
  const turns = new Turns({ open, epoch: 2 });
  turns.state.wakeAt = turns.now;
  turns.now += 600_000;
  turns.tell({ type: 'alarm' });
  expect(turns.state.wakeAt).toBe(turns.now + 3);
});

test('an alarm with nothing to do does not set another', () => {
  const turns = new Turns();
  turns.tell({ type: 'alarm' });
  expect(turns.state.wakeAt).toBe(Infinity);
});

describe('work that the previous owner stored late', () => {
  test('is taken over: its sends, its facts and its webhooks', () => {
    const turns = new Turns({ epoch: 2 });
    turns.pass(limits.recheckMs);
    const fact = receiptOf();
    const waiting = { id: 'channel-1/r/delivered/up-1', fact, expiresAt: newYear + 900_000, dueAt: null };
    const delivery = {
      id: 'd-1',
      event: 'message.received',
      messageId: 'in-1',
      requestId: null,
      attempts: 1,
      claims: 0,
      firstTriedAt: newYear,
      nextDueAt: newYear,
      attemptLog: null,
      createdAt: newYear,
      bytes: 1,
    } as const;
    const sends = [openMessage({ state: 'queued', copies: 0, tries: 1, nextTryAt: newYear })];
    expect(turns.tell(reloaded({ sends, unmatched: [waiting], deliveries: [delivery] }))).toEqual([
      'post d-1 attempt 2 claimed',
    ]);
    expect(turns.pass(0)).toEqual(['call m-1, copy 1 again', 'look up 1!']);
  });

  test('that does not fit into one read is read on', () => {
    const turns = new Turns({ epoch: 2 });
    expect(turns.tell(reloaded({ storeHasMoreDeliveries: true }))).toEqual(['load deliveries']);
  });

  test('and that is empty has no effect', () => {
    const turns = new Turns({ epoch: 2 });
    expect(turns.tell(reloaded())).toEqual([]);
    expect(turns.state.factsAtWork).toBeNull();
  });
});

describe('an inspection', () => {
  test('reports the owner and how much waits', () => {
    const turns = new Turns({ epoch: 7 }).sent('m-1');
    turns.send('m-2');
    turns.tell({ type: 'take-facts', facts: [receiptOf()] });
    turns.tell({ type: 'facts-resolved', job: 1, known: [], conversations: [], delivered: [] });
    turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
    const insight = {
      epoch: 7,
      sendsOpen: 2,
      sendsWaiting: 1,
      deliveriesPending: 0,
      factsHeld: 1,
      filesOpen: 0,
    };
    expect(turns.ask({ type: 'inspect' })).toEqual([`→ 3: ${JSON.stringify(insight)}`]);
  });

  test('that nobody waits for has no effect', () => {
    expect(new Turns().tell({ type: 'inspect' })).toEqual([]);
  });
});

test('an owner that drains claims nothing more, and stores the answers that still come', () => {
  const turns = new Turns().sent('m-1');
  turns.send('m-2');
  expect(turns.tell({ type: 'drain' })).toEqual(['✗ 2: unavailable']);
  expect(turns.state.draining).toBe(true);
  expect(turns.answer('m-1', accepted('up-1'))).toEqual([
    'record message.sent m-1:accepted=up-1/1 → 1: sent',
  ]);
  expect(turns.tell({ type: 'send-result', messageId: 'm-9', attempt: 1, outcome: deferred() })).toEqual([]);
});

test('an unknown message ends the owner, with the beginning of the message in the error', () => {
  const message = { type: 'unheard', of: 'x'.repeat(200) };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a node of another version may say it
  const tell = (): string[] => new Turns().tell(message as unknown as ChannelMessage);
  const begun = JSON.stringify(message).slice(0, 80);
  expect(tell).toThrow(new Error(`a channel was told something it does not know: ${begun}`));
});

test('a turn in which a replay continues and a fact finds its message does both', () => {
  const turns = new Turns().sent('m-1');
  remember(turns.state, unmatchedFrom(turns.state, receiptOf(), turns.now));
  turns.answer('m-1', accepted('up-1'));
  const after = { createdAt: -1, id: '' };
  turns.state.deliveries.replay = { stage: 'posting', order: null, after, behind: null, untried: new Set() };
  expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual(['look up 1!', 'read replay next']);
});

test('an event is made in the same turn: the inbound text is in the commit that answers upstream', () => {
  const turns = new Turns();
  expect(turns.ask({ type: 'take-facts', facts: [inboundOf()] })).toEqual([
    expect.stringMatching(/^commit 1 message\.received\(/),
  ]);
});
