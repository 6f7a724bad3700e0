import type { SignedInContext } from '../../route.ts';
import { listChannels, readChannel } from '../list.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import { fault } from '../../../kernel/faults.ts';
import type { ChannelWithLicence } from '../types.ts';
import { idIn, isIdShaped } from '../../../pages/session/pages.ts';
import { writeAddress } from './words.tsx';

/** Channels in a choice; in an account with more, a channel is reached from its own page. */
const choices = { limit: 200, cursor: null };

export interface ChosenChannel {
  /** null: there is no channel. */
  chosen: ChannelWithLicence | null;
  options: readonly (readonly [id: string, text: string])[];
  /** By id. */
  channels: ReadonlyMap<string, Channel>;
}

/** The channel named in the URL, else the first active one; only among kinds that `fits` accepts. Throws 404 `not_found`. */
export async function chosenChannel(
  context: SignedInContext,
  fits: (type: ChannelType) => boolean = () => true,
): Promise<ChosenChannel> {
  const named = readNamedChannel(context.query.get('channel') ?? '');
  const { items } = await listChannels(context.world, context.caller, choices);
  const fitting = items.filter(({ channel }) => fits(channel.channelType));
  const active = fitting.find(({ channel }) => channel.isActive) ?? fitting[0] ?? null;
  const listed = fitting.find(({ channel }) => channel.id === named);
  const chosen =
    named === null ? active : (listed ?? (await readChannel(context.world, context.caller, named)));
  const all = chosen === null || fitting.includes(chosen) ? fitting : [chosen, ...fitting];
  return {
    chosen,
    options: all.map(({ channel }) => [channel.id, choiceName(channel)]),
    channels: new Map(all.map(({ channel }) => [channel.id, channel])),
  };
}

/** The channel that the URL names. Throws 404 `not_found`. */
export function channelAt(context: SignedInContext): Promise<ChannelWithLicence> {
  return readChannel(context.world, context.caller, idIn(context, 'channel_id'));
}

/** Id of the channel that a list is filtered by; null: all channels. Throws 404 `not_found` for a text that can't be a channel's id. */
export function readNamedChannel(text: string): string | null {
  if (text === '') return null;
  if (!isIdShaped(text)) throw fault('not_found', { what: 'Channel' });
  return text;
}

/** The address is isolated for bidirectional text: after a right-to-left name its digits would be reordered. */
function choiceName(channel: Channel): string {
  const address = writeAddress(channel);
  const name = channel.name ?? channel.channelType;
  return address === '' ? name : `${name} (\u2066${address}\u2069)`;
}
