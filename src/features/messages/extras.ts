/** What any send may add to its content: the message that it answers, and a tag. */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { Content, SendTag } from '../../rules/messages/content.ts';
import { fault } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { requireOfPerson } from './referred.ts';

/** As a client gave them; null: not given. */
export interface GivenExtras {
  /** Our id of the message that is answered. */
  replyTo: string | null;
  tag: SendTag | null;
}

/** null if the body has none of them, as most have. */
export function readExtras(body: { reply_to?: string | null; tag?: SendTag | null }): GivenExtras | null {
  const { reply_to: replyTo = null, tag = null } = body;
  return replyTo === null && tag === null ? null : { replyTo, tag };
}

/** Throws 400 `unknown_message`, or `unsupported_content` for a tag that the kind does not have. */
export async function addExtras(
  world: World,
  channel: Channel,
  { content, recipient }: { content: Content; recipient: string },
  { replyTo, tag }: GivenExtras,
): Promise<Content> {
  if (tag !== null && !kindOf(channel.channelType).sendTags.has(tag))
    throw fault('unsupported_content', {
      what: `The tag ${tag}`,
      channel_type: channel.channelType,
      reason: 'no_tags',
    });
  const answered =
    replyTo === null
      ? null
      : await requireOfPerson(world, channel, { field: 'reply_to', id: replyTo, recipient });
  return {
    ...content,
    ...(answered === null ? {} : { replyTo: answered }),
    ...(tag === null ? {} : { tag }),
  };
}
