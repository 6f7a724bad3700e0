/** The announcements of nodes in Redis, and for how long each is valid. [architecture §4; faults: 121] */
import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { parseAnnouncement, writeAnnouncement } from '../../src/ownership/announcement.ts';
import type { Announcement } from '../../src/ownership/announcement.ts';
import type { Member } from '../../src/ownership/member.ts';
import { RecentAnnouncements } from '../../src/ownership/recent-announcements.ts';

const secret = 'a-cluster-secret-of-the-tests-0001';
const leaseTtlMs = 10_000;
const everyMs = 500;
const other: Member = {
  nodeId: 'other',
  incarnation: 'other:1',
  url: 'wss://other:1',
  startedAt: 5,
  draining: false,
  leaseTtlMs,
};

describe('an announcement', () => {
  test('is read as it was written, by a node with the same secret', () => {
    const said = { member: { ...other, draining: true }, count: 3 };
    expect(parseAnnouncement(secret, writeAnnouncement(secret, said))).toEqual(said);
    expect(parseAnnouncement('another secret', writeAnnouncement(secret, said))).toBeNull();
  });

  test.each<[keyof Member | 'count' | 'proof', unknown[]]>([
    ['nodeId', ['third', 7, null]],
    ['incarnation', ['other:2', 7, null]],
    ['url', ['wss://other:2', 7, null]],
    ['startedAt', [6, '5', null]],
    ['draining', [true]],
    ['leaseTtlMs', [20_000, '10000', null]],
    ['count', [4, '3', null]],
    ['proof', ['', '0'.repeat(64), 7, null]],
  ])('with a changed %s has no valid signature', (field, values) => {
    const fields: object = JSON.parse(writeAnnouncement(secret, { member: other, count: 3 }));
    const read = values.map((value) =>
      parseAnnouncement(secret, JSON.stringify({ ...fields, [field]: value })),
    );
    expect(read).toEqual(values.map(() => null));
  });

  test('is signed over all of its text, so that nodes of two releases link during an upgrade', () => {
    const said = ['member', 'other', 'other:1', 'wss://other:1', 5, false, leaseTtlMs, 3];
    const proof = createHmac('sha256', secret).update(JSON.stringify(said)).digest('hex');
    const written: unknown = JSON.parse(writeAnnouncement(secret, { member: other, count: 3 }));
    expect(written).toEqual({ ...other, count: 3, proof });
  });

  test.each([
    ['nodeId', 7],
    ['incarnation', 7],
    ['url', ['wss://other:1']],
    ['startedAt', '5'],
    ['leaseTtlMs', '10000'],
    ['count', '3'],
  ])('of a build that writes %s as %j is rejected, with or without a signature', (field, value) => {
    const { count, ...member } = { ...other, count: 3, [field]: value };
    const said: Announcement = JSON.parse(JSON.stringify({ member, count }));
    expect(parseAnnouncement(secret, writeAnnouncement(secret, said))).toBeNull();
  });

  test.each(['', '{', 'null', '[]', '7'])('of %j is rejected', (text) => {
    expect(parseAnnouncement(secret, text)).toBeNull();
  });

  test.each(['https://other:1', 'other'])(
    'of a node at %s is rejected, because that cannot be dialled',
    (url) => {
      const said = writeAnnouncement(secret, { member: { ...other, url }, count: 1 });
      expect(parseAnnouncement(secret, said)).toBeNull();
    },
  );
});

describe('a node that repeats its announcement', () => {
  const isRecent = (recent: RecentAnnouncements, count: number, now: number): boolean => {
    const answer = recent.isRecent({ member: other, count }, now);
    recent.refreshed(now);
    return answer;
  };

  test('is live while its count increases, and not after two leases of looks without an increase', () => {
    const recent = new RecentAnnouncements({ everyMs });
    expect(isRecent(recent, 1, 0)).toBe(true);
    for (let now = everyMs; now < 2 * leaseTtlMs; now += everyMs) expect(isRecent(recent, 1, now)).toBe(true);
    expect(isRecent(recent, 1, 2 * leaseTtlMs)).toBe(false);
    expect(isRecent(recent, 1, 2 * leaseTtlMs + everyMs)).toBe(false);
    expect(isRecent(recent, 2, 2 * leaseTtlMs + 2 * everyMs)).toBe(true);
    expect(isRecent(recent, 1, 2 * leaseTtlMs + 3 * everyMs)).toBe(true);
  });

  test('is not silent because of a slow look-up: at most two intervals are counted', () => {
    const recent = new RecentAnnouncements({ everyMs });
    isRecent(recent, 1, 0);
    for (let look = 1; look < 20; look += 1) expect(isRecent(recent, 1, look * 600_000)).toBe(true);
    expect(isRecent(recent, 1, 20 * 600_000)).toBe(false);
  });

  test('is live when it is first seen, however low its count is', () => {
    const recent = new RecentAnnouncements({ everyMs });
    recent.refreshed(0);
    expect([isRecent(recent, 0, 600_000), isRecent(recent, 0, 600_100)]).toEqual([true, true]);
  });
});
