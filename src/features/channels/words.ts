/** The words by which an account finds its channels: what a name, a number or a handle begins and ends with. */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { addressOf } from '../../rules/channels/address.ts';
import { digitsOf, numberIn } from '../../rules/phone-number.ts';

const maxLength = 40;
/** Of one name or handle. */
const mostParts = 8;
/** Fewer digits are part of a name. */
export const fewestDigits = 3;

type Named = Pick<Channel, 'id' | 'name' | 'channelType' | 'profile'>;

/** As words are compared. */
export function folded(text: string): string {
  return text.trim().toLowerCase();
}

/** The name from each of its parts on, the handle likewise, and each end of the number: a channel has some twenty. */
export function wordsOfNamed(channel: Named): string[] {
  const { id, name, channelType } = channel;
  const address = addressOf(channel).replace(/^@/, '');
  const digits = digitsOf(address);
  const ends = Array.from({ length: Math.max(0, digits.length - fewestDigits + 1) }, (_, at) =>
    digits.slice(at),
  );
  const all = [id, ...upstreamIdsOf(channel), ...partsOn(name ?? channelType), ...partsOn(address), ...ends];
  return [...new Set(all.map((word) => folded(word).slice(0, maxLength)).filter((word) => word !== ''))];
}

/** What the platform calls the channel: its number's, page's, account's and business's ids. */
export function upstreamIdsOf({ channelType, profile }: Named): string[] {
  const shown = Object.values(kindOf(channelType).publicFields(profile));
  return shown.flatMap((value) => (typeof value === 'string' && isUpstreamId(value) ? [value] : []));
}

export function isUpstreamId(text: string): boolean {
  return /^\d{5,}$/.test(text);
}

/** The beginnings of words that a typed text stands for. */
export function prefixesOf(typed: string): string[] {
  const text = folded(typed);
  // A name with its address, as fields show it, is a name too.
  const name = text.replace(/ \([^)]*\)$/, '');
  const all = [text, name, text.replace(/^@/, ''), numberIn(text, fewestDigits)];
  return [...new Set(all.map((word) => word.slice(0, maxLength)).filter((word) => word !== ''))];
}

function partsOn(text: string): string[] {
  const starts = [...text.matchAll(/(?<![\p{L}\p{M}\p{N}])[\p{L}\p{M}\p{N}]/gu)].map(({ index }) => index);
  return [text, ...starts.slice(0, mostParts).map((at) => text.slice(at))];
}
