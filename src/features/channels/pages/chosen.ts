import type { SignedInContext } from '../../route.ts';
import { readChannel } from '../list.ts';
import { fault } from '../../../kernel/faults.ts';
import type { ChannelWithLicence } from '../types.ts';
import { idIn, isIdShaped } from '../../../pages/session/pages.ts';

/** Whether the account has a channel, active or not. */
export async function hasChannel({ world, caller }: SignedInContext): Promise<boolean> {
  const { items } = await world.stores.channels.names(caller.accountId, { limit: 1, cursor: null });
  return items.length > 0;
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
