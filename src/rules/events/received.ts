import { idFrom } from '../../kernel/ids.ts';
import { kindOf } from '../channels/kinds.ts';
import type { Channel } from '../channels/channel.ts';
import type { Tier } from '../licences/subscription.ts';
import type { InboundMessage, Part } from '../messages/facts.ts';
import { writeContext, writeNames } from './context-blocks.ts';
import { mediaBlock, textBlock, unsupportedBlock } from './content-blocks.ts';
import type { MediaResult } from './content-blocks.ts';
import type { ChannelEvent } from './built.ts';

/**
 * One `message.received` per part, in upstream's order. The first has the message's id, the caption and what it answers, the others
 * are `<id>.2`, `<id>.3`. `media` holds the download results by part position and is used on `pro` only: a file without a result
 * counts as a failed download. [spec: message.received data, rules 2, 4, 5]
 */
export function receivedEvents(
  channel: Channel,
  tier: Tier,
  inbound: InboundMessage,
  media: readonly (MediaResult | null)[] = [],
): ChannelEvent[] {
  const firstId = inboundMessageId(channel.id, inbound.upstreamId);
  const fromName = kindOf(channel.channelType).namesSender ? inbound.fromName : null;
  return inbound.parts.map((part, index) => {
    const messageId = index === 0 ? firstId : `${firstId}.${index + 1}`;
    const result = media[index] ?? notFetched(messageId, inbound.at);
    const data = {
      from: inbound.from,
      from_name: fromName,
      ...writeNames(inbound),
      ...writeContent(channel, tier, part, result),
      // A starter licence withholds the file, but not its caption.
      ...(index === 0 && inbound.caption !== null ? { caption: inbound.caption } : {}),
      ...(index === 0 ? writeContext(inbound) : {}),
    };
    const { at, requestId, again, upstreamId } = inbound;
    const event = { event: 'message.received', messageId, at, data, requestId, upstreamId } as const;
    return again === undefined ? event : { ...event, again };
  });
}

/**
 * The id of the previous part of a message with several attachments; null for the first part, and for any other id.
 * [spec: message.received data, rule 2: ids with suffixes `.2`, `.3`]
 */
export function partBefore(messageId: string): string | null {
  const dot = messageId.lastIndexOf('.');
  if (dot === -1) return null;
  const part = Number(messageId.slice(dot + 1));
  const first = messageId.slice(0, dot);
  return part === 2 ? first : `${first}.${part - 1}`;
}

/** The service's id of an inbound message, the same in every redelivery by upstream. [operator-interface §4] */
export function inboundMessageId(channelId: string, upstreamId: string): string {
  return idFrom('inbound', channelId, upstreamId);
}

function writeContent(channel: Channel, tier: Tier, part: Part, media: MediaResult): Record<string, unknown> {
  if (part.type === 'text') return textBlock(part);
  if (part.type === 'unsupported') return unsupportedBlock(part);
  if (tier === 'starter')
    return { type: 'unsupported', unsupported_type: part.type, upgrade_required: 'pro' };
  const { describesFiles } = kindOf(channel.channelType);
  return { type: part.type, media: mediaBlock(part.type, part.file, media, describesFiles) };
}

function notFetched(messageId: string, at: number): MediaResult {
  return {
    result: 'failed',
    mediaId: idFrom('media', messageId),
    error: 'The file could not be downloaded from upstream',
    failedAt: at,
  };
}
