import type { Channel } from '../channels/channel.ts';
import type { HealthProblem } from '../channels/health.ts';
import { channelPage, writeMoment, writeName } from './letter.ts';
import type { Letter } from './letter.ts';

const consequences = {
  send: 'Nothing can be sent through it.',
  receive: 'Nothing comes in through it.',
  events: 'What comes in does not reach your endpoint.',
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
      `Your channel ${name}, seen at ${writeMoment(now)}: ${affects.map((each) => consequences[each]).join(' ')}`,
      `What to do: ${detail}.`,
      `The channel: ${channelPage(baseUrl, channel.id)}`,
    ],
  };
}
