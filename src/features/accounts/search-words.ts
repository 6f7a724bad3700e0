/** Lower-case words by which operators find an account: of its name and address, and of its channels' names, numbers and handles. */
import { domainToUnicode } from 'node:url';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { Account } from './account.ts';
import { addressIn } from '../../rules/email.ts';
import { digitsOf, numberIn } from '../../rules/phone-number.ts';

/** Words per account or channel. */
const mostWords = 24;
const maxLength = 64;
/** Digits alone are a phone number from this length on, otherwise part of a name. */
const fewestDigits = 5;

export function wordsOfAccount({ name, email }: Pick<Account, 'name' | 'email'>): string[] {
  const address = addressIn(email);
  const host = address.split('@')[1] ?? '';
  // The host as people write it; the stored one is ASCII.
  const written = domainToUnicode(host);
  return distinctWords([address, host, ...partsOf(address), ...partsOf(written), ...partsOf(name ?? '')]);
}

export function wordsOfChannel(channel: Pick<Channel, 'channelType' | 'name' | 'profile'>): string[] {
  const { channelType, name, profile } = channel;
  const known = kindOf(channelType).publicFields(profile);
  const number = known.phone_number ?? '';
  const handle = known.photoapp_username ?? '';
  return distinctWords([digitsOf(number), handle, ...partsOf(handle), ...partsOf(name ?? '')]);
}

/**
 * The word prefixes of a search text. All prefixes of a list must match; the first list has the text split at blanks, for addresses and
 * handles, the second one also at punctuation. A phone number is reduced to its digits.
 */
export function searchPrefixes(text: string): string[][] {
  const number = numberIn(text, fewestDigits);
  if (number !== '') return [[number]];
  const written = distinctWords(text.split(/\s/).map((word) => word.replace(/^@/, '')));
  const parts = distinctWords(partsOf(text));
  return [written, parts].filter((words) => words.length > 0);
}

function distinctWords(words: readonly string[]): string[] {
  const cut = words.map((word) => word.toLowerCase().slice(0, maxLength)).filter((word) => word !== '');
  return [...new Set(cut)].slice(0, mostWords);
}

function partsOf(text: string): string[] {
  return text.split(/[^\p{L}\p{M}\p{N}]/u);
}
