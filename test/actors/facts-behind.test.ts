/** Which read of a conversation waits for which send, and which echo for which call. [spec: Delivery status; upstream §3.7, §4.8] */
import { describe, expect, test } from '@jest/globals';
import { remember, unmatchedFrom } from '../../actors/channel/facts/unmatched.ts';
import { limits } from '../../actors/channel/limits.ts';
import { echoOf, newYear } from '../rules/samples.ts';
import { committed, facts, readOf, receiptOf, resolved } from './support/facts.ts';
import { Turns, accepted, deferred, openMessage, refused, unknown } from './support/turns.ts';

describe('a read of a conversation waits', () => {
  const read = facts(readOf('pagechat', { at: newYear }));
  const take = (turns: Turns): string[] => {
    turns.tell(read);
    return turns.tell(resolved(turns.state.facts.nextJob - 1));
  };

  test.each<[string, (turns: Turns) => void]>([
    ['a send whose claim is being written', (turns) => void turns.send('m-1')],
    ['a send whose call is out', (turns) => void turns.sent('m-1')],
    ['a send that upstream took', (turns) => void turns.sent('m-1').answer('m-1', accepted('up-1'))],
  ])('for %s', (_, begin) => {
    const turns = new Turns({ type: 'pagechat' });
    begin(turns);
    expect(take(turns)).toEqual(['commit 1! hold c/read/mia']);
  });

  test.each<[string, (turns: Turns) => void]>([
    [
      'one that was asked for in a later second',
      (turns) => {
        turns.now += 1_000;
        turns.sent('m-1');
      },
    ],
    ['one to somebody else', (turns) => void turns.sent('m-1', 'noah')],
  ])('not for %s', (_, begin) => {
    const turns = new Turns({ type: 'pagechat' });
    begin(turns);
    expect(take(turns)).toEqual([]);
  });

  test('for an echo that has not come yet, if echoes have statuses', () => {
    const turns = new Turns({ type: 'pagechat', channel: { echoStatuses: true } });
    expect(take(turns)).toEqual(['commit 1! hold c/read/mia']);
    expect(take(new Turns({ type: 'pagechat' }))).toEqual([]);
  });

  test('but not for a status of an unknown message', () => {
    const turns = new Turns({ type: 'pagechat' });
    remember(turns.state, unmatchedFrom(turns.state, receiptOf(), turns.now));
    expect(take(turns)).toEqual([]);
  });

  test('but not for a send that an event has confirmed', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1');
    turns.tell(facts(receiptOf({ tag: 'm-1', channelType: 'pagechat', status: 'sent' })));
    const { message } = openMessage({ id: 'm-1' });
    turns.tell({ type: 'facts-resolved', job: 1, known: [message], conversations: [], delivered: [] });
    turns.tell(committed(1));
    expect(take(turns)).toEqual([]);
  });

  test('but not for a send that waits for a free call: it has not been sent', () => {
    const turns = new Turns({ type: 'pagechat' });
    for (let n = 0; n < limits.calls; n += 1) turns.sent(`m-${n}`, `to-${n}`);
    turns.send('waiting', 'mia');
    expect(turns.state.sends.open.get('waiting')?.stage).toBe('waiting');
    expect(take(turns)).toEqual([]);
  });

  test.each([
    ['for one whose answer is written while it is looked up', 'mia', ['commit 1! hold c/read/mia']],
    ['not for one to somebody else', 'noah', []],
  ])('%s', (_, recipient, lines) => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1', recipient);
    turns.tell(read);
    turns.answered('m-1', accepted('up-1'));
    expect(turns.tell(resolved(1))).toEqual(lines);
  });
});

describe('an echo that waits because a call to its person is in flight', () => {
  /** `m-2` is in flight, and an echo with the text of `m-1` waits for its answer. */
  const waiting = (turns: Turns): Turns => {
    turns.sent('m-2', 'mia', 'Another');
    const parts = [{ type: 'text' as const, text: 'Hello' }];
    const at = turns.now;
    turns.tell(facts(echoOf({ channelType: 'photoapp', upstreamId: 'up-1', recipient: 'mia', at, parts })));
    const job = turns.state.facts.nextJob - 1;
    expect(turns.tell(resolved(job))).toEqual([`commit ${job}! hold e/up-1`]);
    turns.tell(committed(job));
    return turns;
  };
  const photoapp = (): Turns => new Turns({ type: 'photoapp' }).sent('m-1');

  test('is looked up again when the call is refused while the echo is stored', () => {
    const turns = photoapp();
    turns.tell(facts(echoOf({ channelType: 'photoapp', upstreamId: 'up-1', recipient: 'mia' })));
    expect(turns.tell(resolved(1))).toEqual(['commit 1! hold e/up-1']);
    turns.answered('m-1', refused);
    expect(turns.tell(committed(1))).toEqual(['look up 2!']);
  });

  test('is decided before the send that it may confirm is resent', () => {
    const turns = photoapp().answered('m-1', unknown);
    expect(turns.pass(180_000)).toEqual(['call m-1, copy 2 again']);
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    turns.answered('m-1', deferred()); // the outcome of the first copy stays unknown
    waiting(turns);
    expect(turns.pass(5_000)).toEqual(['look up 2!']);
  });

  test('does not delay a send of which no copy can exist', () => {
    const turns = waiting(photoapp().answered('m-1', deferred()));
    expect(turns.pass(5_000)).toContain('call m-1, copy 1 again');
  });

  test('is decided at once if its waiting time ends during the look-up', () => {
    const turns = waiting(photoapp().answered('m-1', unknown));
    turns.state.facts.toRematch = [...turns.state.facts.unmatched.values()];
    expect(turns.tell({ type: 'alarm' })).toEqual(['look up 2!']);
    turns.now += limits.echoWaitMs;
    expect(turns.tell(resolved(2))).toEqual([
      expect.stringMatching(/^commit 2! message\.delivered\(m-1\) .* drop e\/up-1$/),
    ]);
  });

  test('is not looked up before a send is due', () => {
    const turns = waiting(photoapp().answered('m-1', unknown));
    expect(turns.tell({ type: 'alarm' })).toEqual([]);
  });
});
