/** The members of the cluster, by the data in Redis. [architecture §4; faults: 121] */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { keys } from '../../src/ownership/keys.ts';
import { writeAnnouncement } from '../../src/ownership/announcement.ts';
import type { Membership } from '../../src/ownership/membership.ts';
import { MembersOnClock, aMember, leaseTtlMs, nameOf, secret } from './support/members-on-clock.ts';

let on: MembersOnClock;
let membership: Membership;
let listed: MembersOnClock['listed'];
let linked: MembersOnClock['linked'];
let changes: MembersOnClock['changes'];
let asked: MembersOnClock['asked'];
let told: MembersOnClock['told'];
let self: MembersOnClock['self'];
let clock: MembersOnClock['clock'];

beforeEach(() => {
  on = new MembersOnClock();
  ({ membership, listed, linked, changes, asked, told, self, clock } = on);
});

const other = aMember('other');

describe('a look at Redis', () => {
  test('reads the whole cluster; this node is the first live one', async () => {
    on.announces(other);
    on.announces(self);
    await membership.start();
    expect(on.live()).toEqual(['self', 'other']);
    expect(asked).toContainEqual([
      'trunkline_members',
      keys.members,
      keys.died,
      keys.leasePrefix,
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

  test('that finds nothing new reports nothing', async () => {
    on.announces(other);
    await membership.refresh();
    await membership.refresh();
    expect(changes).toEqual([{ joined: ['other'], gone: [] }]);
  });

  test('that finds a draining member reports it; it takes no channels', async () => {
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
  ])('that finds a member without a lease: it %s', async (_words, isLinked, expected) => {
    on.announces(other);
    await membership.refresh();
    if (isLinked) linked.add(other.incarnation);
    on.announces(other, { count: 2, hasLease: false });
    await membership.refresh();
    expect([on.live(), changes.length]).toEqual([expected, isLinked ? 1 : 2]);
  });

  test('does not make a node a member by its link alone', async () => {
    linked.add(other.incarnation);
    on.announces(other, { hasLease: false });
    await membership.refresh();
    expect(on.live()).toEqual(['self']);
  });

  test('reports once a node that died before this one looked', async () => {
    on.announces(other, { hasLease: false });
    on.announces({ ...self, startedAt: 6 }, { hasLease: false });
    await membership.refresh();
    await membership.refresh();
    expect([changes, on.live()]).toEqual([[{ joined: [], gone: ['other'] }], ['self']]);
  });

  test('reports a dead node again that has been alive in between', async () => {
    on.announces(other);
    await membership.refresh();
    membership.drop(other.incarnation);
    on.announces(other, { hasLease: false });
    await membership.refresh();
    on.announces(other, { count: 2 });
    await membership.refresh();
    on.announces(other, { count: 2, hasLease: false });
    await membership.refresh();
    const [joined, gone] = [
      { joined: ['other'], gone: [] },
      { joined: [], gone: ['other'] },
    ];
    expect(changes).toEqual([joined, gone, joined, gone]);
  });

  test('ends the lease of a node that is known to be dead', async () => {
    await membership.endLease('other:1');
    expect(asked).toEqual([['del', keys.lease('other:1')]]);
  });

  test.each<[string, () => void]>([
    ['without the proof of our secret', () => on.announces(other, { by: 'another secret' })],
    ['under a name that is not its own', () => listed.set('thief:1', { said: writeAnnouncement(secret, { member: other, count: 1 }), hasLease: true })], // oxfmt-ignore
  ])('rejects an entry %s, and logs that once', async (_words, write) => {
    write();
    for (let look = 0; look < 3; look += 1) {
      await membership.refresh();
      expect(on.live()).toEqual(['self']);
      expect(told).toMatchObject([
        { level: 'warn', msg: 'member.refused', why: expect.stringContaining('CLUSTER_SECRET') },
      ]);
    }
  });

  test('logs at most the length of a valid name of a rejected entry', async () => {
    listed.set('x'.repeat(101), { said: '{}', hasLease: true });
    await membership.refresh();
    expect(told).toMatchObject([{ msg: 'member.refused', member: 'x'.repeat(100) }]);
  });

  test.each([['no list of anybody'], [['other:1', '{}']], [[]]])(
    'that is answered %j changes no member and logs nothing',
    async (answer) => {
      on.announces(other);
      await membership.refresh();
      on.answered = answer;
      await membership.refresh();
      expect([on.live(), told]).toEqual([['self', 'other'], []]);
    },
  );
});

describe('a member that Redis no longer lists', () => {
  test.each([
    [leaseTtlMs - 1, ['self', 'other']],
    [leaseTtlMs, ['self']],
  ])('for %i ms: live are %j', async (ms, expected) => {
    on.announces(other);
    await membership.refresh();
    listed.clear();
    await membership.refresh();
    clock.advance(ms);
    await membership.refresh();
    expect(on.live()).toEqual(expected);
  });

  test('gets its time again once it was listed', async () => {
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
