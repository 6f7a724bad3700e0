/** The calls that connect a channel, keep its token alive and subscribe it. */
import type { Channel } from '../rules/channels/channel.ts';
import type { ChannelType } from '../rules/vocabulary.ts';
import type { RegistrationHurdle } from '../rules/channels/registration.ts';
import type { Unusable } from '../rules/channels/unusable.ts';
import type { ChannelProfile } from '../rules/channels/profile.ts';

/** The person declined required permissions in the dialog. `permissions` are upstream's names, taken from our own list. */
export class PermissionsDeclined extends Error {
  override readonly name = 'PermissionsDeclined';
  readonly permissions: readonly string[];

  constructor(permissions: readonly string[]) {
    super(`Declined: ${permissions.join(', ')}`);
    this.permissions = permissions;
  }
}

/** An asset that the person picked in the upstream dialog; it can become one channel. */
export interface UpstreamAsset {
  channelType: ChannelType;
  identity: string;
  name: string | null;
  profile: ChannelProfile;
  /** Access token of this asset in plain text: seal it at once. */
  token: string;
  /** When the token ends, in ms; null or undefined: it does not, or upstream does not say. */
  tokenExpiresAt?: number | null;
}

/** What a person granted in the dialog. */
export interface PickedAssets {
  /** In upstream's order. */
  assets: UpstreamAsset[];
  unusable: Unusable[];
}

/** `words`: upstream's own, if its code is not known. */
export type Registration =
  | { isReady: true }
  | { isReady: false; hurdle: RegistrationHurdle; words: string | null };

/** Throws Fault `upstream_failed` on a refusal or without a usable answer. */
export interface UpstreamAdmin {
  /** Whether the operator has set what the dialog of this type needs. */
  isConfigured(channelType: ChannelType): boolean;
  dialogUrl(request: { channelType: ChannelType; redirectUri: string; state: string }): string;
  /**
   * Exchanges the dialog's code for a token and lists what was granted. Also throws PermissionsDeclined.
   */
  readAssets(request: { channelType: ChannelType; code: string; redirectUri: string }): Promise<PickedAssets>;
  /** Whether upstream refuses the channel's token; false if upstream does not answer. Never throws. */
  isTokenRefused(channel: Channel): Promise<boolean>;
  /** End of the channel's token in ms; 0: it has none. */
  tokenEnd(channel: Channel): Promise<number>;
  /** Another token, with a later end (0: without), in place of one that still lives; `refused`: upstream gives none. In plain text: seal it at once. */
  renewToken(channel: Channel): Promise<{ token: string; expiresAt: number } | 'refused'>;
  /** Subscribes the asset's webhooks. Throws 400 `upstream_refused` with what to do if a repetition can't succeed. */
  subscribe(channel: Channel): Promise<void>;
  /**
   * Registers the number, unless it is connected already or lives in the phone's app. `mayCall` is asked right before the call that upstream
   * limits. Never throws, except what `mayCall` throws.
   */
  register(channel: Channel, mayCall: () => Promise<boolean>): Promise<Registration>;
  /** Removes the webhook subscription; upstream's refusal is ignored. [upstream §9.17] */
  unsubscribe(channel: Channel): Promise<void>;
}
