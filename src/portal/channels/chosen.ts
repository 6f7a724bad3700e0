import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { fault } from '../../kernel/faults.ts';
import type { ChannelWithLicence } from '../../use-cases/index.ts';
import type { SignedInContext } from '../session/pages.ts';
import { writeAddress } from './words.ts';

/** Channels to choose among; whoever has more comes from the channel's own page. */
const choices = { limit: 200, cursor: null };

export interface ChosenChannel {
  /** null: there is none. */
  chosen: ChannelWithLicence | null;
  options: readonly (readonly [id: string, text: string])[];
  /** By their ids. */
  channels: ReadonlyMap<string, Channel>;
}

/** The channel that the address names, else the first; among those that fit where a page is about some kinds only. Throws 404 `not_found`. */
export async function chosenChannel(
  context: SignedInContext,
  fits: (type: ChannelType) => boolean = () => true,
): Promise<ChosenChannel> {
  const named = readNamedChannel(context.query.get('channel') ?? '');
  const { items } = await context.useCases.listChannels(context.caller, choices);
  const fitting = items.filter(({ channel }) => fits(channel.channelType));
  const active = fitting.find(({ channel }) => channel.isActive) ?? fitting[0] ?? null;
  const listed = fitting.find(({ channel }) => channel.id === named);
  const chosen =
    named === null ? active : (listed ?? (await context.useCases.readChannel(context.caller, named)));
  const all = chosen === null || fitting.includes(chosen) ? fitting : [chosen, ...fitting];
  return {
    chosen,
    options: all.map(({ channel }) => [channel.id, choiceName(channel)]),
    channels: new Map(all.map(({ channel }) => [channel.id, channel])),
  };
}

/** The channel that a list is narrowed to; null: all of them. Throws 404 `not_found` for what cannot be a channel's id. */
export function readNamedChannel(text: string): string | null {
  if (text === '') return null;
  checkChannelId(text);
  return text;
}

function checkChannelId(text: string): void {
  if (!/^[\w-]{1,64}$/.test(text)) throw fault('not_found', { what: 'Channel' });
}

/** The address stands apart for the order of letters: behind a name that is written to the left its digits would come in another. */
function choiceName(channel: Channel): string {
  const address = writeAddress(channel);
  const name = channel.name ?? channel.channelType;
  return address === '' ? name : `${name} (\u2066${address}\u2069)`;
}
