/** Finds channels by what a person types: a name, a number, a handle or an id. */
import type { Caller } from '../../rules/caller.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { oldestFirst } from '../../kernel/paging.ts';
import type { World } from '../world.ts';
import { addressOf } from '../../rules/channels/address.ts';
import type { NamedChannel } from './store.ts';
import { digitsOf, numberIn } from '../../rules/phone-number.ts';
import { fewestDigits, folded, isUpstreamId, prefixesOf, upstreamIdsOf } from './words.ts';

/** The account's first channels are looked through for any part of a name; about 2 ms. Others are found by their words. */
const lookedThrough = 500;
/** Words of a prefix that are read. */
const mostWords = 200;

export interface TypedChannels {
  /** At most as many as asked for, those that it names whole first. */
  items: readonly NamedChannel[];
  isMore: boolean;
}

/**
 * The account's channels that the text fits; one of a kind alone if it is exactly that channel's name, number, handle or id. Reads a
 * bounded number of channels: of an account with many, those that the text begins a word of, or ends the number of.
 */
export function findTyped(
  world: Pick<World, 'stores' | 'searches'>,
  { accountId }: Pick<Caller, 'accountId'>,
  typed: string,
  { most, fits }: { most: number; fits: (type: ChannelType) => boolean },
): Promise<TypedChannels> {
  const isFound = matcher(typed);
  return world.searches.run(accountId, async () => {
    const known = (await candidates(world, accountId, typed)).filter(({ channelType }) => fits(channelType));
    const found = groupBy(known, isFound);
    const [whole, part] = [found.get('whole') ?? [], found.get('part') ?? []];
    const all = whole.length === 1 ? whole : [...whole, ...part];
    return { items: all.slice(0, most), isMore: all.length > most };
  });
}

/** The oldest first. */
async function candidates(
  { stores }: Pick<World, 'stores'>,
  accountId: string,
  typed: string,
): Promise<NamedChannel[]> {
  const first = await stores.channels.names(accountId, { limit: lookedThrough, cursor: null });
  if (first.nextCursor === null) return [...first.items];
  const [words, held] = await Promise.all([
    Promise.all(
      prefixesOf(typed).map((prefix) => stores.channelWords.beginning(accountId, prefix, mostWords)),
    ),
    holdersOf(stores, accountId, folded(typed)),
  ]);
  const seen = new Set(first.items.map(({ id }) => id));
  const found = [...words.flat(), ...held].filter((id) => !seen.has(id));
  const others = await stores.channels.among(accountId, found);
  return [...first.items, ...[...others.values()].toSorted(oldestFirst)];
}

/** The account's channels that hold this identity: of those removed before there were words, only this finds them. */
async function holdersOf(
  { channels }: World['stores'],
  accountId: string,
  identity: string,
): Promise<string[]> {
  if (!isUpstreamId(identity)) return [];
  const found = await Promise.all(channelTypes.map((type) => channels.byIdentity(type, [identity])));
  return found.flat().flatMap((each) => (each.accountId === accountId ? [each.id] : []));
}

/** The account's oldest active channel of a kind that `fits`, or else its oldest one; null: there is none. */
export async function firstChannel(
  { stores }: Pick<World, 'stores'>,
  { accountId }: Pick<Caller, 'accountId'>,
  fits: (type: ChannelType) => boolean,
): Promise<NamedChannel | null> {
  const kinds = channelTypes.filter(fits);
  for (const isActive of [true, false]) {
    const found = await Promise.all(
      kinds.map((channelType) => stores.channels.firstOfKind(accountId, { channelType, isActive })),
    );
    const [first] = found.filter((each) => each !== null).toSorted(oldestFirst);
    if (first !== undefined) return first;
  }
  return null;
}

type Match = 'whole' | 'part' | null;

function matcher(typed: string): (channel: NamedChannel) => Match {
  const text = folded(typed);
  const handle = text.replace(/^@/, '');
  const digits = numberIn(text, fewestDigits);
  return (channel) => {
    const address = addressOf(channel);
    const names = [
      nameOf(channel),
      wordsOf(channel),
      address.replace(/^@/, ''),
      channel.id,
      ...upstreamIdsOf(channel),
    ];
    const known = names.map((each) => each.toLowerCase());
    const number = digits === '' ? '' : digitsOf(address);
    if (known.some((each) => each === text || each === handle) || (number !== '' && number === digits))
      return 'whole';
    const isPart = known.some((each) => each.includes(text) || each.includes(handle));
    return isPart || (number !== '' && number.includes(digits)) ? 'part' : null;
  };
}

const nameOf = ({ name, channelType }: Named): string => name ?? channelType;

type Named = Pick<NamedChannel, 'name' | 'channelType' | 'profile'>;

/** Name and address: a text that finds the channel. */
export function wordsOf(channel: Named): string {
  const address = addressOf(channel);
  return address === '' ? nameOf(channel) : `${nameOf(channel)} (${address})`;
}
