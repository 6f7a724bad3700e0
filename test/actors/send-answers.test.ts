/** The answer of a call, turn by turn: what of it is on record, and one that comes when nobody waits for it any more. [faults: 8] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { UpstreamOutcome } from '../../src/domain/messages/upstream-outcome.ts';
import { Turns, accepted, refused } from './support/turns.ts';

describe('the answer of a call that nobody waits for any more', () => {
  const ended = (messageId: string, attempt: number, outcome: UpstreamOutcome): ChannelMessage => ({
    type: 'send-result',
    messageId,
    attempt,
    outcome,
  });

  test.each([
    [accepted(), ['record m-9:accepted=up-1/1']],
    [refused, []],
  ])('is on record when upstream took it: %j', (outcome, lines) => {
    expect(new Turns().tell(ended('m-9', 1, outcome))).toEqual(lines);
  });

  test('leaves the next call of the same message nothing to say but that it was taken too', () => {
    const turns = new Turns().sent('m-1');
    expect(turns.tell(ended('m-1', 0, accepted('up-0')))).toEqual(['record m-1:accepted=up-0/1']);
    turns.state.sends.calls += 1;
    expect(turns.answer('m-1', refused)).toEqual([]);
  });

  test('is nothing when the message has ended before that was on record', () => {
    expect(new Turns().tell({ type: 'send-recorded', messageId: 'm-9' })).toEqual([]);
  });
});

test('of a first call that was taken the record says all there is: it is no call of its own', () => {
  const outcome = accepted();
  const effects = new Turns()
    .sent('m-1')
    .effects({ type: 'send-result', messageId: 'm-1', attempt: 1, outcome });
  expect(effects).toMatchObject([{ writes: [{ write: 'recordAccepted', call: undefined }] }]);
});
