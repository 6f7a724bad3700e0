import type { ChannelType } from '../../rules/vocabulary.ts';
import type { SenderProfile } from '../../upstream/profile-calls.ts';
import { channelTypeWord } from '../../http/schemas/common.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { flag, openObject, orNull, ourId, string } from '../../http/validation/json-schema.ts';
import { answer } from '../../http/validation/response-body.ts';

/** [spec: SenderProfileResponse] */
export interface SenderProfileAnswer {
  channelId: string;
  channelType: ChannelType;
  userId: string;
  profile: SenderProfile | null;
  cached: boolean;
}

/** [spec: SenderProfileResponse] */
export const senderProfileResponse = answer<SenderProfileAnswer>('SenderProfileResponse', {
  channel_id: [ourId, 'channelId'],
  channel_type: [channelTypeWord, 'channelType'],
  user_id: [{ ...string, description: 'The scoped user id that was asked for' }, 'userId'],
  profile: [
    {
      ...orNull(openObject),
      description: kindNotes.profile,
      examples: [{ first_name: 'Mia', last_name: 'Vogel', profile_pic: 'https://files.example/mia.jpg' }],
    },
    'profile',
  ],
  cached: [
    { ...flag, default: false, description: 'True if the result comes from the cache and not from upstream' },
    'cached',
  ],
});
