/**
 * Collections and their indexes, made at every start: making one that is there does nothing. Partial ones hold only documents
 * that have the field, so that a channel's million past messages cost its open ones nothing. [performance §3, 10]
 */
import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb';
import { rankOf } from '../../../domain/messages/message.ts';
import type { RetryPolicy } from './retry-policy.ts';

interface Index {
  name: string;
  key: IndexSpecification & Record<string, 1 | -1>;
  options?: Pick<CreateIndexesOptions, 'unique' | 'partialFilterExpression' | 'expireAfterSeconds'>;
}

const hourSeconds = 3_600;
const daySeconds = 24 * hourSeconds;

const where = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });
const uniqueWhere = (field: string) => ({ unique: true, ...where(field) });
/** `dueAt` is there while a document is open. A comparison, not $exists: it has the bounds of the queries. */
const whereDue = { partialFilterExpression: { dueAt: { $gte: 0 } } };

export const indexes: Record<string, readonly Index[]> = {
  owners: [],
  accounts: [
    { name: 'email', key: { email: 1 }, options: { unique: true } },
    { name: 'age', key: { createdAt: 1, _id: 1 } },
  ],
  api_keys: [
    { name: 'hash', key: { hash: 1 }, options: { unique: true } },
    { name: 'of_account', key: { accountId: 1, createdAt: 1, _id: 1 } },
  ],
  people: [{ name: 'email', key: { email: 1 }, options: { unique: true } }],
  passes: [{ name: 'expiry', key: { expiresAt: 1 }, options: { expireAfterSeconds: daySeconds } }],
  redirects: [
    { name: 'of_key', key: { apiKeyId: 1, createdAt: 1, _id: 1 } },
    { name: 'place', key: { apiKeyId: 1, place: 1 }, options: { unique: true } },
    // Not on `uriPattern`: documents of earlier versions may be twins, and would stop the index and the start.
    { name: 'pattern', key: { apiKeyId: 1, unique: 1 }, options: uniqueWhere('unique') },
  ],
  subscriptions: [
    { name: 'of_account', key: { accountId: 1, createdAt: 1, _id: 1 } },
    { name: 'external_id', key: { externalId: 1 }, options: where('externalId') },
    { name: 'ending', key: { status: 1, source: 1, expiresAt: 1, _id: 1 } },
  ],
  channels: [
    { name: 'of_account', key: { accountId: 1, createdAt: 1, _id: 1 }, options: where('connectedAt') },
    // Arrays: an identity or slot is taken by having and by reserving alike. [faults: 79, 80]
    { name: 'claims', key: { claims: 1 }, options: uniqueWhere('claims') },
    { name: 'slots', key: { slots: 1 }, options: uniqueWhere('slots') },
    { name: 'code', key: { 'reservation.codeHash': 1 }, options: uniqueWhere('reservation.codeHash') },
    {
      name: 'code_expiry',
      key: { 'reservation.codeExpiresAt': 1 },
      options: where('reservation.codeExpiresAt'),
    },
    { name: 'on_asset', key: { subscribedAsset: 1 }, options: where('subscribedAsset') },
  ],
  // TTL indexes run a day late on purpose: they clean up, the time itself is compared in the queries.
  setup_sessions: [{ name: 'expiry', key: { expiresAt: 1 }, options: { expireAfterSeconds: daySeconds } }],
  idempotency: [{ name: 'age', key: { createdAt: 1 }, options: { expireAfterSeconds: 2 * daySeconds } }],
  messages: [
    { name: 'open', key: { channelId: 1, dueAt: 1 }, options: whereDue },
    { name: 'upstream_ids', key: { channelId: 1, upstreamIds: 1 }, options: where('upstreamIds') },
    {
      name: 'unread',
      key: { channelId: 1, recipient: 1, attemptedAt: 1 },
      options: { partialFilterExpression: { state: 'sent', rank: { $lt: rankOf('read') } } },
    },
    { name: 'age', key: { createdAt: 1 } },
  ],
  unmatched_facts: [
    { name: 'of_channel', key: { channelId: 1, expiresAt: 1 } },
    { name: 'due', key: { channelId: 1, dueAt: 1 }, options: whereDue },
    { name: 'expiry', key: { expiresAt: 1 }, options: { expireAfterSeconds: hourSeconds } },
  ],
  deliveries: [
    { name: 'pending', key: { channelId: 1, dueAt: 1 }, options: whereDue },
    { name: 'owing', key: { channelId: 1 }, options: where('owes') },
    { name: 'log', key: { channelId: 1, createdAt: 1, _id: 1 } },
    // Among a million delivered ones a failed one would be hard to find.
    {
      name: 'failed',
      key: { channelId: 1, state: 1, createdAt: 1, _id: 1 },
      options: { partialFilterExpression: { state: 'failed' } },
    },
    // No TTL: how long the log is kept is a setting, and another node's may not be known here yet.
    {
      name: 'finished_by_age',
      key: { createdAt: 1 },
      options: { partialFilterExpression: { isFinished: true } },
    },
  ],
  parked_facts: [
    { name: 'of_channel', key: { channelId: 1, at: 1, _id: 1 } },
    { name: 'aside', key: { aside: 1 }, options: where('aside') },
  ],
  channel_health: [{ name: 'failing', key: { failingSince: 1, _id: 1 }, options: where('failingSince') }],
  quarantine: [
    { name: 'by_age', key: { createdAt: 1, _id: 1 } },
    { name: 'seen', key: { lastSeenAt: 1 } },
  ],
  templates: [
    { name: 'of_owner', key: { accountId: 1, businessAccountId: 1, createdAt: 1, _id: 1 } },
    { name: 'by_name', key: { accountId: 1, businessAccountId: 1, name: 1 } },
    { name: 'upstream', key: { businessAccountId: 1, upstreamId: 1 } },
    { name: 'removed', key: { removedAt: 1 }, options: where('removedAt') },
  ],
  template_syncs: [{ name: 'due', key: { dueAt: 1 }, options: whereDue }],
  template_uses: [{ name: 'age', key: { usedAt: 1 } }],
  media_files: [{ name: 'expiry', key: { expiresAt: 1 } }],
  // GridFS's own, under the name that its drivers give it; the one on `media.files`, which nobody asks, is left to them.
  'media.chunks': [{ name: 'files_id_1_n_1', key: { files_id: 1, n: 1 }, options: { unique: true } }],
  mails: [
    { name: 'age', key: { createdAt: 1, _id: 1 } },
    { name: 'of_account', key: { accountId: 1, createdAt: 1, _id: 1 } },
    { name: 'unsent', key: { sendAfter: 1 }, options: { partialFilterExpression: { unsent: true } } },
  ],
};

/** Made by earlier versions; what they did is done otherwise. */
const retired: Readonly<Record<string, string>> = { deliveries: 'finished' };

/** Throws StoreUnavailable when the server does not do it, e.g. because an index of that name differs. */
export async function makeIndexes(db: Db, retryPolicy: RetryPolicy): Promise<void> {
  await Promise.all(
    Object.entries(indexes)
      .filter(([, wanted]) => wanted.length > 0)
      .map(([collection, wanted]) =>
        retryPolicy.run(`indexes of ${collection}`, () =>
          db
            .collection(collection)
            .createIndexes(wanted.map(({ name, key, options }) => ({ name, key, ...options }))),
        ),
      ),
  );
  await Promise.all(
    Object.entries(retired).map(([collection, name]) => dropIndex(db, retryPolicy, collection, name)),
  );
}

async function dropIndex(db: Db, retryPolicy: RetryPolicy, collection: string, name: string): Promise<void> {
  await retryPolicy.run(`an index of ${collection}`, async () => {
    const there = await db.collection(collection).indexes();
    if (there.some((index) => index.name === name)) await db.collection(collection).dropIndex(name);
  });
}
