/** Every kind of write of a channel's owner, and the rest of a send. */
import type { Write } from '../../src/storage/journal/writes.ts';
import { newId } from '../../src/kernel/ids.ts';
import { accepted } from './conformance/certain.ts';
import { aDelivery, aHeldFact, aMessage, noon } from './conformance/samples.ts';
import type { OpenStore } from './conformance/store.ts';

type Used = Pick<OpenStore, 'stores' | 'channelState'>;

export async function useWrites({ stores, channelState }: Used): Promise<void> {
  const channelId = newId();
  const message = aMessage(channelId, { copies: 0, tries: 0, state: 'queued', nextTryAt: noon });
  const delivery = aDelivery(channelId);
  const { id: messageId, accountId } = message;
  const attempt = { attempts: 2, firstTriedAt: noon, nextDueAt: noon, lastResult: '500', attemptLog: null };
  const before = { n: 1, at: noon };
  const call = { ...before, endedAt: noon, outcome: 'unknown', error: 'e', code: 1, traceId: null } as const;
  const mail = {
    id: newId(),
    accountId,
    kind: 'delivery-digest',
    subject: 's',
    opening: [],
    line: 'l',
  } as const;
  const waiting = aHeldFact();
  const commits: Write[][] = [
    [
      { write: 'insertMessage', message },
      { write: 'insertDelivery', delivery },
    ],
    [{ write: 'insertCopy', delivery: aDelivery(`${channelId}:${newId()}`) }],
    [{ write: 'claimCopy', messageId, expect: { copies: 0, tries: 0 }, attemptedAt: noon }],
    [{ write: 'recordDeferred', messageId, nextTryAt: noon, error: 'e', errorCode: 1 }],
    [{ write: 'claimCopy', messageId, expect: { copies: 0, tries: 1 }, attemptedAt: noon, before }],
    [{ write: 'recordUnknown', messageId, call }],
    [{ write: 'claimDelivery', deliveryId: delivery.id, attempts: delivery.attempts, claims: 1 }],
    [{ write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...attempt, state: 'pending' } }],
    [{ write: 'recordAttempt', deliveryId: delivery.id, attempt: { ...attempt, state: 'delivered' } }],
    [accepted(messageId)],
    [{ write: 'recordStatus', messageId, status: 'read', upstreamId: null, at: noon }],
    [{ write: 'recordFailed', messageId, error: 'e', errorCode: 1, at: noon }],
    [{ write: 'insertEcho', message: aMessage(channelId, { origin: 'echo', state: 'sent' }) }],
    [{ write: 'keepWaiting', unmatched: waiting }],
    [{ write: 'dropWaiting', unmatchedIds: [waiting.id] }],
    [{ write: 'addMail', mail: { ...mail, sendAfter: noon, createdAt: noon } }],
  ];
  for (const writes of commits) await channelState.commit(channelId, 1, writes);
  // Facts of many messages at once are written otherwise than one.
  const many = Array.from({ length: 3 }, () => aMessage(channelId));
  await channelState.commit(
    channelId,
    1,
    many.map((each) => ({ write: 'insertMessage', message: each })),
  );
  await channelState.commit(
    channelId,
    1,
    many.map(({ id }) => accepted(id)),
  );
  await channelState.requireHighest(channelId, 1);
  await useSends(stores, channelId);
}

async function useSends(
  { idempotency, sends, messageLog }: OpenStore['stores'],
  channelId: string,
): Promise<void> {
  const message = aMessage(channelId, { state: 'queued', copies: 0, tries: 0, epoch: 0 });
  const { id, accountId } = message;
  const record = { accountId, key: 'k', bodyHash: 'h', messageId: id, answer: null, createdAt: noon };
  await idempotency.begin(record, noon);
  await idempotency.begin(record, noon);
  await sends.byUpstreamId([channelId], 'wamid');
  await sends.insertUnlessTaken(message);
  await sends.insertUnlessTaken(message);
  await idempotency.answered(record, { status: 200 });
  await messageLog.find({ id, accountId, channelId });
  await messageLog.byId(id);
}
