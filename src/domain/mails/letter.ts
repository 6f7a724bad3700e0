/** What every mail to a person says the same way. Names come from upstream: one line each, and short. */
import type { Channel } from '../channels/channel.ts';

export interface Letter {
  subject: string;
  lines: string[];
}

/** The line of a mail whose place its link takes when it is sent: the link itself is sealed. [faults: 135] */
export const linkPlace = '{link}';

export function withLink(lines: readonly string[], link: string): string[] {
  return lines.map((line) => (line === linkPlace ? link : line));
}

/** Of lines that come one by one a mail keeps the first so many and counts the rest. [faults: 161] */
export const maxMailLines = 100;

/** What the mail shows of them. */
export function withRest(lines: string[], leftOut: number): string[] {
  return leftOut === 0 ? lines : [...lines, `… and ${leftOut.toLocaleString('en-US')} more like these`];
}

/**
 * Of what comes one by one, the interval that it falls into and when the mail of that interval leaves. One of 0 gathers what comes in a
 * millisecond. [operator-interface §2 DIGEST_INTERVAL_MS]
 */
export function gatherFor(intervalMs: number, now: number): { interval: number; sendAfter: number } {
  const lastsMs = Math.max(1, intervalMs);
  const interval = Math.floor(now / lastsMs);
  return { interval, sendAfter: (interval + 1) * lastsMs };
}

const maxName = 80;

/** Control characters would make lines, or headers. */
export function oneLine(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const points = Array.from(line);
  return points.length > maxName ? `${points.slice(0, maxName).join('')}…` : line;
}

type Named = Pick<Channel, 'id' | 'name' | 'channelType'>;

/** `"Support" (chatapp)`; by its id while nobody has named it. */
export function writeName({ id, name, channelType }: Named): string {
  const said = oneLine(name ?? '');
  return said === '' ? `${channelType} channel ${id}` : `"${said}" (${channelType})`;
}

/** `2026-11-22 06:13 UTC` */
export function writeMoment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function channelPage(baseUrl: string, channelId: string): string {
  return `${baseUrl}/portal/channels/${channelId}`;
}
