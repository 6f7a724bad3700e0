import { apiRoute } from '../route.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { senderProfile } from './sender-profile.ts';
import { senderProfileResponse } from './schemas.ts';

const tag = 'Channels';

export const profileRoute = apiRoute({
  get: '/api/v1/channels/{channel_id}/profile/{user_id}',
  name: 'senderProfile',
  needs: ['messages:read'],
  tag,
  summary: kindNotes.senderProfile,
  description: `\`user_id\` is the \`data.from\` of an inbound message. Results are cached for 5 minutes. ${kindNotes.noSenderProfile}`,
  errors: [400, 402, 502],
  body: noBody,
  success: { status: 200, schema: senderProfileResponse.schema },
  async answer(call, { world }) {
    const asked = { channelId: call.id('channel_id'), userId: call.foreignId('user_id') };
    return senderProfileResponse.of(await senderProfile(world, call.caller, asked));
  },
});
