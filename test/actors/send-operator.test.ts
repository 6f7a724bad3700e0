/** A send that upstream refuses for the operator's fault waits, however long that takes. [operator-interface §4: an invalid proof] */
import { describe, expect, test } from '@jest/globals';
import { operatorFaultSentence } from '../../src/rules/messages/operator-fault.ts';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import { newYear } from '../rules/samples.ts';
import { Turns, accepted, deferred, openMessage, settingsOf } from './support/turns.ts';

const minutes = 60_000;
const error = `${operatorFaultSentence} (upstream: Invalid appsecret_proof provided in the API argument)`;
const refused: UpstreamOutcome = { outcome: 'deferred', error, errorCode: 100, pause: 'channel' };

/** Passes the time, answers each call of the send with this outcome, and returns what the send came to. */
function live(turns: Turns, ms: number, outcome: UpstreamOutcome): { calls: number; failed: string[] } {
  let calls = 0;
  const failed: string[] = [];
  for (const until = turns.now + ms; turns.now < until;) {
    for (const line of turns.pass(1_000)) {
      if (line.includes('failed(')) failed.push(line);
      if (!line.startsWith('call m-1')) continue;
      calls += 1;
      turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
      turns.answered('m-1', outcome);
    }
  }
  return { calls, failed };
}

describe('refused for the operator’s fault', () => {
  test('it is tried every five minutes in the end, and has not failed after a day', () => {
    const turns = new Turns().sent('m-1').answered('m-1', refused);
    const { calls, failed } = live(turns, 24 * 60 * minutes, refused);
    expect(failed).toEqual([]);
    expect(calls).toBeGreaterThan(270);
    expect(calls).toBeLessThan(300);
  });

  test('its time to give up starts when upstream judges it', () => {
    const turns = new Turns().sent('m-1').answered('m-1', refused);
    live(turns, 60 * minutes, refused);
    const judged = live(turns, 9 * minutes, deferred());
    expect(judged.failed).toEqual([]);
    expect(live(turns, 12 * minutes, deferred()).failed).toHaveLength(1);
  });

  test('it does not slow the channel down afterwards', () => {
    const turns = new Turns().sent('m-1').answered('m-1', refused);
    live(turns, 2_000, accepted('up-1'));
    expect(turns.state.sends.gapMs).toBe(0);
  });

  test('of a channel that stops meanwhile, a copy that may have gone out can be confirmed for ten minutes more, then it fails', () => {
    const unknown = { outcome: 'unknown', error: 'No answer' } as const;
    const turns = new Turns().sent('m-1').answered('m-1', unknown);
    live(turns, 60 * minutes, refused);
    const settings = settingsOf({ channel: { isActive: false } });
    turns.tell({ type: 'settings-loaded', request: 1, settings, ask: null });
    expect(live(turns, 9 * minutes, refused)).toEqual({ calls: 0, failed: [] });
    expect(live(turns, 7 * minutes, refused).failed).toHaveLength(1);
  });

  test('the next owner waits as long', () => {
    const message = {
      state: 'queued',
      copies: 0,
      tries: 9,
      nextTryAt: newYear + 1_000,
      error,
      errorCode: 100,
    } as const;
    const turns = new Turns({ open: [openMessage({ ...message, createdAt: newYear - 60 * minutes })] });
    expect(live(turns, 60 * minutes, refused).failed).toEqual([]);
  });

  test('the next owner does not count the time before upstream judged it', () => {
    const call = {
      at: newYear - minutes,
      endedAt: newYear - minutes,
      outcome: 'deferred',
      traceId: null,
    } as const;
    const message = {
      state: 'queued',
      copies: 0,
      tries: 9,
      nextTryAt: newYear + 1_000,
      error: 'Try later',
      errorCode: 131000,
      calls: { 8: { ...call, error, code: 100 }, 9: { ...call, error: 'Try later', code: 131000 } },
    } as const;
    const turns = new Turns({ open: [openMessage({ ...message, createdAt: newYear - 60 * minutes })] });
    expect(live(turns, 2 * minutes, deferred()).failed).toEqual([]);
  });
});
