import type { Channel } from '../channels/channel.ts';
import type { HealthProblem } from '../channels/health.ts';
import { channelPage, writeMoment, writeName } from './letter.ts';
import type { Letter } from './letter.ts';

const consequences = {
  send: 'No message can be sent through the channel.',
  receive: 'No message is received through the channel.',
  events: 'Received messages are not delivered to your webhook endpoint.',
} as const;

/** Mail about a problem found by the channel check that only a person can solve. */
export function channelProblem(
  channel: Channel,
  { detail, affects }: HealthProblem,
  { now, baseUrl }: { now: number; baseUrl: string },
): Letter {
  const name = writeName(channel);
  return {
    subject: `${name} needs attention`,
    lines: [
      `A check of your channel ${name} at ${writeMoment(now)} found a problem. ${affects.map((each) => consequences[each]).join(' ')}`,
      `Problem: ${detail}.`,
      `Open the channel: ${channelPage(baseUrl, channel.id)}`,
    ],
  };
}
