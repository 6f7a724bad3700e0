/** Who holds an identity or a slot: each engine decides it by its own unique indexes. Reservations until a code is exchanged. */
import type { BindRefusal, SeenBinding } from '../rules/channels/binding.ts';
import type { Channel } from '../rules/channels/channel.ts';
import type {
  CodeOfAccount,
  Reservation,
  ReserveResult,
  ReservedSlot,
} from '../rules/channels/reservation.ts';
import type { Settings } from '../rules/channels/settings.ts';
import type { ChannelType } from '../rules/vocabulary.ts';

/** Settings as PATCH and exchange-code write them; undefined leaves a field unchanged. */
export type WebhookSettings = Partial<Settings & Pick<Channel, 'previousSecret' | 'previousSecretUntil'>>;

/** A channel before and after one write. */
export interface ChangedChannel {
  before: Channel;
  after: Channel;
}

/** `absent`: the channel, or the licence in its account. */
export type Bound = ChangedChannel | 'slot_taken' | 'absent' | BindRefusal;

export interface ChannelHoldings {
  /** Connected channels that hold these upstream identities. */
  byIdentity(channelType: ChannelType, identities: readonly string[]): Promise<Channel[]>;
  /** The channel that holds the claim on the identity, connected or reserved. */
  findClaimant(channelType: ChannelType, identity: string): Promise<Channel | null>;
  /**
   * Claims identity and slot and stores the code. Unique: (type, identity), (subscription, type), code hash. A reservation of
   * the same account for the same identity replaces its unexchanged predecessor; an inactive channel keeps its own fields until
   * exchange. `slot_taken` if another channel holds the slot.
   */
  reserve(reservation: Reservation, now: number): Promise<ReserveResult>;
  /**
   * The channel as the exchange of this code would make it, with the reserved profile, token, identity and slot; its activity, its
   * settings and `connectedAt` are those it has now. null if the code is not valid for this account. Does not consume the code.
   */
  reservedBy(code: CodeOfAccount, now: number): Promise<Channel | null>;
  /**
   * Consumes a code that matches, is unexpired and belongs to the account; of concurrent callers exactly one wins. The channel
   * takes the reserved profile and slot and becomes active and connected; a pause of its sends is over, also one that upstream's clock dates
   * later than ours. `settings` gets the channel as it was before; if it throws, `exchange` throws the same and the code stays valid.
   */
  exchange(
    code: CodeOfAccount,
    now: number,
    settings: (channel: Channel) => WebhookSettings,
  ): Promise<Channel | null>;
  /** Sets the channel inactive; it keeps id, history, claim and slot. null if absent. */
  deactivate(channelId: string, accountId: string): Promise<ChangedChannel | null>;
  /** Whether the exchange of a valid code would connect a channel of any account with this `subscribedAsset`. */
  isReservedOn(asset: string, now: number): Promise<boolean>;
  /** Slots held by unexchanged codes of the account, with the identities that hold them. */
  reservedSlots(accountId: string, now: number): Promise<ReservedSlot[]>;
  /** Drops reservations with an expired code: a channel that was never connected is deleted, with claim and slot. Returns their number. */
  dropExpiredReservations(now: number): Promise<number>;
  /** Frees the upstream identity and the slot of an inactive channel. null if absent or active. */
  releaseClaim(channelId: string): Promise<ChangedChannel | null>;
  /** Binds the channel to a licence of the same account (null unbinds), if it is still as it was `seen`. */
  bind(channelId: string, subscriptionId: string | null, seen?: SeenBinding): Promise<Bound>;
}
