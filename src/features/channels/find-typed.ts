/** Finds channels by what a person types: a name, a number, a handle or an id. */
import type { Caller } from '../../rules/caller.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { yieldToLoop } from '../../kernel/clock.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import type { World } from '../world.ts';
import { addressOf } from './address.ts';
import type { NamedChannel } from './store.ts';

/** About 2 ms of reading. */
const perRead = 500;
/** Fewer digits are part of a name. */
const fewestDigits = 3;

export interface TypedChannels {
  /** At most as many as asked for, those that it names whole first. */
  items: readonly NamedChannel[];
  isMore: boolean;
}

/** The account's channels that the text fits; one of a kind alone if it is exactly that channel's name, number, handle or id. */
export function findTyped(
  world: Pick<World, 'stores' | 'searches'>,
  { accountId }: Pick<Caller, 'accountId'>,
  typed: string,
  { most, fits }: { most: number; fits: (type: ChannelType) => boolean },
): Promise<TypedChannels> {
  const isFound = matcher(typed);
  return world.searches.run(accountId, async () => {
    const [whole, part]: [NamedChannel[], NamedChannel[]] = [[], []];
    for await (const channel of namesOf(world, accountId)) {
      if (!fits(channel.channelType)) continue;
      const found = isFound(channel);
      // One more tells whether there are more.
      if (found === 'whole' && whole.length <= most) whole.push(channel);
      if (found === 'part' && part.length <= most) part.push(channel);
    }
    const all = whole.length === 1 ? whole : [...whole, ...part];
    return { items: all.slice(0, most), isMore: all.length > most };
  });
}

/** The account's oldest active channel of a kind that `fits`, or else its oldest one; null: there is none. */
export async function firstChannel(
  world: Pick<World, 'stores'>,
  { accountId }: Pick<Caller, 'accountId'>,
  fits: (type: ChannelType) => boolean,
): Promise<NamedChannel | null> {
  let first: NamedChannel | null = null;
  for await (const channel of namesOf(world, accountId)) {
    if (!fits(channel.channelType)) continue;
    if (channel.isActive) return channel;
    first ??= channel;
  }
  return first;
}

async function* namesOf({ stores }: Pick<World, 'stores'>, accountId: string): AsyncGenerator<NamedChannel> {
  let cursor: PagePosition | null = null;
  do {
    const { items, nextCursor } = await stores.channels.names(accountId, { limit: perRead, cursor });
    yield* items;
    cursor = nextCursor;
    if (cursor !== null) await yieldToLoop();
  } while (cursor !== null);
}

type Match = 'whole' | 'part' | null;

function matcher(typed: string): (channel: NamedChannel) => Match {
  const text = typed.trim().toLowerCase();
  const handle = text.replace(/^@/, '');
  const digits = /^[+\d\s().\-/]+$/.test(text) ? text.replaceAll(/\D/g, '') : '';
  return (channel) => {
    const address = addressOf(channel);
    const names = [nameOf(channel), wordsOf(channel), address.replace(/^@/, ''), channel.id];
    const known = names.map((each) => each.toLowerCase());
    const number = digits.length < fewestDigits ? '' : address.replaceAll(/\D/g, '');
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
