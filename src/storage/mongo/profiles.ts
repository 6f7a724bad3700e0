/** Migrates channels that an older version stored with eight flat fields instead of a profile. */
import type { Db } from 'mongodb';
import type { RetryPolicy } from './retry-policy.ts';

interface FlatFields {
  phoneNumberId?: string;
  phoneNumber?: string;
  businessAccountId?: string;
  qualityRating?: string;
  photoappAccountId?: string;
  photoappUsername?: string;
  pageId?: string;
  isDualUse?: boolean;
}

type FlatChannel = { _id: string; channelType: string } & FlatFields;

const flatNames = {
  phoneNumberId: '',
  phoneNumber: '',
  businessAccountId: '',
  qualityRating: '',
  photoappAccountId: '',
  photoappUsername: '',
  pageId: '',
  isDualUse: '',
} as const satisfies Record<keyof FlatFields, ''>;

/**
 * Gives every stored channel its profile, with one write per document, so that several nodes may run this at once and a crash leaves no
 * document half changed. All unmigrated documents have `isDualUse`, which selects them.
 */
export async function gatherProfiles(db: Db, retryPolicy: RetryPolicy): Promise<void> {
  const channels = db.collection<FlatChannel>('channels');
  const flat = await retryPolicy.run('find flat channels', () =>
    channels.find({ isDualUse: { $exists: true } }).toArray(),
  );
  for (const { _id, ...fields } of flat) {
    const profile = toProfile(fields);
    const change = { ...(profile === null ? {} : { $set: profile }), $unset: flatNames };
    await retryPolicy.run('gather a profile', () =>
      channels.updateOne({ _id, isDualUse: { $exists: true } }, change),
    );
  }
}

/** Returns null for a channel that was only reserved, of which nothing is known. */
function toProfile(flat: Omit<FlatChannel, '_id'>): Record<string, unknown> | null {
  const { channelType: type, phoneNumberId, phoneNumber, businessAccountId, qualityRating, pageId } = flat;
  if (phoneNumberId !== undefined) {
    const { isDualUse } = flat;
    const known = { phoneNumber: phoneNumber ?? null, qualityRating: qualityRating ?? null };
    const profile = { type, phoneNumberId, businessAccountId, ...known, isDualUse };
    return { profile, subscribedAsset: businessAccountId };
  }
  const { photoappAccountId: accountId, photoappUsername: username } = flat;
  if (pageId === undefined) return null;
  const profile =
    accountId === undefined ? { type, pageId } : { type, accountId, username: username ?? null, pageId };
  return { profile, subscribedAsset: pageId };
}
