/** Mails about a channel: a problem of it, a refused token, failed sends. [spec: Message send state; spec: Send error codes, 190] */
import type { Channel } from '../channels/channel.ts';
import type { HealthProblem } from '../channels/health.ts';
import { channelsPath } from '../portal-paths.ts';
import { channelPage, writeChannel, writeMoment, writeName, writeText } from './letter.ts';
import type { Letter } from './letter.ts';
import { shortHash } from '../../kernel/ids.ts';
import type { MailItem } from './webhooks.ts';

const consequences = {
  send: 'No message can be sent through the channel.',
  receive: 'No message is received through the channel.',
  events: 'Received messages are not delivered to your webhook endpoint.',
} as const;

/** Mail about a problem found by the channel check that only a person can solve. */
export function channelProblem(
  channel: Channel,
  { detail, affects }: Pick<HealthProblem, 'detail' | 'affects'>,
  { now, baseUrl }: { now: number; baseUrl: string },
): Letter {
  const name = writeName(channel);
  return {
    subject: `Your ${writeChannel(channel)} needs attention`,
    lines: [
      `A check of your channel ${name} at ${writeMoment(now)} found a problem. ${affects.map((each) => consequences[each]).join(' ')}`.trimEnd(),
      `Problem: ${detail}.`,
      `Open the channel: ${channelPage(baseUrl, channel.id)}`,
    ],
  };
}

/** The end of a channel's token is near, and upstream does not renew it. */
export function tokenEnding(channel: Channel, { end, baseUrl }: { end: number; baseUrl: string }): Letter {
  const name = writeName(channel);
  return {
    subject: `Your ${writeChannel(channel)} has to be connected again before ${writeMoment(end)}`,
    lines: [
      `The access token of your channel ${name} ends at ${writeMoment(end)}, and the platform did not renew it. From then on no message can be sent through the channel.`,
      'What to do: connect the channel again before. It keeps its id, its settings and its history.',
      `Connect it again: ${channelPage(baseUrl, channel.id)}`,
    ],
  };
}

/** A send that was answered `queued` and failed later. */
export function undelivered(
  channel: Channel,
  { messageId, error, at, baseUrl }: { messageId: string; error: string; at: number; baseUrl: string },
): MailItem {
  return {
    subject: 'Messages that could not be delivered',
    opening: [
      'The messages below were accepted as "queued" but could not be delivered. The service does not try them again.',
      'What to do: read the reason at the end of each line. Send a message that still matters again, as a new message.',
      'A message with the reason "Upstream never confirmed the message" may have arrived nevertheless: check the conversation before you send it again.',
      `Your channels: ${baseUrl}${channelsPath}`,
      '',
    ],
    line: `${new Date(at).toISOString()} ${writeName(channel)}, channel ${channel.id}, message ${messageId}: ${error}`,
  };
}

/** Mail about a channel whose token upstream refuses. By its id one per token, from whatever call was refused first. */
export function reconnectNeeded(
  channel: Channel,
  { what, code, at, baseUrl }: { what: string; code: number | null; at: number; baseUrl: string },
): MailItem & { id: string; accountId: string; kind: 'reconnect' } {
  const name = writeName(channel);
  return {
    id: `reconnect:${channel.id}:${shortHash(channel.token ?? '')}`,
    accountId: channel.accountId,
    kind: 'reconnect',
    subject: `Your ${writeChannel(channel)} has to be connected again`,
    opening: [
      `Since ${writeMoment(at)} nothing can be sent through your channel ${name}: the platform refuses its access token. Messages are still received.`,
      'Possible reasons: somebody changed a password or removed the permission, or the token has expired.',
      'What to do: connect the channel again. It keeps its id, its settings and its history.',
      `Connect it again: ${channelPage(baseUrl, channel.id)}`,
      '',
    ],
    line: `${new Date(at).toISOString()} channel ${channel.id} (${writeText(channel.name ?? channel.channelType)}): ${what} (code ${code})`,
  };
}
