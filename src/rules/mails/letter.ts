/**
 * Common parts of mails to people. Names come from upstream, where a stranger may have chosen them: they are cut to one short line, are no
 * link in any mail program, and are in no header but the subject: there a name is in quotes, and a handle after words of ours. [faults: 322]
 */
import { addressOf } from '../channels/address.ts';
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

/** A line may be stored this long after it was decided; the clock of the node that sends the mail may be ahead by as much. */
const storedWithinMs = 1_000;

/**
 * The digest interval of `now`, and the time at which the interval's mail is sent. The last moment of an interval belongs to the next one:
 * a line that is stored after its mail was sent reaches nobody. An interval of 0 gathers events of the same millisecond.
 * [operator-interface §2 DIGEST_INTERVAL_MS]
 */
export function gatherFor(intervalMs: number, now: number): { interval: number; sendAfter: number } {
  const lastsMs = Math.max(1, intervalMs);
  const interval = Math.floor((now + Math.min(storedWithinMs, lastsMs / 10)) / lastsMs);
  return { interval, sendAfter: (interval + 1) * lastsMs };
}

const maxName = 80;
/** A subject stays readable in a list of mails. */
const maxInSubject = 40;

/** Replaces control characters, which could create lines or headers. */
export function oneLine(text: string, most = maxName): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const points = Array.from(line);
  return points.length > most ? `${points.slice(0, most).join('')}…` : line;
}

/**
 * Mail programs make a link of whatever looks like an address of the web. As security advisories write it: `evil[.]example/login`.
 */
function unlinked(text: string): string {
  return text
    .replaceAll('://', '[:]//')
    .replaceAll(/(?<=[^\s.])[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, '[.]');
}

/** An outsider's name. */
export function writeText(name: string, most = maxName): string {
  return unlinked(oneLine(name, most));
}

/** A person's e-mail address. Before the `@` it may hold what a mail program reads as an address of the web. */
export function writeAddress(address: string): string {
  return /^[\w.+-]+@[^@/]+$/.test(address) ? address : unlinked(address);
}

type Named = Pick<Channel, 'id' | 'name' | 'channelType'>;

/** `"Support" (chatapp)`; with the id if the channel has no name. */
export function writeName({ id, name, channelType }: Named): string {
  const said = writeText(name ?? '');
  return said === '' ? `${channelType} channel ${id}` : `${quoted(said)} (${channelType})`;
}

/**
 * For a subject: `chatapp channel "Support" (+1 555-010-0042)`. Without a name by its number or handle, without
 * either by the end of its id.
 */
export function writeChannel(channel: Named & Pick<Channel, 'profile'>): string {
  const { id, channelType } = channel;
  const name = writeText(channel.name ?? '', maxInSubject);
  const address = writeText(addressOf(channel), maxInSubject);
  if (name === '') return `${channelType} channel ${address || `…${id.slice(-8)}`}`;
  return `${channelType} channel ${quoted(name)}${numberLike.test(address) ? ` (${address})` : ''}`;
}

const numberLike = /^\+?\d[\d ()-]*$/;

/** A name cannot end its own quotes. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

/** `2026-11-22 06:13 UTC` */
export function writeMoment(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function channelPage(baseUrl: string, channelId: string): string {
  return `${baseUrl}${channelPath(channelId)}`;
}
