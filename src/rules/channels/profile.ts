/** A channel's identity on its platform: one shape per kind. `type` equals the channel's. */
export type ChannelProfile = ChatappProfile | PhotoappProfile | PagechatProfile;

/** A phone number of a business account. Its identity is `phoneNumberId`. */
export interface ChatappProfile {
  type: 'chatapp';
  phoneNumberId: string;
  /** Upstream's notation for people: `+1 555-010-0042`. */
  phoneNumber: string | null;
  businessAccountId: string;
  qualityRating: string | null;
  /** Upstream's word for the number's rate limit (`STANDARD`, `HIGH`); absent if upstream did not say. */
  throughput?: string;
  /** The number is also used in the phone's business app: only such numbers have echoes. */
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

/** The profile if it is of this kind, else null. */
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

/** The profile in the API: flat, with null for fields that the kind does not have. [spec: Channel] */
export interface PublicFields {
  phone_number_id: string | null;
  phone_number: string | null;
  business_account_id: string | null;
  quality_rating: string | null;
  photoapp_account_id: string | null;
  photoapp_username: string | null;
  page_id: string | null;
}
