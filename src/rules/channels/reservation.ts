/** The claim on an identity and a slot between a finished setup flow and the exchange of its code. */
import type { SealedText } from '../../kernel/sealed.ts';
import type { Channel } from './channel.ts';
import type { ChannelType } from '../vocabulary.ts';
import type { ChannelProfile } from './profile.ts';

/**
 * Written on the channel by a finished setup flow until its code is exchanged. One document holds claim, slot and code, so
 * exchange is one atomic step and a crash never loses a slot. [faults: 77-80]
 */
export interface Reservation {
  /** A new id, or the id of the account's channel to revive or reconnect. */
  channelId: string;
  accountId: string;
  /** API key that started the flow. */
  apiKeyId: string;
  channelType: ChannelType;
  identity: string;
  subscriptionId: string;
  codeHash: string;
  codeExpiresAt: number;
  createdAt: number;
  grant: Grant;
  /** Reconnects `channelId`, which may be active. */
  isReconnect: boolean;
}

/** Fields that the person granted in the dialog; exchange copies them to the channel. */
export interface Grant extends Pick<Channel, 'name' | 'subscribedAsset'> {
  profile: ChannelProfile;
  token: SealedText;
}

/** Fields of the present holder of an identity or channel id, for `isOpenTo`. */
export type Holder = Pick<Channel, 'id' | 'accountId' | 'channelType' | 'isActive' | 'connectedAt'>;

/** Whether a reservation may replace the holder: an unexchanged reservation of the same account, or the named connected channel. */
export function isOpenTo(r: Reservation, holder: Holder): boolean {
  if (holder.accountId !== r.accountId || holder.channelType !== r.channelType) return false;
  if (holder.connectedAt === null) return true;
  return holder.id === r.channelId && (r.isReconnect || !holder.isActive);
}

/** A slot that an unexchanged code holds. */
export type ReservedSlot = Pick<Reservation, 'subscriptionId' | 'channelType' | 'identity'>;

export type ReserveResult = 'reserved' | 'identity_taken' | 'slot_taken';

/** Hash of an exchange code with the account it must belong to: any live key of the account may exchange it. [operator-interface §4] */
export interface CodeOfAccount {
  hash: string;
  accountId: string;
}
