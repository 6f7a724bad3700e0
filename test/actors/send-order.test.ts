/** The order of sends, and the times of the channel's alarm. [architecture §5] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { chatappProfile } from '../support/profiles.ts';
import { newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { Turns, accepted, deferred, openMessage } from './support/turns.ts';

const seconds = 1_000;

const claimed = (messageId: string) => ({ type: 'claim-ended', messageId, outcome: 'claimed' }) as const;
const unanswered = (messageId: string) =>
  ({ type: 'claim-ended', messageId, outcome: 'unanswered' }) as const;

/** A channel with every call in flight, each to another person. */
function allCallsOut(turns = new Turns()): Turns {
  for (let n = 0; n < limits.calls; n += 1) turns.sent(`out-${n}`, `to-${n}`);
  return turns;
}

describe('one recipient', () => {
  test('the answer to a call that was overtaken does not start the send behind the overtaking one', () => {
    const turns = new Turns().sent('m-1');
    turns.send('m-2');
    turns.pass(2 * seconds);
    turns.tell(claimed('m-2'));
    turns.send('m-3');
    expect(turns.answer('m-1', accepted())).toEqual(['record message.sent m-1:accepted=up-1/1 → 1: sent']);
    expect(turns.answer('m-2', accepted('up-2'))).toEqual([
      'record message.sent m-2:accepted=up-2/1 → 2: sent',
      'call m-3, copy 1',
    ]);
  });

  test('only the send that waited too long for a free call is refused; a later one is called when a call is free', () => {
    const turns = allCallsOut();
    turns.send('m-1');
    turns.pass(2 * seconds);
    turns.send('m-2');
    expect(turns.pass(3 * seconds)).toEqual(['✗ 101: overloaded']);
    expect(turns.answer('out-0', accepted())).toEqual([
      'record message.sent out-0:accepted=up-1/1 → 1: sent',
      'call m-2, copy 1',
    ]);
  });

  test('a new send stays behind the last postponed one, although an earlier one has ended', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    for (const id of ['m-1', 'm-2']) {
      turns.send(id);
      turns.postponed(id);
    }
    turns.pass(2 * seconds);
    turns.tell(claimed('m-1'));
    turns.answered('m-1', accepted());
    expect(turns.send('m-3')).toEqual([expect.stringMatching(/^postpone m-3/)]);
  });

  test('a new send is queued behind postponed ones, although the pause is over', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    for (const id of ['m-1', 'm-2']) {
      turns.send(id);
      turns.postponed(id);
    }
    turns.pass(2 * seconds);
    turns.tell(claimed('m-1'));
    expect(turns.send('m-3')).toEqual([expect.stringMatching(/^postpone m-3/)]);
    turns.postponed('m-3');
    turns.answered('m-1', accepted());
    expect(turns.send('m-4')).toEqual([expect.stringMatching(/^postpone m-4/)]);
  });

  test('a new send at the moment when a pause ends is called', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    turns.now = turns.state.sends.pausedUntil;
    expect(turns.send('m-1')).toEqual(['call m-1, copy 1']);
  });

  test.each([
    [limits.turn, []],
    [limits.turn + 1, [`postpone m-${limits.turn + 1} for`]],
  ])(
    'of %i sends that wait when a pause starts, one turn postpones 500, the next one the rest',
    (count, rest) => {
      const turns = new Turns({ type: 'pagechat' }).sent('m-0');
      for (let n = 1; n <= count; n += 1) turns.send(`m-${n}`);
      const lines = turns
        .answer('m-0', deferred('pair', 131056))
        .filter((line) => line.startsWith('postpone'));
      expect([lines.length, turns.state.wakeAt > turns.now + 1]).toEqual([
        limits.turn,
        count === limits.turn,
      ]);
      expect(turns.pass(1)).toEqual(rest.map((line) => expect.stringContaining(line)));
    },
  );

  test('a send that was withdrawn blocks no later one', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    turns.send('m-1');
    turns.tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'unanswered' });
    turns.pass(2 * seconds);
    expect(turns.send('m-2')).toEqual(['call m-2, copy 1']);
  });
});

describe('a free call', () => {
  test('is needed by retries too', () => {
    const turns = new Turns().sent('m-1').answered('m-1', deferred());
    allCallsOut(turns);
    expect(turns.pass(2 * seconds)).toEqual([]);
    turns.answer('out-0', accepted());
    expect(turns.pass(limits.retryPauseMs)).toEqual(['call m-1, copy 1 again']);
  });

  test('that never comes: `Retry-After` is the longest possible wait', () => {
    const turns = allCallsOut();
    turns.send('m-1');
    turns.now += 4 * seconds + 500;
    turns.tell({ type: 'alarm' });
    turns.now += 500;
    expect(turns.effects({ type: 'alarm' })).toEqual([
      { effect: 'refuse', asks: [101], code: 'overloaded', details: { retryAfter: 5 } },
    ]);
  });

  test.each([
    ['too old', 5 * seconds, { type: 'alarm' }, 'overloaded'],
    [
      'of a channel that is gone',
      0,
      { type: 'settings-loaded', request: 1, settings: null, ask: null },
      'not_found',
    ],
  ] as const)(
    'of hundreds of sends that are %s, one turn refuses 500, the next one the rest',
    (_, afterMs, why, code) => {
      const turns = allCallsOut();
      for (let n = 0; n <= limits.turn; n += 1) turns.send(`m-${n}`, `waits-${n}`);
      turns.now += afterMs;
      const lines = turns.tell(why);
      const last = limits.calls + limits.turn;
      expect([lines.length, lines.at(-1)]).toEqual([limits.turn, `✗ ${last}: ${code}`]);
      expect(turns.state.wakeAt).toBe(turns.now + (afterMs === 0 ? 0 : 1));
      turns.now += 1;
      expect(turns.tell({ type: 'alarm' })).toEqual([`✗ ${last + 1}: ${code}`]);
    },
  );
});

describe('the alarm is set', () => {
  test('for the time at which a send is too old, then for the time at which its client is answered queued', () => {
    const turns = new Turns({ type: 'pagechat' });
    turns.send('m-1');
    expect(turns.state.wakeAt).toBe(newYear + 5 * seconds);
    turns.pass(10 * seconds);
    turns.tell(claimed('m-1'));
    expect(turns.state.wakeAt).toBe(newYear + 30 * seconds);
    turns.send('m-1');
    expect(turns.state.wakeAt).toBe(newYear + 30 * seconds);
  });

  test('for the time at which a withdrawal has taken too long', () => {
    const turns = new Turns();
    turns.send('m-1');
    turns.tell(unanswered('m-1'));
    expect(turns.state.wakeAt).toBe(newYear + 5 * seconds);
  });

  test('for a retry that is due behind another call once that is answered, and no further', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1').answered('m-1', deferred()).sent('m-2');
    turns.pass(seconds);
    turns.answered('m-2', accepted());
    expect(turns.pass(0)).toEqual(['call m-1, copy 1 again']);
    turns.tell(claimed('m-1'));
    turns.answered('m-1', accepted());
    expect(turns.state.wakeAt).toBeGreaterThan(turns.now);
  });

  test('for no retry that is not due', () => {
    const turns = new Turns({ type: 'pagechat' }).sent('m-1').answered('m-1', deferred()).sent('m-2');
    turns.tell({ type: 'alarm' });
    turns.answered('m-2', accepted());
    expect(turns.state.wakeAt).toBe(newYear + seconds);
  });
});

test('a file that the licence does not cover is refused at once, although no call is free', () => {
  const turns = allCallsOut(new Turns({ subscription: { tier: 'starter' } }));
  const url = 'https://files.example/f';
  const content = { type: 'media', mediaType: 'image', url, caption: null, filename: null } as const;
  expect(turns.ask({ type: 'send', messageId: 'm-1', recipient: 'mia', content })).toEqual([
    '✗ 101: tier_too_low',
  ]);
});

test('of hundreds whose licence ends while they wait, one turn refuses 500, and the next follows a moment later', () => {
  const turns = allCallsOut(new Turns({ subscription: { expiresAt: newYear + seconds } }));
  for (let n = 0; n <= limits.turn; n += 1) turns.send(`m-${n}`, `waits-${n}`);
  turns.now += seconds;
  expect(turns.tell({ type: 'alarm' })).toHaveLength(limits.turn);
  expect(turns.state.wakeAt).toBe(turns.now + 1);
});

test('a video that waits for the pace of videos delays no other send', () => {
  const turns = new Turns({ type: 'pagechat' });
  const url = 'https://files.example/f';
  const content = { type: 'media', mediaType: 'video', url, caption: null, filename: null } as const;
  for (let n = 1; n <= 40; n += 1)
    turns.ask({ type: 'send', messageId: `clip-${n}`, recipient: `to-${n}`, content });
  turns.sent('m-1').send('m-2');
  expect(turns.pass(2 * seconds)).toContain('call m-2, copy 1');
});

test('the claim of a retry names the previous call; the first claim names none', () => {
  const turns = new Turns();
  const content = { type: 'text', text: 'Hello' } as const;
  const first = turns.effects({ type: 'send', messageId: 'm-1', recipient: 'mia', content }, 1);
  expect(first).toMatchObject([{ effect: 'claim-and-call', send: { callBefore: null } }]);
  turns.tell(claimed('m-1'));
  turns.answered('m-1', deferred());
  turns.now += seconds;
  expect(turns.effects({ type: 'alarm' })).toMatchObject([{ send: { callBefore: { n: 1, at: newYear } } }]);
});

test.each([
  ['was called, with an unknown end,', {}],
  ['was called and waits for its next try', { copies: 0, nextTryAt: newYear + 7 * seconds }],
])('a send that %s before a restart delays no other', (_, fields) => {
  const turns = new Turns({ open: [openMessage(fields)] });
  expect(turns.send('m-2')).toEqual(['call m-2, copy 1']);
});

const postponed = openMessage({ copies: 0, tries: 0, nextTryAt: newYear + 5 * seconds });

test('a postponed send that is confirmed leaves nothing behind, not even its queue', () => {
  const turns = new Turns({ open: [postponed] });
  const known = [postponed.message];
  turns.now += 5 * seconds; // it is due, but its alarm has not fired yet
  turns.tell({ type: 'take-facts', facts: [receiptOf({ status: 'sent', tag: 'm-1' })] });
  turns.tell({ type: 'facts-resolved', job: 1, known, conversations: [], delivered: [] });
  turns.tell({ type: 'facts-ended', job: 1, outcome: 'committed', again: [] });
  expect(turns.state.sendsAtWork).toBeNull();
});

test('the last postponed send that ends leaves nothing behind, not even its queue', () => {
  const turns = new Turns({ open: [{ ...postponed, content: null }] });
  turns.pass(600 * seconds);
  turns.tell({ type: 'send-recorded', messageId: 'm-1' });
  expect(turns.state.sendsAtWork).toBeNull();
});

test('a licence that ends while a send waits for the pace: the send is refused for it, and not postponed', () => {
  const expiresAt = newYear + 5 * seconds;
  const turns = new Turns({
    subscription: { expiresAt },
    channel: { profile: chatappProfile({ isDualUse: true }) },
  });
  for (let n = 1; n <= 30; n += 1) turns.send(`m-${n}`, `to-${n}`);
  turns.now = expiresAt - 500; // ten more are called
  turns.tell({ type: 'alarm' });
  turns.now = expiresAt;
  expect(turns.tell({ type: 'alarm' })).toEqual(
    Array.from({ length: 10 }, (_, n) => `✗ ${n + 21}: licence_inactive`),
  );
});

/** [spec: Additions; faults: 367] */
describe('one person with several names', () => {
  const number = '4915900000777';
  const id = 'DE.1';
  const acceptedAs = (names: object) => ({ ...accepted(), ...names });

  test('a send to the id waits for the answer to the send to the number, once upstream has named both', () => {
    const turns = new Turns().sent('m-0', number);
    turns.answered('m-0', acceptedAs({ userId: id }));
    turns.sent('m-1', number);
    expect(turns.send('m-2', id)).toEqual([]);
    expect(turns.answer('m-1', accepted('up-2'))).toContain('call m-2, copy 1');
  });

  test('the number that was dialled is one of the names', () => {
    const turns = new Turns().sent('m-0', '5491155550101');
    turns.answered('m-0', acceptedAs({ waId: '541155550101' }));
    turns.sent('m-1', '541155550101');
    expect(turns.send('m-2', '5491155550101')).toEqual([]);
  });

  test('sends that already wait under a name keep their order when upstream tells another', () => {
    const turns = new Turns().sent('m-1', number);
    turns.send('m-2', number);
    turns.tell({ type: 'take-facts', facts: [{ ...receiptOf(), recipient: number, recipientUserId: id }] });
    expect(turns.send('m-3', number)).toEqual([]);
    expect(turns.answer('m-1', accepted())).toContain('call m-2, copy 1');
  });

  test('people who share nothing do not wait for each other', () => {
    const turns = new Turns().sent('m-0', number).answered('m-0', acceptedAs({ userId: id }));
    turns.sent('m-1', number);
    expect(turns.send('m-2', 'DE.2')).toEqual(['call m-2, copy 1']);
  });
});
