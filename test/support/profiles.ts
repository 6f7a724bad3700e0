/** Channel profiles as upstream gives them; a test overrides only the fields that it is about. */
import type { ChannelProfile, ChatappProfile } from '../../src/rules/channels/profile.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { asset } from './known.ts';

export function chatappProfile(over: Partial<ChatappProfile> = {}): ChatappProfile {
  return {
    type: 'chatapp',
    phoneNumberId: asset.chatapp,
    phoneNumber: '+1 555-010-0042',
    businessAccountId: '311200000000001',
    qualityRating: null,
    isDualUse: false,
    ...over,
  };
}

export const profiles: Record<ChannelType, ChannelProfile> = {
  chatapp: chatappProfile(),
  photoapp: { type: 'photoapp', accountId: asset.photoapp, username: null, pageId: asset.pagechat },
  pagechat: { type: 'pagechat', pageId: asset.pagechat },
};
