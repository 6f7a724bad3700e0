/** Sends turn by turn: the effect of the store's answers, of settings and of time on an open send. [architecture §5] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelEffect, ChannelMessage } from '../../actors/channel/messages.ts';
import { sentenceFor } from '../../src/rules/messages/error-codes.ts';
import { newYear } from '../rules/samples.ts';
import { committed, facts, receiptOf } from './support/facts.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { Turns, accepted, briefly, deferred, openMessage, refused, reloaded, gone } from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;

function mailIn(effects: readonly ChannelEffect[]): unknown[] {
  const writes = effects.flatMap((effect) => (effect.effect === 'commit' ? effect.writes : []));
  return writes.flatMap((write) => (write.write === 'addMail' ? [write.mail] : []));
}

function eventsIn(effects: readonly ChannelEffect[]): unknown[] {
  return effects.flatMap((effect) => (effect.effect === 'commit' ? effect.events : []));
}

/** A channel in a pause, with one send that is being postponed. */
function postponing(): Turns {
  const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
  turns.send('m-1');
  return turns;
}

test('a send that no client waits for is ignored, because nobody would get its answer', () => {
  const content = { type: 'text', text: 'Hello' } as const;
  expect(new Turns().tell({ type: 'send', messageId: 'm-1', recipient: 'mia', content })).toEqual([]);
});

describe('an answer of the store about a send that is no longer known', () => {
  test.each<[string, ChannelMessage]>([
    ['that it is claimed', { type: 'claim-ended', messageId: 'm-9', outcome: 'claimed' }],
    ['that it is withdrawn', { type: 'claim-ended', messageId: 'm-9', outcome: 'withdrawn', found: null }],
    ['that it was lost', { type: 'claim-ended', messageId: 'm-9', outcome: 'lost', found: null }],
    ['nothing', { type: 'claim-ended', messageId: 'm-9', outcome: 'unanswered' }],
    ['that it waits', { type: 'postpone-ended', messageId: 'm-9', outcome: 'postponed' }],
    ['that it can not wait', { type: 'postpone-ended', messageId: 'm-9', outcome: 'unanswered' }],
  ])('%s: no effects', (_, message) => {
    expect(new Turns().tell(message)).toEqual([]);
  });
});

describe('a send that is being postponed', () => {
  test('is stored with the reason why it waits', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    const [effect] = turns.effects(
      { type: 'send', messageId: 'm-1', recipient: 'mia', content: { type: 'text', text: 'Hello' } },
      2,
    );
    expect(effect).toMatchObject({
      effect: 'postpone',
      send: {
        refusal: {
          error:
            'The message waits: upstream limits the rate of this channel, or has refused a call before it',
          errorCode: null,
        },
      },
    });
  });

  test('whose id is taken is answered with what has the id, and delays no other send', () => {
    const turns = postponing();
    const message = openMessage({ state: 'sent' }).message;
    expect(turns.tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'lost', found: message })).toEqual(
      ['→ 2: sent'],
    );
    expect(turns.state.sends.queues.get('mia')?.postponed ?? 0).toBe(0);
  });

  test('without an answer of the store is withdrawn', () => {
    const turns = postponing();
    expect(turns.tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      'withdraw m-1',
    ]);
  });

  test('whose id another owner has queued is answered queued, and read again', () => {
    const found = openMessage({ state: 'queued' }).message;
    expect(postponing().tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'lost', found })).toEqual([
      '→ 2: queued',
      'reload [m-1]',
    ]);
  });

  test('is answered once: the answer to its call goes to nobody', () => {
    const turns = postponing();
    turns.postponed('m-1');
    turns.pass(2 * seconds);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1']);
  });
});

test('a send that another owner has stored is answered once, with what is stored', () => {
  const turns = new Turns();
  turns.send('m-1');
  const found = openMessage({ state: 'queued', copies: 0, nextTryAt: newYear }).message;
  expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found })).toEqual([
    '→ 1: queued',
    'reload [m-1]',
  ]);
  turns.tell(facts(receiptOf({ status: 'sent', tag: 'm-1', upstreamId: 'up-1' })));
  turns.tell({ type: 'facts-resolved', job: 1, known: [found], conversations: [], delivered: [] });
  expect(turns.tell(committed(1))).toEqual([]);
});

test('a send that another owner has stored is taken over, and answers nobody again', () => {
  const turns = new Turns();
  turns.send('m-1');
  const found = openMessage({ state: 'queued', copies: 0, nextTryAt: newYear }).message;
  turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'lost', found });
  turns.tell(reloaded({ messageIds: ['m-1'], open: [found] }));
  turns.pass(seconds);
  turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
  expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1']);
});

describe('the id of the request that asked for a send', () => {
  const asked = (): Turns => {
    const turns = new Turns();
    const content = { type: 'text', text: 'Hello' } as const;
    turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content, requestId: 'request-7' });
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    return turns;
  };

  test.each([
    ['message.sent', accepted()],
    ['message.failed', refused],
  ])('is in its %s', (event, outcome) => {
    const turns = asked();
    turns.pass(30 * seconds);
    const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome });
    expect(eventsIn(effects)).toEqual([expect.objectContaining({ event, requestId: 'request-7' })]);
  });

  test.each([
    ['the id of the request', asked, { requestId: 'request-7' }],
    ['no id, if the request had none', () => new Turns().sent('m-1'), {}],
  ])('the record of its call has %s', (_, send, id) => {
    const turns = send();
    const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome: deferred() });
    const writes = effects.flatMap((each) => (each.effect === 'commit' ? each.writes : []));
    const said = { outcome: 'deferred', error: 'Too fast', code: 131053, traceId: null };
    const call = { n: 1, at: newYear, endedAt: newYear, ...said, ...id };
    expect(writes.map((each) => ('call' in each ? each.call : null))).toStrictEqual([call]);
  });
});

describe('a deleted channel', () => {
  test('stores that upstream accepted a call, and makes no event', () => {
    const turns = new Turns().sent('m-1');
    turns.tell(gone);
    const effects = turns.effects({
      type: 'send-result',
      messageId: 'm-1',
      attempt: 1,
      outcome: accepted(),
    });
    expect(effects[0]).toMatchObject({
      effect: 'commit',
      writes: [{ write: 'recordAccepted', messageId: 'm-1', upstreamId: 'up-1', rank: 1 }],
    });
    expect(effects).toMatchObject([{ events: { length: 0 }, deliveries: { length: 0 } }]);
  });

  test.each([
    [0, 'record m-1:failed(Expired, 190) → 1: {"status":"failed","error":"Expired","errorCode":190}'],
    [30 * seconds, 'record m-1:failed(Expired, 190)'],
  ])(
    'stores that upstream refused a call after %i ms, sends no mail, and forgets the send',
    (afterMs, line) => {
      const turns = new Turns().sent('m-1');
      turns.pass(afterMs);
      turns.tell(gone);
      const outcome = { outcome: 'refused', error: 'Expired', errorCode: 190 } as const;
      const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome });
      expect(effects).toEqual([
        expect.objectContaining({ effect: 'commit', report: { type: 'send-recorded', messageId: 'm-1' } }),
      ]);
      expect(briefly(effects)).toEqual([line]);
    },
  );

  test('refuses a send whose claim the store did not answer: no owner will take it over', () => {
    const turns = new Turns();
    turns.send('m-1');
    turns.tell(gone);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      '✗ 1: unavailable',
    ]);
  });
});

describe('a send that fails after its client was answered', () => {
  function failed(): { turns: Turns; effects: ChannelEffect[] } {
    const turns = new Turns().sent('m-1');
    turns.pass(30 * seconds);
    const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome: refused });
    return { turns, effects };
  }

  test("makes an event with upstream's code and text", () => {
    expect(eventsIn(failed().effects)).toEqual([
      expect.objectContaining({
        event: 'message.failed',
        messageId: 'm-1',
        data: expect.objectContaining({
          error: 'Not reachable',
          errors: [expect.objectContaining({ code: 131026, title: 'Not reachable' })],
        }),
      }),
    ]);
  });

  test('without a code makes an event with an empty errors list', () => {
    const turns = new Turns().sent('m-1');
    turns.pass(30 * seconds);
    const outcome = { outcome: 'refused', error: 'Not reachable', errorCode: null } as const;
    const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome });
    expect(eventsIn(effects)).toEqual([
      expect.objectContaining({ data: expect.objectContaining({ error: 'Not reachable', errors: [] }) }),
    ]);
  });

  test('answers a repeated request with the same error, once it is stored', () => {
    const { turns } = failed();
    turns.send('m-1');
    expect(turns.tell({ type: 'send-recorded', messageId: 'm-1' })).toEqual([
      '→ 2: {"status":"failed","error":"Not reachable","errorCode":131026}',
    ]);
  });

  test('is a line of one mail per account and interval, sent at the end of the interval', () => {
    const interval = 15 * minutes;
    expect(mailIn(failed().effects)).toEqual([
      expect.objectContaining({
        id: `delivery-digest:account-1:${newYear / interval}`,
        accountId: 'account-1',
        kind: 'delivery-digest',
        sendAfter: newYear + interval,
        createdAt: newYear + 30 * seconds,
      }),
    ]);
  });
});

test('a send that failed after it was queued has its own mail if the interval is 0', () => {
  const turns = new Turns({ rules: { digestIntervalMs: 0 } }).sent('m-1');
  turns.pass(30 * seconds);
  const unreachable = { outcome: 'refused', error: 'Not reachable', errorCode: 131026 } as const;
  const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome: unreachable });
  const now = newYear + 30 * seconds;
  expect(mailIn(effects)).toEqual([
    expect.objectContaining({ id: `delivery-digest:account-1:${now}`, sendAfter: now + 1 }),
  ]);
});

describe('a token that upstream refuses', () => {
  const error = sentenceFor(190, { subcode: null, message: 'Session has expired' });
  const refusal = { outcome: 'refused', error, errorCode: 190, needsReconnect: true } as const;
  const token = plainSealer.sealText('token', 'test');

  test('makes one mail to the owner, which says what to do', () => {
    const turns = new Turns({ channel: { token } }).sent('m-1');
    const effects = turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome: refusal });
    expect(mailIn(effects)).toEqual([
      expect.objectContaining({
        kind: 'reconnect',
        sendAfter: newYear,
        line: expect.stringContaining(
          'The access token has expired or was revoked; reconnect the channel (code 190)',
        ),
      }),
    ]);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    turns.sent('m-2');
    expect(
      mailIn(turns.effects({ type: 'send-result', messageId: 'm-2', attempt: 1, outcome: refusal })),
    ).toEqual([]);
  });

  test.each([131026, 10])('another refusal makes no such mail: %i', (errorCode) => {
    const outcome = { outcome: 'refused', error: 'Not now', errorCode } as const;
    const turns = new Turns({ channel: { token } }).sent('m-1');
    expect(mailIn(turns.effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome }))).toEqual([]);
  });
});

describe('failed after ten minutes', () => {
  const neverConfirmed =
    'record message.failed m-1:failed(Upstream never confirmed the message; it may have arrived, null) mail:delivery-digest';

  test.each([
    ['may have gone out before it was refused', { copies: 2, error: 'Too fast', errorCode: 131053 }],
    ['was never refused', { copies: 0, error: null, nextTryAt: newYear + 20 * minutes }],
  ])('a send that %s was never confirmed', (_, fields) => {
    expect(new Turns({ open: [openMessage(fields)] }).pass(10 * minutes)).toContain(neverConfirmed);
  });
});
