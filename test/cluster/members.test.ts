/** Who is a member, by what Redis shows. [architecture §4; faults: 121] */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { keys } from '../../src/cluster/keys.ts';
import { writeAnnouncement } from '../../src/cluster/member.ts';
import type { Membership } from '../../src/cluster/membership.ts';
import { MembersOnClock, aMember, leaseTtlMs, nameOf, secret } from './support/members-on-clock.ts';

let on: MembersOnClock;
let membership: Membership;
let listed: MembersOnClock['listed'];
let linked: MembersOnClock['linked'];
let changes: MembersOnClock['changes'];
let leftBehind: MembersOnClock['leftBehind'];
let asked: MembersOnClock['asked'];
let told: MembersOnClock['told'];
let self: MembersOnClock['self'];
let clock: MembersOnClock['clock'];

beforeEach(() => {
  on = new MembersOnClock();
  ({ membership, listed, linked, changes, leftBehind, asked, told, self, clock } = on);
});

const other = aMember('other');

describe('a look at Redis', () => {
  test('asks for all of the cluster; this node is the first of those that live', async () => {
    on.announces(other);
    on.announces(self);
    await membership.start();
    expect(on.live()).toEqual(['self', 'other']);
    expect(asked).toContainEqual([
      'trunkline_members',
      keys.members,
      keys.died,
      keys.leasePrefix,
      keys.ownedPrefix,
      60_000,
      1_000,
      4_096,
    ]);
    expect([changes, membership.find('other:1'), membership.find('nobody:1')]).toEqual([
      [{ joined: ['other'], gone: [] }],
      other,
      undefined,
    ]);
  });

  test('that shows nothing new tells nobody', async () => {
    on.announces(other);
    await membership.refresh();
    await membership.refresh();
    expect(changes).toEqual([{ joined: ['other'], gone: [] }]);
  });

  test('that shows that one drains says so; it takes no channels', async () => {
    on.announces(other);
    await membership.refresh();
    on.announces({ ...other, draining: true }, { count: 2 });
    await membership.refresh();
    expect(changes.at(-1)).toEqual({ joined: ['other drains'], gone: [] });
    expect([on.live(), membership.placeable().map(nameOf)]).toEqual([['self', 'other drains'], ['self']]);
  });

  test.each<[string, boolean, string[]]>([
    ['is gone', false, ['self']],
    ['lives on if its link is open: it has lost Redis, not us', true, ['self', 'other']],
  ])('whose lease has ended %s', async (_words, isLinked, expected) => {
    on.announces(other);
    await membership.refresh();
    if (isLinked) linked.add(other.incarnation);
    on.announces(other, { count: 2, hasLease: false });
    await membership.refresh();
    expect([on.live(), changes.length]).toEqual([expected, isLinked ? 1 : 2]);
  });

  test('of one that was never a member finds none by its link alone', async () => {
    linked.add(other.incarnation);
    on.announces(other, { hasLease: false });
    await membership.refresh();
    expect(on.live()).toEqual(['self']);
  });

  test.each([
    [1, ['other:1', 'other:1']],
    [0, []],
  ])('says with each look who died with %i channels', async (orphans, expected) => {
    on.announces(other, { hasLease: false, orphans });
    on.announces({ ...self, startedAt: 6 }, { hasLease: false, orphans: 3 });
    await membership.refresh();
    await membership.refresh();
    expect(leftBehind).toEqual(expected);
  });

  test('leaves to the living what they have', async () => {
    on.announces(other, { orphans: 3 });
    await membership.refresh();
    expect(leftBehind).toEqual([]);
  });

  test.each<[string, () => void]>([
    ['without the proof of our secret', () => on.announces(other, { by: 'another secret' })],
    ['under a name that is not its own', () => listed.set('thief:1', { said: writeAnnouncement(secret, { member: other, count: 1 }), hasLease: true, orphans: 0 })], // oxfmt-ignore
  ])('finds no member in what stands there %s, and says so once', async (_words, write) => {
    write();
    for (let look = 0; look < 3; look += 1) {
      await membership.refresh();
      expect(on.live()).toEqual(['self']);
      expect(told).toMatchObject([
        { level: 'warn', msg: 'member.refused', why: expect.stringContaining('CLUSTER_SECRET') },
      ]);
    }
  });

  test('names a stranger by as much as a name has', async () => {
    listed.set('x'.repeat(101), { said: '{}', hasLease: true, orphans: 0 });
    await membership.refresh();
    expect(told).toMatchObject([{ msg: 'member.refused', member: 'x'.repeat(100) }]);
  });

  test.each([['no list of anybody'], [['other:1', '{}', '1']], [[]]])(
    'that is %j finds nobody, and nobody to doubt',
    async (answer) => {
      on.announces(other);
      await membership.refresh();
      on.answered = answer;
      await membership.refresh();
      expect([on.live(), told]).toEqual([['self', 'other'], []]);
    },
  );
});

describe('a member that Redis does not list any more', () => {
  test.each([
    [leaseTtlMs - 1, ['self', 'other']],
    [leaseTtlMs, ['self']],
  ])('for %i ms: those that live are %j', async (ms, expected) => {
    on.announces(other);
    await membership.refresh();
    listed.clear();
    await membership.refresh();
    clock.advance(ms);
    await membership.refresh();
    expect(on.live()).toEqual(expected);
  });

  test('has its time again once it was listed', async () => {
    on.announces(other);
    await membership.refresh();
    listed.clear();
    await membership.refresh();
    clock.advance(leaseTtlMs - 1);
    on.announces(other, { count: 2 });
    await membership.refresh();
    listed.clear();
    await membership.refresh();
    clock.advance(leaseTtlMs - 1);
    await membership.refresh();
    expect(on.live()).toEqual(['self', 'other']);
  });
});
