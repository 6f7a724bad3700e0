/** Common parts of mails to people. Names come from upstream, so they are cut to one short line. */
import type { Channel } from '../channels/channel.ts';
import { channelPath } from '../portal-paths.ts';

export interface Letter {
  subject: string;
  lines: string[];
}

/** Placeholder line, replaced by the mail's link at sending; the link itself is stored sealed. [faults: 135] */
export const linkPlace = '{link}';

export function withLink(lines: readonly string[], link: string): string[] {
  return lines.map((line) => (line === linkPlace ? link : line));
}

/** Most lines of a digest mail; further lines are only counted. [faults: 161] */
export const maxMailLines = 100;

/** The mail's lines, with a line that counts the omitted ones. */
export function withRest(lines: string[], leftOut: number): string[] {
  return leftOut === 0 ? lines : [...lines, `… and ${leftOut.toLocaleString('en-US')} more like these`];
}

/**
 * The digest interval of `now`, and the time at which the interval's mail is sent. An interval of 0 gathers events of the same
 * millisecond. [operator-interface §2 DIGEST_INTERVAL_MS]
 */
export function gatherFor(intervalMs: number, now: number): { interval: number; sendAfter: number } {
  const lastsMs = Math.max(1, intervalMs);
  const interval = Math.floor(now / lastsMs);
  return { interval, sendAfter: (interval + 1) * lastsMs };
}

const maxName = 80;

/** Replaces control characters, which could create lines or headers. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const points = Array.from(line);
  return points.length > maxName ? `${points.slice(0, maxName).join('')}…` : line;
}

type Named = Pick<Channel, 'id' | 'name' | 'channelType'>;

/** `"Support" (chatapp)`; with the id if the channel has no name. */
export function writeName({ id, name, channelType }: Named): string {
  const said = oneLine(name ?? '');
  return said === '' ? `${channelType} channel ${id}` : `"${said}" (${channelType})`;
}

/** `2026-11-22 06:13 UTC` */
export function writeMoment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function channelPage(baseUrl: string, channelId: string): string {
  return `${baseUrl}${channelPath(channelId)}`;
}
