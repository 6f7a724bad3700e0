import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { isClaim, isIntent, writeTags } from '../../actors/channel/ports/writes.ts';
import type { Write } from '../../actors/channel/ports/writes.ts';
import { makePlan } from '../../src/adapters/storage/mongo/plan.ts';
import { aDelivery, aHeldFact, aMessage, noon } from './conformance/samples.ts';

const id = 'm';
const attempt = {
  state: 'pending',
  attempts: 1,
  firstTriedAt: noon,
  nextDueAt: noon,
  lastResult: '500',
  attemptLog: null,
} as const;
const mail = {
  id,
  accountId: 'a',
  kind: 'webhook-alert',
  subject: 's',
  opening: [],
  line: 'l',
  sendAfter: 0,
  createdAt: 0,
} as const;

const writes: { [W in Write['write']]: Extract<Write, { write: W }> } = {
  insertMessage: { write: 'insertMessage', message: aMessage('c') },
  claimCopy: { write: 'claimCopy', messageId: id, expect: { copies: 1, tries: 1 }, attemptedAt: noon },
  recordAccepted: { write: 'recordAccepted', messageId: id, upstreamId: null, rank: 0, at: noon },
  recordDeferred: { write: 'recordDeferred', messageId: id, nextTryAt: noon, error: 'e', errorCode: null },
  recordUnknown: { write: 'recordUnknown', messageId: id },
  recordFailed: { write: 'recordFailed', messageId: id, error: 'e', errorCode: null, at: noon },
  recordStatus: { write: 'recordStatus', messageId: id, status: 'read', upstreamId: null, at: noon },
  insertEcho: { write: 'insertEcho', message: aMessage('c', { origin: 'echo', state: 'sent' }) },
  keepWaiting: { write: 'keepWaiting', unmatched: aHeldFact() },
  dropWaiting: { write: 'dropWaiting', unmatchedIds: [id] },
  insertDelivery: { write: 'insertDelivery', delivery: aDelivery('c') },
  claimDelivery: { write: 'claimDelivery', deliveryId: 'd', attempts: 0, claims: 1 },
  recordAttempt: { write: 'recordAttempt', deliveryId: 'd', attempt },
  addMail: { write: 'addMail', mail },
};
const all = Object.values(writes);
const namesOf = (some: readonly Write[]) => some.map(({ write }) => write);

describe('the tags of writes', () => {
  test('are there for every write that ports.ts names, and for no other', () => {
    const source = readFileSync(new URL('../../actors/channel/ports/writes.ts', import.meta.url), 'utf8');
    const named = [...source.matchAll(/\| \{\s+write: '(\w+)'/g)].map(([, name = '']) => name);
    expect(Object.keys(writeTags).toSorted()).toEqual(named.toSorted());
    expect(named.length).toBeGreaterThan(10);
  });

  test('intents are the first claim and every later one: what a dying activation must not leave behind', () => {
    expect(namesOf(all.filter(isIntent))).toEqual(['insertMessage', 'claimCopy', 'claimDelivery']);
    expect(namesOf(all.filter(isClaim))).toEqual(['claimCopy', 'claimDelivery']);
  });

  test.each(all)('$write goes the way of its target and form in MongoDB', (write) => {
    const { target, form } = writeTags[write.write];
    const plan = makePlan('c', 1, [write], () => false);
    const { messages, deliveries } = plan ?? {};
    const ways = {
      'message insert': messages?.inserts,
      'message claim': messages?.claims,
      'message update': messages?.facts,
      'delivery insert': deliveries?.inserts,
      'delivery claim': deliveries?.claims,
      'delivery update': plan?.attempts,
      'unmatched replace': plan?.unmatched,
      'unmatched drop': plan?.drops,
      'mail update': plan?.mails,
    };
    const taken = Object.entries(ways).flatMap(([way, some]) => (some?.length === 1 ? [way] : []));
    expect(taken).toEqual([`${target} ${form}`]);
  });
});
