import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { newYear } from '../rules/samples.ts';
import {
  Turns,
  accepted,
  deferred,
  openMessage,
  refused,
  reloaded,
  settingsOf,
  unknown,
} from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;

/** Processes an event of upstream with our id, and reports it as stored. */
function confirm(turns: Turns, messageId: string, upstreamId = 'up-9'): string[] {
  turns.tell({
    type: 'take-facts',
    facts: [
      {
        kind: 'receipt',
        channelType: 'chatapp',
        identity: 'x',
        status: 'sent',
        upstreamId,
        tag: messageId,
        recipient: 'mia',
        at: turns.now,
        errors: [],
      },
    ],
  });
  const job = turns.state.facts.nextJob - 1;
  const { message } = openMessage({ id: messageId });
  turns.tell({ type: 'facts-resolved', job, known: [message], conversations: [], delivered: [] });
  return turns.tell({ type: 'facts-ended', job, outcome: 'committed', again: [] });
}

describe('unconfirmed sends', () => {
  test('unconfirmed after 3 minutes: resent once, and never a third time', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    expect(turns.pass(3 * minutes - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(['call m-1, copy 2 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', unknown);
    expect(turns.pass(7 * minutes)).toEqual([
      'record message.failed m-1:failed(Upstream never confirmed the message; it may have arrived, null) mail:delivery-digest',
    ]);
    expect(turns.pass(60 * minutes)).toEqual([]);
  });

  test('a resend waits until the first outcome is stored', () => {
    const turns = new Turns().sent('m-1');
    turns.answer('m-1', unknown);
    expect(turns.pass(4 * minutes)).toEqual(['→ 1: queued']);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    expect(turns.pass(0)).toEqual(['call m-1, copy 2 again']);
  });

  test('refused on the resend: failed, with a digest mail', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(turns.answer('m-1', refused)).toEqual([
      'record message.failed m-1:failed(Not reachable, 131026) mail:delivery-digest',
    ]);
  });

  test('deferred on the resend: still one copy, and retried', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', deferred());
    expect(turns.pass(2 * seconds)).toEqual(['call m-1, copy 2 again']);
  });

  test("deferred until the end: failed with upstream's error", () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred('pair', 131056));
    const said: string[] = [];
    for (let second = 0; second < 610; second += 1) {
      for (const line of turns.pass(seconds)) {
        if (!line.startsWith('call')) said.push(line);
        else {
          turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
          turns.answered('m-1', deferred('pair', 131056));
        }
      }
    }
    expect(said).toEqual(['record message.failed m-1:failed(Too fast, 131056) mail:delivery-digest']);
  });

  test('an acceptance after the client was answered queued is stored, with its event', () => {
    const turns = new Turns().sent('m-1');
    turns.pass(31 * seconds);
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1']);
  });

  test('an event with our id confirms the send: no copy is made any more', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    expect(confirm(turns, 'm-1')).toEqual([]);
    expect([turns.state.sends.open.size, turns.pass(20 * minutes)]).toEqual([0, []]);
  });

  test("an event with our id during the call: answered sent, and the call's own answer changes nothing", () => {
    const turns = new Turns().sent('m-1');
    expect(confirm(turns, 'm-1')).toEqual(['→ 1: sent']);
    expect(turns.answer('m-1', refused)).toEqual([]);
    expect([turns.state.sends.open.size, turns.state.sends.calls]).toEqual([0, 0]);
  });

  test('an event with our id during the claim of the second copy: the claim is lost, and no copy is made', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    confirm(turns, 'm-1');
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found: null })).toEqual([]);
    expect([turns.state.sends.open.size, turns.state.sends.calls, turns.state.sends.queues.size]).toEqual([
      0, 0, 0,
    ]);
  });

  test('the licence ends before a copy: none is made; if it is renewed in time, the copy is made', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    const without = settingsOf({ subscription: { status: 'canceled' } });
    turns.tell({ type: 'settings-loaded', request: 1, settings: without, ask: null });
    expect(turns.pass(4 * minutes)).toEqual([]);
    turns.tell({ type: 'settings-loaded', request: 2, settings: settingsOf(), ask: null });
    expect(turns.pass(0)).toEqual(['call m-1, copy 2 again']);
  });

  test('the channel is deactivated and no copy can exist: failed', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred());
    const without = settingsOf({ channel: { isActive: false } });
    turns.tell({ type: 'settings-loaded', request: 1, settings: without, ask: null });
    expect(turns.pass(1 * seconds)).toEqual([
      'record message.failed m-1:failed(The channel is inactive; connect it again to use it, null) mail:delivery-digest',
    ]);
  });

  test('the licence ends while a send waits for its turn: refused like a new one', () => {
    const turns = new Turns().sent('m-1');
    turns.send('m-2');
    const without = settingsOf({ subscription: { status: 'canceled' } });
    expect(turns.tell({ type: 'settings-loaded', request: 1, settings: without, ask: null })).toEqual([
      '✗ 2: licence_inactive',
    ]);
  });
});

describe('a new owner', () => {
  test.each([
    ['sending: the call may have happened', { state: 'sending' }, 'call m-1, copy 2 again'],
    ['sending, put off before', { state: 'sending', nextTryAt: newYear + seconds }, 'call m-1, copy 2 again'],
    ['queued, unknown', { state: 'queued' }, 'call m-1, copy 2 again'],
    ['queued, two copies', { state: 'queued', copies: 2 }, null],
  ] as const)('%s', (_case, fields, line) => {
    const turns = new Turns({ open: [openMessage(fields)] });
    expect(turns.pass(3 * minutes - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(line === null ? [] : [line]);
  });

  test('queued with a next try: retried at that time', () => {
    const open = [openMessage({ copies: 0, nextTryAt: newYear + 7 * seconds })];
    expect(new Turns({ open }).pass(7 * seconds)).toEqual(['call m-1, copy 1 again']);
  });

  test("queued since a transient refusal: failed with upstream's error", () => {
    const refusal = { error: 'Too fast', errorCode: 131053 };
    const open = [openMessage({ copies: 0, nextTryAt: newYear + 20 * minutes, ...refusal })];
    expect(new Turns({ open }).pass(10 * minutes)).toEqual([
      'record message.failed m-1:failed(Too fast, 131053) mail:delivery-digest',
    ]);
  });

  test('content that cannot be decrypted is never resent, can be confirmed, and fails in the end', () => {
    const unreadable = { ...openMessage(), content: null };
    expect(new Turns({ open: [unreadable] }).pass(10 * minutes)).toEqual([
      'record message.failed m-1:failed(Upstream never confirmed the message; it may have arrived, null) mail:delivery-digest',
    ]);
    const turns = new Turns({ open: [unreadable] });
    confirm(turns, 'm-1');
    expect(turns.pass(10 * minutes)).toEqual([]);
  });

  test('reads twice more what the previous owner stored late', () => {
    const turns = new Turns({ epoch: 2 });
    expect(turns.pass(15 * seconds)).toEqual(['reload []']);
    expect(turns.tell(reloaded({ sends: [openMessage({ state: 'sending' })] }))).toEqual([]);
    expect(turns.pass(3 * minutes - 15 * seconds)).toEqual(['call m-1, copy 2 again']);
    expect(turns.pass(30 * seconds)).toEqual(['reload []']);
  });
});

describe('claims', () => {
  test('the store does not answer the first claim: made void, and only then 503', () => {
    const turns = new Turns();
    turns.send('m-1');
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      'withdraw m-1',
    ]);
    expect(turns.pass(4_999)).toEqual([]);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'withdrawn', found: null })).toEqual([
      '✗ 1: unavailable',
    ]);
    expect([turns.state.sends.open.size, turns.state.sends.calls]).toEqual([0, 0]);
  });

  test('the store stays down: 503 after 5 s, and the withdrawal continues', () => {
    const turns = new Turns();
    turns.send('m-1');
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' });
    expect(turns.pass(5 * seconds)).toEqual(['✗ 1: unavailable']);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'withdrawn', found: null })).toEqual(
      [],
    );
    expect(turns.state.sends.open.size).toBe(0);
  });

  test.each([
    ['nobody', null, '✗ 1: unavailable'],
    ['an abandoned marker', 'abandoned', '✗ 1: unavailable'],
    ['a sent message', 'sent', '→ 1: sent'],
    [
      'a failed message',
      'failed',
      '→ 1: {"status":"failed","error":"The message could not be sent","errorCode":null}',
    ],
  ] as const)('the first insert finds its id with %s: that is the answer', (_case, state, line) => {
    const turns = new Turns();
    turns.send('m-1');
    const found = state === null ? null : openMessage({ state }).message;
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found })).toEqual([line]);
    expect(turns.state.sends.open.size).toBe(0);
  });

  test.each(['sending', 'queued'] as const)(
    'the first insert finds its id %s: queued, and taken over',
    (state) => {
      const turns = new Turns();
      turns.send('m-1');
      const { message } = openMessage({ state });
      const lost = { type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found: message } as const;
      expect(turns.tell(lost)).toEqual(['→ 1: queued', 'reload [m-1]']);
      turns.tell(reloaded({ messageIds: ['m-1'], open: [message] }));
      expect(turns.pass(3 * minutes)).toEqual(['call m-1, copy 2 again']);
    },
  );

  const notClaimed: ChannelMessage[] = [
    { type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found: null },
    { type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' },
  ];
  test.each(notClaimed)('a later copy: $type, $outcome: the message is read from the store', (ended) => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    expect(turns.tell(ended)).toEqual(['reload [m-1]']);
    // The previous owner stored that it was definitely not sent.
    const { message } = openMessage({ copies: 0, tries: 1, nextTryAt: turns.now + 2 * seconds });
    turns.tell(reloaded({ messageIds: ['m-1'], open: [message] }));
    expect(turns.pass(2 * seconds)).toEqual(['call m-1, copy 1 again']);
  });

  test('a later claim that was applied without an answer is taken back: it made no copy', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' });
    const stored = { state: 'sending', copies: 2, tries: 2, attemptedAt: turns.now } as const;
    const open = [openMessage(stored).message];
    expect(turns.tell(reloaded({ messageIds: ['m-1'], open }))).toEqual(['record m-1:deferred']);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    expect(turns.pass(1 * seconds)).toEqual(['call m-1, copy 2 again']);
  });

  test('no longer open in the store: forgotten', () => {
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    turns.pass(3 * minutes);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found: null });
    turns.tell(reloaded({ messageIds: ['m-1'] }));
    expect(turns.state.sends.open.size).toBe(0);
  });

  test('however many sends are uncertain, the store is read by one request at a time', () => {
    const turns = new Turns();
    for (const id of ['m-1', 'm-2']) turns.sent(id, id).answered(id, unknown);
    turns.pass(3 * minutes);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      'reload [m-1]',
    ]);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-2', outcome: 'unanswered' })).toEqual([]);
    expect(turns.tell(reloaded({ messageIds: ['m-1'] }))).toEqual(['reload [m-2]']);
  });
});

describe('draining', () => {
  test('unclaimed sends are refused, calls in flight are stored, nothing new is claimed', () => {
    const turns = new Turns().sent('m-1');
    turns.send('m-2');
    expect(turns.tell({ type: 'drain' })).toEqual(['✗ 2: unavailable']);
    expect(turns.answer('m-1', unknown)).toEqual(['record m-1:unknown → 1: queued']);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    expect(turns.pass(5 * minutes)).toEqual([]);
    expect(turns.send('m-3')).toEqual(['✗ 3: unavailable']);
    expect([turns.state.sends.calls, turns.state.deliveries.posts, turns.state.facts.jobs.size]).toEqual([
      0, 0, 0,
    ]);
  });
});

describe('sends that an earlier owner left, whose clock was ahead by five hours [faults: 554]', () => {
  const ahead = newYear + 5 * 60 * minutes;
  const left = (id: string, fields: Parameters<typeof openMessage>[0]) =>
    openMessage({ id, createdAt: ahead, attemptedAt: ahead, ...fields });

  test('one that upstream had refused for now is called when as much time has passed by our clock', () => {
    const turns = new Turns({ open: [left('m-1', { copies: 0, nextTryAt: ahead + 10 * seconds })] });
    expect(turns.pass(10 * seconds - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(['call m-1, copy 1 again']);
  });

  test('one that nobody confirmed is resent after 3 minutes, and fails after 10', () => {
    const turns = new Turns({ type: 'pagechat', open: [left('m-1', {})] });
    expect(turns.pass(3 * minutes - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(['call m-1, copy 2 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', unknown);
    expect(turns.pass(7 * minutes)).toEqual([expect.stringContaining('m-1:failed(Upstream never confirmed')]);
  });

  test('those that were postponed go in their order', () => {
    const postponed = { copies: 0, tries: 0 };
    const first = left('m-1', { ...postponed, nextTryAt: ahead + 300 * seconds });
    const attemptedAt = ahead + 20 * seconds;
    const second = left('m-2', { ...postponed, attemptedAt, nextTryAt: ahead + 306 * seconds });
    const turns = new Turns({ open: [second, first] });
    expect(turns.pass(280 * seconds)).toEqual(['call m-1, copy 1 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', accepted());
    expect(turns.pass(6 * seconds)).toEqual(['call m-2, copy 1 again']);
  });

  test('also those that it wrote after this owner took over', () => {
    const turns = new Turns({ epoch: 2 });
    turns.pass(15 * seconds);
    const late = left('m-1', { copies: 0, nextTryAt: ahead + 10 * seconds });
    turns.tell(reloaded({ sends: [late] }));
    expect(turns.pass(10 * seconds)).toEqual(['call m-1, copy 1 again']);
  });
});
