/** A node's own announcements, and messages of its peers about themselves. [architecture §4; faults: 121] */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { keys } from '../../src/ownership/keys.ts';
import { parseAnnouncement } from '../../src/ownership/announcement.ts';
import type { Membership } from '../../src/ownership/membership.ts';
import { promisesSettled } from '../support/fake-clock.ts';
import { MembersOnClock, aMember, everyMs, leaseTtlMs, nameOf, secret } from './support/members-on-clock.ts';

let on: MembersOnClock;
let membership: Membership;
let changes: MembersOnClock['changes'];
let announced: MembersOnClock['announced'];
let asked: MembersOnClock['asked'];
let told: MembersOnClock['told'];
let self: MembersOnClock['self'];
let clock: MembersOnClock['clock'];

beforeEach(() => {
  on = new MembersOnClock();
  ({ membership, changes, announced, asked, told, self, clock } = on);
});

const other = aMember('other');

describe('a message of a peer', () => {
  beforeEach(async () => {
    on.announces(other);
    await membership.refresh();
    changes.length = 0;
  });

  test('that it drains is reported once, and it takes no more channels', () => {
    membership.drains(other.incarnation);
    membership.drains(other.incarnation);
    expect([changes, membership.placeable().map(nameOf)]).toEqual([
      [{ joined: ['other drains'], gone: [] }],
      ['self'],
    ]);
  });

  test('that it drains counts although its announcement does not say so, because it has lost Redis', async () => {
    membership.drains(other.incarnation);
    on.announces(other, { count: 2 });
    await membership.refresh();
    expect([changes, membership.placeable().map(nameOf)]).toEqual([
      [{ joined: ['other drains'], gone: [] }],
      ['self'],
    ]);
  });

  test('that it stops is reported once', () => {
    membership.drop(other.incarnation);
    membership.drop(other.incarnation);
    expect([changes, on.live()]).toEqual([[{ joined: [], gone: ['other'] }], ['self']]);
  });

  test('about an unknown node, or about this node, changes nothing', () => {
    for (const incarnation of ['nobody:1', self.incarnation]) {
      membership.drains(incarnation);
      membership.drop(incarnation);
    }
    expect([changes, on.live()]).toEqual([[], ['self', 'other']]);
  });
});

describe('this node', () => {
  test('announces itself at its start, then twice per lease with an increasing count', async () => {
    on.announces(self);
    await membership.start();
    expect(announced.map((said) => parseAnnouncement(secret, said)?.count)).toEqual([1]);
    await clock.pass(leaseTtlMs / 2 - everyMs);
    expect(announced).toHaveLength(1);
    await clock.pass(everyMs);
    expect(announced.map((said) => parseAnnouncement(secret, said))).toEqual([
      { member: self, count: 1 },
      { member: self, count: 2 },
    ]);
    await clock.pass(leaseTtlMs / 2 - 1);
    expect(announced).toHaveLength(2);
    await clock.pass(1);
    expect(announced).toHaveLength(3);
  });

  test('announces itself with the next look if it is not listed', async () => {
    on.announces(other);
    await membership.start();
    expect(announced).toHaveLength(2);
    await clock.pass(everyMs);
    expect(announced).toHaveLength(3);
  });

  test('announces itself if it drains and Redis does not say so yet', async () => {
    on.announces(self);
    await membership.start();
    self.draining = true;
    await clock.pass(everyMs);
    expect(membership.placeable()).toEqual([]);
    expect(parseAnnouncement(secret, announced.at(-1) ?? '')?.member.draining).toBe(true);
  });

  test('looks again after the interval, also when a look failed', async () => {
    on.isAway = true;
    await membership.start();
    expect(asked).toEqual([]);
    expect(told).toMatchObject([
      { level: 'debug', msg: 'membership.look-failed', error: { message: 'Command timed out' } },
    ]);
    await clock.pass(everyMs);
    expect(told).toHaveLength(2);
    on.isAway = false;
    on.announces(other);
    await clock.pass(everyMs - 1);
    expect(on.live()).toEqual(['self']);
    await clock.pass(1);
    expect(on.live()).toEqual(['self', 'other']);
  });

  test('takes itself off the list when it stops, and looks no more', async () => {
    await membership.start();
    asked.length = 0;
    await membership.stop();
    expect([asked, clock.pending]).toEqual([[['hdel', keys.members, self.incarnation]], 0]);
    await membership.refresh();
    expect(asked).toHaveLength(1);
  });

  test('does not announce itself twice if only the answer was lost', async () => {
    on.isAway = 'lost';
    on.announces(self);
    await membership.start();
    on.isAway = false;
    await clock.pass(everyMs);
    expect(announced).toHaveLength(1);
  });

  test('looks no more if it stops during a look', async () => {
    await membership.start();
    clock.advance(everyMs);
    await membership.stop();
    await promisesSettled();
    expect(clock.pending).toBe(0);
  });

  test('logs that it is still listed if it stops without Redis', async () => {
    await membership.start();
    on.isAway = true;
    await membership.stop();
    expect(told).toMatchObject([
      { level: 'warn', msg: 'membership.not-ended', error: { message: 'Command timed out' } },
    ]);
  });
});

test('concurrent looks are one; a failure is reported to the caller', async () => {
  await Promise.all([membership.refresh(), membership.refresh()]);
  expect(asked.filter(([name]) => name === 'trunkline_members')).toHaveLength(1);
  on.isAway = true;
  await expect(membership.refresh()).rejects.toThrow('Command timed out');
  on.isAway = false;
  await membership.refresh();
  expect(asked.filter(([name]) => name === 'trunkline_members')).toHaveLength(2);
});
