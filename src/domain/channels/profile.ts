/** Who a channel is on its platform: one shape per kind. `type` is the channel's own. */
export type ChannelProfile = ChatappProfile | PhotoappProfile | PagechatProfile;

/** A phone number of a business account. Its identity is `phoneNumberId`. */
export interface ChatappProfile {
  type: 'chatapp';
  phoneNumberId: string;
  /** As upstream writes it for people: `+1 555-010-0042`. */
  phoneNumber: string | null;
  businessAccountId: string;
  qualityRating: string | null;
  /** Upstream's word for how fast the number may send (`STANDARD`, `HIGH`); absent: it did not say. */
  throughput?: string;
  /** The number also lives in the phone's business app: only such numbers have echoes. */
  isDualUse: boolean;
}

/** A photo account and the page it sends through. Its identity is `accountId`. */
interface PhotoappProfile {
  type: 'photoapp';
  accountId: string;
  username: string | null;
  pageId: string;
}

/** A page. Its identity is `pageId`. */
interface PagechatProfile {
  type: 'pagechat';
  pageId: string;
}

type ProfileOf<T> = Extract<ChannelProfile, { type: T }>;

/** The profile if it is of this kind: how a kind gets at its own. */
export function profileAs<T extends ChannelProfile['type']>(
  profile: ChannelProfile | null,
  type: T,
): ProfileOf<T> | null {
  return profile !== null && isProfileFor(profile, type) ? profile : null;
}

function isProfileFor<T extends ChannelProfile['type']>(
  profile: ChannelProfile,
  type: T,
): profile is ProfileOf<T> {
  return profile.type === type;
}

/** The profile as clients see it: flat, and null where the kind has no such field. [spec: Channel] */
export interface PublicFields {
  phone_number_id: string | null;
  phone_number: string | null;
  business_account_id: string | null;
  quality_rating: string | null;
  photoapp_account_id: string | null;
  photoapp_username: string | null;
  page_id: string | null;
}
