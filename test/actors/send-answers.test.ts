/** The answer to a call, turn by turn: what is stored of it, also if it comes when nothing waits for it any more. [faults: 8] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import { Turns, accepted, deferred, refused, rules, unknown } from './support/turns.ts';

describe('the answer to a call of a send that has ended', () => {
  const ended = (messageId: string, attempt: number, outcome: UpstreamOutcome): ChannelMessage => ({
    type: 'send-result',
    messageId,
    attempt,
    outcome,
  });

  test.each([
    [accepted(), ['record m-9:accepted=up-1/1']],
    [refused, []],
  ])('is stored if upstream accepted the call: %j', (outcome, lines) => {
    expect(new Turns().tell(ended('m-9', 1, outcome))).toEqual(lines);
  });

  test('of an acceptance makes the refusal of the next call irrelevant', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.tell(ended('m-1', 0, accepted('up-0')))).toEqual(['record m-1:accepted=up-0/1']);
    turns.state.sends.calls += 1;
    expect(turns.answer('m-1', refused)).toEqual([]);
  });

  test('has no effect if the message was forgotten before it is stored', () => {
    expect(new Turns().tell({ type: 'send-recorded', messageId: 'm-9' })).toEqual([]);
  });
});

test("an accepted first call stores no separate call: the message's own fields say it all", () => {
  const outcome = accepted();
  const effects = new Turns()
    .sent('m-1')
    .effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome });
  expect(effects).toMatchObject([{ writes: [{ write: 'recordAccepted', call: undefined }] }]);
});

describe('an outcome that the store does not take: the client is answered `queued` in time', () => {
  const recorded = { type: 'send-recorded', messageId: 'm-1' } as const;

  test.each([
    ['accepted', accepted(), []],
    ['deferred', deferred(), []],
    ['unknown', unknown, []],
    ['refused', refused, ['record message.failed mail:delivery-digest']],
  ])('%s; a failure is told by its event when it is stored', (_, outcome, told) => {
    const turns = new Turns().sent('m-1');
    turns.answer('m-1', outcome);
    expect(turns.pass(rules.sendQueuedAfterMs - 1)).toEqual([]);
    expect(turns.pass(1)).toEqual(['→ 1: queued']);
    expect(turns.pass(rules.sendQueuedAfterMs)).toEqual([]);
    expect(turns.tell(recorded)).toEqual(told);
  });

  test('a repeated request is answered by the same time, and a failure is still told once', () => {
    const turns = new Turns().sent('m-1');
    turns.pass(rules.sendQueuedAfterMs);
    turns.answer('m-1', refused);
    expect(turns.send('m-1')).toEqual([]);
    expect(turns.pass(1)).toEqual(['→ 2: queued']);
    expect(turns.tell(recorded)).toEqual([]);
  });

  test('nothing more is said of an outcome that is stored in time', () => {
    const turns = new Turns().sent('m-1').answered('m-1', refused);
    expect(turns.pass(2 * rules.sendQueuedAfterMs)).toEqual([]);
  });
});
