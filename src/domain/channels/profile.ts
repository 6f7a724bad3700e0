import type { ChatappProfile } from './chatapp/profile.ts';
import type { PagechatProfile } from './pagechat/profile.ts';
import type { PhotoappProfile } from './photoapp/profile.ts';

/** Who a channel is on its platform: one shape per kind. `type` is the channel's own. */
export type ChannelProfile = ChatappProfile | PhotoappProfile | PagechatProfile;

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
