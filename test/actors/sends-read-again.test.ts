/** An owner reads again what it is not certain of, turn by turn. [architecture §1] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { Turns, openMessage, refused, reloaded, rules, unknown } from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;
const untaken: ChannelMessage = { type: 'wake', untaken: true };

/** A send whose second claim the store did not answer, while it is read again. */
function uncertain(): Turns {
  const turns = new Turns({ type: 'pagechat' }).sent('m-1').answered('m-1', unknown);
  turns.pass(3 * minutes);
  turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' });
  return turns;
}

describe('a new owner', () => {
  const lastCallMs = rules.sendResendAfterMs + limits.recheckMs;

  test('reads 15 s after it took over, once more when no call of the previous owner can be in flight, and never again', () => {
    const turns = new Turns({ epoch: 2 });
    expect([turns.pass(limits.recheckMs - 1), turns.pass(1)]).toEqual([[], ['reload []']]);
    turns.tell(reloaded());
    expect([turns.pass(lastCallMs - 1), turns.pass(1)]).toEqual([[], ['reload []']]);
    turns.tell(reloaded());
    expect([turns.pass(60 * minutes), turns.state.wakeAt]).toEqual([[], Infinity]);
  });

  test('not while another read runs', () => {
    const turns = new Turns({ epoch: 2 });
    expect(turns.tell(untaken)).toEqual(['reload []']);
    expect(turns.pass(limits.recheckMs)).toEqual([]);
  });

  test('but not if it drains before that', () => {
    const turns = new Turns({ epoch: 2 });
    turns.tell({ type: 'drain' });
    turns.now += limits.recheckMs;
    expect([turns.tell({ type: 'alarm' }), turns.state.wakeAt]).toEqual([[], Infinity]);
  });
});

describe('a claim that turns out to be stored as it was made', () => {
  test('is taken back, because it made no copy: the send is retried a second later', () => {
    const turns = uncertain();
    const { now } = turns;
    const stored = { state: 'sending', copies: 2, tries: 2, attemptedAt: now } as const;
    expect(
      turns.effects(reloaded({ messageIds: ['m-1'], open: [openMessage(stored).message] })),
    ).toMatchObject([
      {
        writes: [
          {
            write: 'recordDeferred',
            messageId: 'm-1',
            nextTryAt: now + seconds,
            error: 'The store was not available',
            errorCode: null,
          },
        ],
      },
    ]);
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    expect([turns.pass(seconds - 1), turns.pass(1)]).toEqual([[], ['call m-1, copy 2 again']]);
  });

  test.each([
    ['that is over', { state: 'queued', tries: 2, attemptedAt: newYear + 3 * minutes }],
    ['of another try', { state: 'sending', tries: 3, attemptedAt: newYear + 3 * minutes }],
    ['of another moment', { state: 'sending', tries: 2, attemptedAt: newYear + 3 * minutes - 1 }],
  ] as const)('%s is left unchanged: its outcome is unknown', (_, stored) => {
    const turns = uncertain();
    expect(
      turns.tell(reloaded({ messageIds: ['m-1'], open: [openMessage({ copies: 2, ...stored }).message] })),
    ).toEqual([]);
    expect(turns.state.sends.open.get('m-1')?.stage).toBe('unconfirmed');
  });
});

test('an unanswered claim of a send that the previous owner stored is read, and never made void', () => {
  const turns = new Turns({ open: [openMessage({ copies: 0, nextTryAt: newYear + seconds })] });
  expect(turns.pass(seconds)).toEqual(['call m-1, copy 1 again']);
  expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
    'reload [m-1]',
  ]);
});

test('a send of the previous owner that nobody confirmed fails when its copy is refused', () => {
  const turns = new Turns({ open: [openMessage()] });
  turns.pass(3 * minutes);
  turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
  expect(turns.answer('m-1', refused)).toEqual([
    'record message.failed m-1:failed(Not reachable, 131026) mail:delivery-digest',
  ]);
});

test.each([
  ['its one call', 1, 10 * minutes],
  ['it was asked for, when it was called again', 2, 6 * minutes],
])('a send of the previous owner fails ten minutes after %s', (_, tries, afterMs) => {
  const turns = new Turns({ open: [openMessage({ copies: 2, tries, createdAt: newYear - 4 * minutes })] });
  expect([turns.pass(afterMs - 1), turns.pass(1)]).toEqual([[], [expect.stringContaining('m-1:failed(')]]);
});

test('a send that the previous owner postponed is called when its pause is over, however late', () => {
  const open = [openMessage({ copies: 0, tries: 0, nextTryAt: newYear + 20 * minutes })];
  const turns = new Turns({ open });
  expect([turns.pass(20 * minutes - 1), turns.pass(1)]).toEqual([[], ['call m-1, copy 1 again']]);
});

test('a send that an event confirmed during the read is forgotten, whatever the store says', () => {
  const turns = uncertain();
  const { message } = openMessage();
  turns.tell({ type: 'take-facts', facts: [receiptOf({ status: 'sent', tag: 'm-1' })] });
  turns.tell({ type: 'facts-resolved', job: 1, known: [message], conversations: [], delivered: [] });
  turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
  expect(turns.tell(reloaded({ messageIds: ['m-1'], open: [message] }))).toEqual([]);
  expect(turns.state.sends.open.size).toBe(0);
});
