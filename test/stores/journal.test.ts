import { describe, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { isClaim, isIntent } from '../../src/storage/journal/rule.ts';
import { toEffect } from '../../src/storage/journal/effects.ts';
import { makePlan } from '../../src/storage/mongo/plan.ts';
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
  insertCopy: { write: 'insertCopy', delivery: aDelivery('c:e') },
  claimDelivery: { write: 'claimDelivery', deliveryId: 'd', attempts: 0, claims: 1 },
  recordAttempt: { write: 'recordAttempt', deliveryId: 'd', attempt },
  reviveDelivery: { write: 'reviveDelivery', deliveryId: 'd', keptSince: noon, at: noon },
  addMail: { write: 'addMail', mail },
};
const all = Object.values(writes);
const namesOf = (some: readonly Write[]) => some.map(({ write }) => write);

describe('the kind of a write', () => {
  test('intents are the first claim and every later one, which an activation that has ended must not write', () => {
    const intents = all.filter((write) => isIntent(toEffect(write)));
    const claims = all.filter((write) => isClaim(toEffect(write)));
    expect(namesOf(intents)).toEqual(['insertMessage', 'claimCopy', 'claimDelivery', 'reviveDelivery']);
    expect(namesOf(claims)).toEqual(['claimCopy', 'claimDelivery', 'reviveDelivery']);
  });

  test.each(all)('$write takes the way in MongoDB that its kind requires', (write) => {
    const effect = toEffect(write);
    const plan = makePlan('c', 1, [write], () => false);
    const { messages, deliveries } = plan ?? {};
    const ways = {
      'insert messages': messages?.inserts,
      'claim messages': messages?.claims,
      'update messages': messages?.facts,
      'insert deliveries': deliveries?.inserts,
      'insert copies': plan?.copies.inserts,
      'claim deliveries': deliveries?.claims,
      'update deliveries': plan?.attempts,
      keep: plan?.unmatched,
      drop: plan?.drops,
      mail: plan?.mails,
    };
    const taken = Object.entries(ways).flatMap(([way, some]) => (some?.length === 1 ? [way] : []));
    const isCopy = write.write === 'insertCopy';
    const way = 'to' in effect ? `${effect.does} ${isCopy ? 'copies' : effect.to}` : effect.does;
    expect(taken).toEqual([way]);
  });
});
