/** The pace of a channel and of a pair, turn by turn. [upstream §3.7, §3.8] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { newYear } from '../rules/samples.ts';
import { Turns, accepted, deferred } from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;
const tooFast = deferred('channel', 130429);

function answeredAt(turns: Turns, messageId: string): number {
  turns.sent(messageId, `to-${messageId}`).answered(messageId, accepted(`up-${messageId}`));
  return turns.state.sends.gapMs;
}

/** A channel after upstream's pause: the send that caused it has been accepted. */
function slowedDown(): Turns {
  const turns = new Turns({ type: 'pagechat' }).sent('m-0', 'noah').answered('m-0', tooFast);
  turns.pass(2 * seconds);
  turns.tell({ type: 'claim-ended', messageId: 'm-0', outcome: 'claimed' });
  return turns.answered('m-0', accepted('up-0'));
}

describe('a channel that was too fast', () => {
  test('slows down further if a call is refused at the moment when the pause ends', () => {
    const turns = new Turns();
    for (const id of ['m-1', 'm-2']) turns.sent(id, `to-${id}`);
    turns.answered('m-1', tooFast);
    turns.now = turns.state.sends.pausedUntil;
    turns.answered('m-2', tooFast);
    expect(turns.state.sends.gapMs).toBe(25);
  });

  test('doubles its pace after each quiet minute, once, until it is unlimited', () => {
    const turns = slowedDown();
    turns.state.sends.gapMs = 50;
    const gaps = [1, 2, 3, 4].map((minute) => {
      turns.now += minutes;
      const first = answeredAt(turns, `a-${minute}`);
      turns.now += seconds;
      return [first, answeredAt(turns, `b-${minute}`)];
    });
    expect(gaps).toEqual([
      [25, 25],
      [12.5, 12.5],
      [0, 0],
      [0, 0],
    ]);
  });

  test.each([
    [limits.turn, 12.5],
    [limits.turn + 1, 250],
  ])('with %i open sends sets its alarm after %d ms', (count, afterMs) => {
    const turns = slowedDown();
    for (let n = 1; n <= count; n += 1) turns.send(`m-${n}`, `to-${n}`);
    expect(turns.tell({ type: 'alarm' })).toEqual([]);
    expect(turns.state.wakeAt - turns.now).toBe(afterMs);
  });
});

describe('the memory of pairs', () => {
  test('keeps pairs that were used again longest', () => {
    const turns = new Turns();
    const { pairs } = turns.state.sends;
    for (let n = 0; n < limits.pairs; n += 1) pairs.set(`before-${n}`, newYear + 6 * seconds);
    turns.sent('m-1', 'before-0').answered('m-1', accepted());
    expect(pairs.size).toBe(limits.pairs);
    turns.sent('m-2', 'mia').answered('m-2', accepted('up-2'));
    expect([pairs.size, pairs.has('before-0'), pairs.has('before-1')]).toEqual([
      limits.pairs + 1 - limits.pairs / 20,
      true,
      false,
    ]);
  });

  test('forgets a pair at the moment when its whole burst is available', () => {
    const turns = new Turns().sent('m-1').answered('m-1', accepted());
    turns.now += 6 * seconds - 1;
    turns.tell({ type: 'alarm' });
    expect(turns.state.sends.pairs.size).toBe(1);
    turns.now += 1;
    turns.tell({ type: 'alarm' });
    expect(turns.state.sends.pairs.size).toBe(0);
  });
});
