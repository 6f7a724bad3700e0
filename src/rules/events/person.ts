import { idFrom } from '../../kernel/ids.ts';
import type { Channel } from '../channels/channel.ts';
import type { PersonChange } from '../messages/facts.ts';
import type { ChannelEvent } from './built.ts';

/** `person.updated`: the names before and after, as far as upstream tells them. [spec: Additions] */
export function personEvent(channel: Channel, change: PersonChange): ChannelEvent {
  const { from, userId, previousFrom, previousUserId, at, requestId } = change;
  const data = {
    from,
    ...(userId === undefined ? {} : { from_user_id: userId }),
    ...(previousFrom === undefined ? {} : { previous_from: previousFrom }),
    ...(previousUserId === undefined ? {} : { previous_user_id: previousUserId }),
  };
  const messageId = idFrom('person', channel.id, change.upstreamId);
  return { event: 'person.updated', messageId, at, data, requestId };
}
