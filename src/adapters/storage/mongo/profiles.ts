/** Documents of before profiles: what they say is the same, in eight fields whatever the kind. */
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
 * Gives every stored channel its profile, one write to one document each, so several nodes may do it at once and a node that dies
 * on the way leaves nothing half. `isDualUse` marks the documents that are still to be changed: every document of the old shape has it.
 */
export async function gatherProfiles(db: Db, retryPolicy: RetryPolicy): Promise<void> {
  const channels = db.collection<FlatChannel>('channels');
  const flat = await retryPolicy.run('find flat channels', () =>
    channels.find({ isDualUse: { $exists: true } }).toArray(),
  );
  for (const { _id, ...fields } of flat) {
    const profile = gathered(fields);
    const change = { ...(profile === null ? {} : { $set: profile }), $unset: flatNames };
    await retryPolicy.run('gather a profile', () =>
      channels.updateOne({ _id, isDualUse: { $exists: true } }, change),
    );
  }
}

/** null: of a channel that was only reserved nothing is known. */
function gathered(flat: Omit<FlatChannel, '_id'>): Record<string, unknown> | null {
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
