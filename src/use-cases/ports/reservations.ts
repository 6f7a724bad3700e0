/** What a finished setup flow leaves behind until its code is exchanged. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelProfile } from '../../domain/channels/profile.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';

/**
 * What a finished setup flow puts on a channel until its code is exchanged. One document holds claim, slot and code, so
 * exchange is one atomic step and a crash never loses a slot. [faults: 77-80]
 */
export interface Reservation {
  /** A new id, or the id of the account's channel that is to be revived or reconnected. */
  channelId: string;
  accountId: string;
  /** Started the flow. */
  apiKeyId: string;
  channelType: ChannelType;
  identity: string;
  subscriptionId: string;
  codeHash: string;
  codeExpiresAt: number;
  createdAt: number;
  grant: Grant;
  /** It reconnects `channelId`, which may be active. */
  isReconnect: boolean;
}

/** What a person granted in the dialog: becomes the channel's own at exchange. */
export interface Grant extends Pick<Channel, 'name' | 'subscribedAsset'> {
  profile: ChannelProfile;
  token: SealedText;
}

/** What decides whether who has an identity, or the channel's id, gives way to a reservation. */
export type Holder = Pick<Channel, 'id' | 'accountId' | 'channelType' | 'isActive' | 'connectedAt'>;

/** An unexchanged reservation of the account gives way; of connected channels only the one that is named. */
export function isOpenTo(r: Reservation, holder: Holder): boolean {
  if (holder.accountId !== r.accountId || holder.channelType !== r.channelType) return false;
  if (holder.connectedAt === null) return true;
  return holder.id === r.channelId && (r.isReconnect || !holder.isActive);
}

export type ReserveResult = 'reserved' | 'identity_taken' | 'slot_taken';

/** An exchange code by its hash, with whose it has to be: any live key of the account may ask. [operator-interface §4] */
export interface CodeOfAccount {
  hash: string;
  accountId: string;
}
