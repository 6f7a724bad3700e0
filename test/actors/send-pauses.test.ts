/** During a pause that upstream demands, sends are stored as `queued`. [operator-interface §4; upstream §3.7, §3.8] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { MediaType } from '../../src/rules/messages/message.ts';
import { chatappProfile } from '../support/profiles.ts';
import { Turns, accepted, deferred, openMessage, settingsOf } from './support/turns.ts';

const seconds = 1_000;
const minutes = 60_000;

/** Reports each call as claimed, accepted and stored; returns the called message ids. */
function acceptAll(turns: Turns, lines: readonly string[]): string[] {
  const called = lines.flatMap((line) => /^call ([^,]+)/.exec(line)?.[1] ?? []);
  for (const messageId of called) {
    turns.tell({ type: 'claim-ended', messageId, outcome: 'claimed' });
    turns.answered(messageId, accepted(`up-${messageId}`));
  }
  return called;
}

/** Reports each postponement as stored. */
function postponedAll(turns: Turns, lines: string[]): string[] {
  for (const line of lines) {
    const [, messageId] = /^postpone ([^ ]+)/.exec(line) ?? [];
    if (messageId !== undefined) turns.postponed(messageId);
  }
  return lines;
}

/** Sends during a pause; returns the time of the next try that is stored. */
function nextTryOf(turns: Turns, messageId: string): number {
  const [line = ''] = postponedAll(turns, turns.send(messageId));
  const [, ms] = / for (\d+) ms$/.exec(line) ?? [];
  return turns.now + Number(ms);
}

describe('a known pause', () => {
  test('postponed sends are called one after another, in order, before later ones', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('pair', 131056));
    for (const id of ['m-1', 'm-2', 'm-3']) {
      turns.send(id);
      expect(turns.postponed(id)).toHaveLength(1);
    }
    const order: string[] = [];
    for (let second = 0; second < 40; second += 1) {
      order.push(...acceptAll(turns, turns.pass(seconds)));
      if (second === 8) expect(turns.send('m-4')).toEqual([expect.stringMatching(/^postpone m-4/)]);
      if (second === 8) turns.postponed('m-4');
    }
    expect(order).toEqual(['m-0', 'm-1', 'm-2', 'm-3', 'm-4']);
    expect([turns.state.sends.open.size, turns.state.sends.queues.size]).toEqual([0, 0]);
  });

  test('a pair that was too fast gets one message every 6 s, until nothing is left', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('pair', 131056));
    for (const id of ['m-1', 'm-2']) {
      turns.send(id);
      turns.postponed(id);
    }
    const calls: number[] = [];
    for (let second = 0; second < 20; second += 1)
      if (acceptAll(turns, turns.pass(seconds)).length > 0) calls.push(second);
    const [first = 0, next = 0, last = 0] = calls;
    expect([next - first, last - next]).toEqual([6, 6]);
    turns.pass(1 * minutes);
    expect(turns.send('m-9')).toEqual(['call m-9, copy 1']);
  });

  test('a stored send has the time of its call: after those before it, at the pace of the pair', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('pair', 131056));
    const planned = ['m-1', 'm-2', 'm-3'].map((id) => nextTryOf(turns, id));
    const called: number[] = [];
    while (called.length < 3)
      for (const id of acceptAll(turns, turns.pass(1))) if (id !== 'm-0') called.push(turns.now);
    expect(called).toEqual(planned);
  });

  test('a channel that is gone meanwhile fails them at their claim', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    turns.send('m-1');
    turns.postponed('m-1');
    turns.tell({ type: 'settings-loaded', request: 1, settings: null, ask: null });
    expect(turns.pass(2 * seconds).filter((line) => line.includes('m-1'))).toEqual([
      expect.stringContaining('m-1:failed(Channel not found'),
    ]);
  });

  test('however long a pause lasts, a send that was never called does not fail, and is called when it ends', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    turns.state.sends.pausedUntil = turns.now + 60 * minutes;
    turns.send('m-1');
    turns.postponed('m-1');
    expect(turns.pass(59 * minutes).filter((line) => line.includes('m-1'))).toEqual([]);
    expect(acceptAll(turns, turns.pass(2 * minutes))).toContain('m-1');
  });

  test('a send that is refused repeatedly after the pause fails 10 minutes after its first call', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('pair', 131056));
    turns.send('m-1');
    turns.postponed('m-1');
    acceptAll(turns, turns.pass(4 * seconds));
    let failedAfter: number | null = null;
    const calledAt = turns.now;
    for (let second = 0; second < 20 * 60 && failedAfter === null; second += 1)
      for (const line of turns.pass(seconds)) {
        if (line.startsWith('call m-1')) {
          turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
          turns.answered('m-1', deferred('pair', 131056));
        }
        if (line.includes('m-1:failed(')) failedAfter = turns.now - calledAt;
      }
    expect(failedAfter).toBeGreaterThan(10 * minutes);
    expect(failedAfter).toBeLessThan(11 * minutes);
  });

  test('300 messages to one person: the last one is called half an hour later', () => {
    const turns = new Turns();
    for (let n = 0; n < 300; n += 1) acceptAll(turns, postponedAll(turns, turns.send(`m-${n}`)));
    const called: string[] = [];
    const start = turns.now;
    while (turns.state.sends.open.size > 0 && turns.now - start < 60 * minutes) {
      const lines = postponedAll(turns, turns.pass(seconds));
      expect(lines.filter((line) => line.includes(':failed('))).toEqual([]);
      called.push(...acceptAll(turns, lines));
    }
    expect(called).toEqual(Array.from({ length: 256 }, (_, n) => `m-${n + 44}`));
    expect(turns.now - start).toBeGreaterThan(25 * minutes);
  });

  test('a postponed send that can no longer be decrypted fails after 10 minutes', () => {
    const { message } = openMessage({ copies: 0, tries: 0, nextTryAt: Date.UTC(2026, 0, 1) + 5 * seconds });
    const turns = new Turns({ open: [{ message, content: null }] });
    expect(turns.pass(11 * minutes)).toContainEqual(
      expect.stringContaining('m-1:failed(The message can no longer be read, and was not sent, null)'),
    );
  });
});

describe('a number that upstream has paused', () => {
  const paused = { sendsPausedAt: 1_000, sendsResumedAt: 999 };
  const settings = (channel: Partial<Channel>, request: number) =>
    ({ type: 'settings-loaded', request, settings: settingsOf({ channel }), ask: null }) as const;

  test('calls nothing, however long: its sends are on record, and go in order when it is back', () => {
    const turns = new Turns({ channel: paused });
    for (const id of ['m-1', 'm-2']) {
      expect(turns.send(id)).toEqual([expect.stringMatching(`^postpone ${id}`)]);
      expect(turns.postponed(id)).toEqual([expect.stringContaining('queued')]);
    }
    expect(turns.pass(59 * minutes)).toEqual([]);
    turns.tell(settings({ ...paused, sendsResumedAt: 1_001 }, 1));
    const called: string[] = [];
    for (let second = 0; second < 20; second += 1) called.push(...acceptAll(turns, turns.pass(seconds)));
    expect(called).toEqual(['m-1', 'm-2']);
  });

  test('keeps a send that was refused just before, beyond its 10 minutes', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('none', 133010));
    turns.tell(settings(paused, 1));
    expect(turns.pass(59 * minutes)).toEqual([]);
    turns.tell(settings({ ...paused, sendsResumedAt: 1_001 }, 2));
    expect(acceptAll(turns, turns.pass(10 * seconds))).toEqual(['m-0']);
  });

  test('holds what the owner before had stored', () => {
    const { message, content } = openMessage({ copies: 0, tries: 0, nextTryAt: Date.UTC(2026, 0, 1) });
    const turns = new Turns({ open: [{ message, content }], channel: paused });
    expect(turns.pass(59 * minutes)).toEqual([]);
    turns.tell(settings({ ...paused, sendsResumedAt: 1_001 }, 1));
    expect(acceptAll(turns, turns.pass(10 * seconds))).toEqual(['m-1']);
  });

  test('that is disconnected, or whose licence ends, fails what it holds: nobody may tell it the end of the pause', () => {
    const ends = [
      { channel: { ...paused, isActive: false } },
      { channel: paused, subscription: { status: 'canceled' } },
    ] as const;
    for (const end of ends) {
      const turns = new Turns({ channel: paused });
      turns.send('m-1');
      turns.postponed('m-1');
      turns.tell({ type: 'settings-loaded', request: 1, settings: settingsOf(end), ask: null });
      expect(turns.pass(10 * seconds)).toEqual([expect.stringContaining('m-1:failed(')]);
    }
  });

  test('that was taken back is not paused by a late repeat', () => {
    const turns = new Turns({ channel: { sendsPausedAt: 1_000, sendsResumedAt: 1_000 } });
    expect(turns.send('m-1')).toEqual(['call m-1, copy 1']);
  });
});

describe('the duration of a pause that upstream gives', () => {
  const told = (pauseMs: number): Turns =>
    new Turns().sent('m-0', 'noah').answered('m-0', {
      outcome: 'deferred',
      error: 'Too fast',
      errorCode: 130429,
      pause: 'channel',
      pauseMs,
    });

  test('nothing is called before its end', () => {
    const turns = told(120 * seconds);
    turns.send('m-1');
    turns.postponed('m-1');
    expect(acceptAll(turns, turns.pass(119 * seconds))).toEqual([]);
    expect(acceptAll(turns, turns.pass(2 * seconds)).toSorted()).toEqual(['m-0', 'm-1']);
  });

  test('a call is tried before a send would fail', () => {
    const turns = told(60 * minutes);
    expect(acceptAll(turns, turns.pass(301 * seconds))).toEqual(['m-0']);
  });
});

describe('a postponement', () => {
  const paused = (): Turns => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('pair', 131056));
    turns.send('m-1');
    return turns;
  };

  test('answers the client when it is stored, not before', () => {
    expect(paused().postponed('m-1')).toEqual(['→ 2: queued']);
  });

  test('that the store does not answer is made void, then 503', () => {
    const turns = paused();
    expect(turns.tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      'withdraw m-1',
    ]);
    const withdrawn = { type: 'claim-ended', messageId: 'm-1', outcome: 'withdrawn', found: null } as const;
    expect(turns.tell(withdrawn)).toEqual(['✗ 2: unavailable']);
    expect(turns.state.sends.open.has('m-1')).toBe(false);
  });

  test('whose id is taken is answered with what has the id', () => {
    const turns = paused();
    const found = openMessage({ id: 'm-1', state: 'sent' }).message;
    expect(turns.tell({ type: 'postpone-ended', messageId: 'm-1', outcome: 'lost', found })).toEqual([
      '→ 2: sent',
    ]);
  });

  test('is called by a claim of the stored message: if that is lost or unanswered, it is read again and never made void', () => {
    const turns = paused();
    turns.postponed('m-1');
    acceptAll(turns, turns.pass(2 * seconds));
    expect(turns.pass(6 * seconds)).toEqual(['call m-1, copy 1 again']);
    expect(turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'unanswered' })).toEqual([
      'reload [m-1]',
    ]);
  });

  test('survives a crash: it is called when its pause is over, and later sends are queued behind it', () => {
    const postponed = openMessage({ copies: 0, tries: 0, nextTryAt: Date.UTC(2026, 0, 1) + 5 * seconds });
    const turns = new Turns({ open: [postponed] });
    expect(turns.send('m-2')).toEqual([expect.stringMatching(/^postpone m-2/)]);
    turns.postponed('m-2');
    const order: string[] = [];
    for (let second = 0; second < 20; second += 1) order.push(...acceptAll(turns, turns.pass(seconds)));
    expect(order).toEqual(['m-1', 'm-2']);
  });
});

describe('a number that was too fast', () => {
  test('80 calls a second, then half as many with every further refusal, then faster again', () => {
    const turns = new Turns().sent('m-0').answered('m-0', deferred('channel', 130429));
    expect(turns.state.sends.gapMs).toBe(12.5);
    acceptAll(turns, turns.pass(2 * seconds));
    turns.sent('m-1').answered('m-1', deferred('channel', 130429));
    expect(turns.state.sends.gapMs).toBe(25);
    acceptAll(turns, turns.pass(3 * seconds));
    turns.pass(1 * minutes);
    acceptAll(turns, turns.send('m-2'));
    turns.pass(1 * minutes);
    acceptAll(turns, turns.send('m-3'));
    turns.pass(1 * minutes);
    expect(turns.state.sends.gapMs).toBe(0);
  });

  test('refusals of calls that were in flight together count once', () => {
    const turns = new Turns();
    for (const id of ['m-1', 'm-2', 'm-3']) turns.sent(id, `to-${id}`);
    for (const id of ['m-1', 'm-2', 'm-3']) turns.answered(id, deferred('channel', 130429));
    expect(turns.state.sends.gapMs).toBe(12.5);
  });

  test('calls follow each other by the pace, and a send that would wait too long for it is queued', () => {
    const turns = new Turns().sent('m-0', 'to-0').answered('m-0', deferred('channel', 130429));
    acceptAll(turns, turns.pass(2 * seconds));
    turns.state.sends.gapMs = 1_000;
    for (let n = 1; n <= 8; n += 1) turns.send(`m-${n}`, `to-${n}`);
    const lines = turns.pass(5 * seconds);
    expect(lines.filter((line) => line.startsWith('call')).length).toBeLessThanOrEqual(5);
    expect(lines.filter((line) => line.startsWith('postpone')).length).toBeGreaterThanOrEqual(3);
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([]);
  });
});

describe("upstream's limits are kept before it refuses anything", () => {
  /** The number of calls within this many seconds, if `asked` sends come at once and each call is accepted at once. */
  function callsWithin(turns: Turns, asked: number, to: (n: number) => string, secondsLong: number): number {
    let calls = 0;
    for (let n = 0; n < asked; n += 1)
      calls += acceptAll(turns, postponedAll(turns, turns.send(`m-${n}`, to(n)))).length;
    for (let tenth = 0; tenth < secondsLong * 10; tenth += 1)
      calls += acceptAll(turns, postponedAll(turns, turns.pass(seconds / 10))).length;
    return calls;
  }

  const toMia = () => 'mia';
  const toEach = (n: number) => `to-${n}`;

  test('a pair: 44 at once, the others queued and one every 6 s', () => {
    const turns = new Turns();
    expect(callsWithin(turns, 50, toMia, 0)).toBe(44);
    expect(turns.state.sends.open.size).toBe(6);
    expect(callsWithin(turns, 0, toMia, 13)).toBe(2);
    expect(turns.send('m-other', 'noah')).toEqual(['call m-other, copy 1']);
  });

  test('a pair: each of the others has the time of its call', () => {
    const turns = new Turns();
    callsWithin(turns, 44, toMia, 0);
    const planned = ['m-44', 'm-45', 'm-46'].map((id) => nextTryOf(turns, id) - turns.now);
    expect(planned).toEqual([6 * seconds, 12 * seconds, 18 * seconds]);
  });

  test('a pause of the channel leaves a pair its burst', () => {
    const turns = new Turns().sent('m-0', 'noah').answered('m-0', deferred('channel', 130429));
    const planned = ['m-1', 'm-2', 'm-3'].map((id) => nextTryOf(turns, id));
    expect(new Set(planned)).toEqual(new Set([turns.state.sends.pausedUntil]));
  });

  test('a pair is forgotten when its whole burst is available again', () => {
    const turns = new Turns();
    callsWithin(turns, 3, toMia, 0);
    expect(turns.state.sends.pairs.size).toBe(1);
    turns.pass(1 * minutes);
    expect(turns.state.sends.pairs.size).toBe(0);
  });

  test('beyond the bound of remembered pairs, the least recently used are forgotten', () => {
    const turns = new Turns();
    const { pairs } = turns.state.sends;
    for (let n = 0; n < limits.pairs; n += 1) pairs.set(`before-${n}`, turns.now + 6 * seconds);
    callsWithin(turns, 1, toMia, 0);
    expect(pairs.size).toBeLessThanOrEqual(limits.pairs);
    expect(['before-0', `before-${limits.pairs - 1}`, 'mia'].map((who) => pairs.has(who))).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('pages have no such limit', () => {
    expect(callsWithin(new Turns({ type: 'pagechat' }), 60, toMia, 0)).toBe(60);
  });

  test.each(['pagechat', 'photoapp'] as const)(
    'texts of a %s: 75 at once, then 300 a second, whoever the recipients are',
    (type) => {
      const turns = new Turns({ type });
      expect(callsWithin(turns, 450, toEach, 0)).toBe(75);
      const calls = callsWithin(turns, 0, toEach, 1);
      expect(calls).toBeGreaterThanOrEqual(298);
      expect(calls).toBeLessThanOrEqual(301);
    },
  );

  test.each([
    ['pagechat', 'audio', 5],
    ['photoapp', 'video', 5],
    ['pagechat', 'image', 40],
    ['photoapp', 'document', 40],
    ['chatapp', 'video', 40],
  ] as const)('of 40 files of a %s that are %s, %i are called at once', (type, mediaType, atOnce) => {
    const turns = new Turns({ type });
    expect(filesOf(turns, 40, mediaType)).toBe(atOnce);
    expect(acceptAll(turns, turns.send('text', 'noah'))).toEqual(['text']);
    if (atOnce === 40) return;
    let later = 0;
    for (let tenth = 0; tenth < 20; tenth += 1)
      later += acceptAll(turns, postponedAll(turns, turns.pass(seconds / 10))).length;
    expect(later).toBe(20);
  });

  test('videos that wait for longer than 5 s are postponed, and each is called in its turn', () => {
    const turns = new Turns({ type: 'pagechat' });
    let calls = filesOf(turns, 100, 'video');
    const lines: string[] = [];
    for (let tenth = 0; tenth < 110; tenth += 1) {
      const said = postponedAll(turns, turns.pass(seconds / 10));
      lines.push(...said);
      calls += acceptAll(turns, said).length;
    }
    expect(lines.filter((line) => line.startsWith('postpone')).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([]);
    expect(calls).toBe(100);
  });

  /** Sends this many, each to another person; returns how many are called at once. */
  function filesOf(turns: Turns, count: number, mediaType: MediaType): number {
    let calls = 0;
    for (let n = 0; n < count; n += 1) {
      const url = 'https://files.example/f';
      const content = { type: 'media', mediaType, url, caption: null, filename: null } as const;
      const send = { type: 'send', messageId: `f-${n}`, recipient: `to-${n}`, content } as const;
      calls += acceptAll(turns, postponedAll(turns, turns.ask(send))).length;
    }
    return calls;
  }

  test('waiting only for a free call is our own overload, on pages too', () => {
    const turns = new Turns({ type: 'pagechat' });
    for (let n = 0; n < 101; n += 1) turns.sent(`m-${n}`, `to-${n}`);
    expect(turns.pass(6 * seconds)).toContain('✗ 101: overloaded');
  });

  test.each([
    ['STANDARD', { throughput: 'STANDARD' }, 40, 80],
    ['dual-use', { isDualUse: true, throughput: 'STANDARD' }, 10, 20],
  ] as const)(
    'a number that is %s: this many at once, then this many a second, none refused',
    (_name, own, burst, rate) => {
      const turns = new Turns({ channel: { profile: chatappProfile(own) } });
      expect(callsWithin(turns, 400, toEach, 0)).toBe(burst);
      const calls = callsWithin(turns, 0, toEach, 2);
      expect(calls).toBeGreaterThanOrEqual(2 * rate - 2);
      expect(calls).toBeLessThanOrEqual(2 * rate + 1);
    },
  );

  test('a send that would wait too long for the pace of a number is queued, not refused', () => {
    const turns = new Turns({ channel: { profile: chatappProfile({ isDualUse: true }) } });
    for (let n = 0; n < 150; n += 1) acceptAll(turns, turns.send(`m-${n}`, `to-${n}`));
    const lines: string[] = [];
    for (let tenth = 0; tenth < 55; tenth += 1) {
      const said = turns.pass(seconds / 10);
      lines.push(...said);
      acceptAll(turns, said);
    }
    expect(lines.filter((line) => line.startsWith('postpone')).length).toBeGreaterThan(0);
    expect(lines.filter((line) => line.startsWith('✗'))).toEqual([]);
  });

  test.each([
    ['HIGH', { throughput: 'HIGH' }],
    ['that says nothing', {}],
  ])('a number %s has no limit of its own', (_name, own) => {
    const turns = new Turns({ channel: { profile: chatappProfile(own) } });
    expect(callsWithin(turns, 400, toEach, 0)).toBe(400);
  });
});

test.each([
  ['a page', 'pagechat', {}, 300],
  ['a number of 80 a second', 'chatapp', { profile: chatappProfile({ throughput: 'STANDARD' }) }, 80],
] as const)(
  'thousands of sends that wait for the pace of %s follow it, with few alarms',
  (_name, type, channel, rate) => {
    const start = Date.UTC(2026, 0, 1);
    const open = Array.from({ length: 5_000 }, (_, n) =>
      openMessage({ id: `m-${n}`, recipient: `to-${n}`, copies: 0, tries: 0, nextTryAt: start + seconds }),
    );
    const turns = new Turns({ type, channel, open, epoch: 2 });
    let calls = 0;
    let looks = 0;
    turns.pass(seconds - 1);
    for (const until = turns.now + 10 * seconds; turns.state.wakeAt <= until; looks += 1) {
      turns.now = Math.max(turns.now, turns.state.wakeAt);
      calls += acceptAll(turns, turns.tell({ type: 'alarm' })).length;
    }
    expect(calls).toBeGreaterThanOrEqual(9 * rate);
    expect(calls).toBeLessThanOrEqual(11 * rate);
    expect(looks).toBeLessThanOrEqual(60);
  },
);

describe("a new owner knows nothing of the previous owner's last sends", () => {
  /** Counts a pair as upstream does: 45 at once, of which 44 are used, one more every 6 s. [upstream §3.8] */
  function pairLimit(): (now: number) => boolean {
    let spentUntil = Date.UTC(2026, 0, 1) + 44 * 6_000;
    return (now) => {
      if (spentUntil - now > 44 * 6_000) return false;
      spentUntil = Math.max(spentUntil, now) + 6_000;
      return true;
    };
  }

  /** Runs until no send is open; returns the accepted messages in order, and the number of refusals. */
  function driven(turns: Turns, takes: (now: number) => boolean): { taken: string[]; refusals: number } {
    const taken: string[] = [];
    let refusals = 0;
    let lines = turns.tell({ type: 'alarm' });
    for (let second = 0; second < 90 * 60 && turns.state.sends.open.size > 0; second += 1) {
      for (const line of postponedAll(turns, lines)) {
        expect(line).not.toMatch(/:failed\(|^✗/);
        const [, messageId] = /^call ([^,]+)/.exec(line) ?? [];
        if (messageId === undefined) continue;
        turns.tell({ type: 'claim-ended', messageId, outcome: 'claimed' });
        const isTaken = takes(turns.now);
        if (isTaken) taken.push(messageId);
        else refusals += 1;
        turns.answered(messageId, isTaken ? accepted(`up-${messageId}`) : deferred('pair', 131056));
      }
      lines = turns.pass(seconds);
    }
    return { taken, refusals };
  }

  const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `m-${n}`);

  test('waiting sends that it finds are called every 6 s from the start, and none is refused', () => {
    const start = Date.UTC(2026, 0, 1);
    const open = ids(20).map((id, n) =>
      openMessage({ id, copies: 0, tries: 0, nextTryAt: start + 6_000, createdAt: start + n }),
    );
    const { taken, refusals } = driven(new Turns({ open, epoch: 2 }), pairLimit());
    expect([taken, refusals]).toEqual([ids(20), 0]);
  });

  test('keeps the times of the sends that it finds, and gives the next one the time behind them', () => {
    const start = Date.UTC(2026, 0, 1);
    const times = [5_000, 11_000].map((ms) => start + ms);
    const open = times.map((nextTryAt, n) =>
      openMessage({ id: `m-${n}`, copies: 0, tries: 0, nextTryAt, createdAt: start }),
    );
    const turns = new Turns({ open, epoch: 2 });
    expect(nextTryOf(turns, 'm-2')).toBe(start + 17_000);
    const called: number[] = [];
    while (called.length < 3) for (const _ of acceptAll(turns, turns.pass(1))) called.push(turns.now);
    expect(called).toEqual([...times, start + 17_000]);
  });

  test("for others upstream's refusal starts a pause; nevertheless each is sent once and in order", () => {
    const turns = new Turns({ epoch: 2 });
    const takes = pairLimit();
    const first: string[] = [];
    for (const id of ids(30)) first.push(...turns.send(id));
    expect(first).toEqual(['call m-0, copy 1']);
    turns.tell({ type: 'claim-ended', messageId: 'm-0', outcome: 'claimed' });
    expect(takes(turns.now)).toBe(true);
    const next = turns.answer('m-0', accepted('up-m-0'));
    turns.tell({ type: 'send-recorded', messageId: 'm-0' });
    expect(next).toContain('call m-1, copy 1');
    turns.tell({ type: 'claim-ended', messageId: 'm-1', outcome: 'claimed' });
    expect(takes(turns.now)).toBe(false);
    postponedAll(turns, turns.answer('m-1', deferred('pair', 131056)));
    turns.tell({ type: 'send-recorded', messageId: 'm-1' });
    const { taken, refusals } = driven(turns, takes);
    expect(taken).toEqual(ids(30).slice(1));
    expect(refusals).toBeLessThanOrEqual(2);
  });
});
