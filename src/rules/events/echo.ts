import { idFrom } from '../../kernel/ids.ts';
import type { Channel } from '../channels/channel.ts';
import type { Echo, Part } from '../messages/facts.ts';
import type { ChannelEvent } from './built.ts';
import { echoMediaBlock, textBlock, unsupportedBlock } from './content-blocks.ts';

/**
 * One `message.echo` per part, each with its own stable UUID and without a sender; the first carries the caption.
 * The same on every tier, because echoes deliver no files. [spec: message.echo data, rules 1, 6]
 */
export function echoEvents(channel: Channel, echo: Echo): ChannelEvent[] {
  return echo.parts.map((part, index) => ({
    event: 'message.echo',
    messageId: echoMessageId(channel.id, echo.upstreamId, index + 1),
    at: echo.at,
    requestId: echo.requestId,
    upstreamId: echo.upstreamId,
    data: {
      recipient: echo.recipient,
      status: 'sent',
      ...writeContent(part),
      ...(index === 0 && echo.caption !== null ? { caption: echo.caption } : {}),
    },
  }));
}

/** The service's id of one part of an echo; `part` counts from 1. */
export function echoMessageId(channelId: string, upstreamId: string, part: number): string {
  return idFrom('echo', channelId, upstreamId, String(part));
}

function writeContent(part: Part): Record<string, unknown> {
  if (part.type === 'text') return textBlock(part);
  if (part.type === 'unsupported') return unsupportedBlock(part);
  return { type: part.type, media: echoMediaBlock(part.type) };
}
