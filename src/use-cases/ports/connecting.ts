/** The setup flow and the account calls upstream. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import type { ChannelProfile } from '../../domain/channels/profile.ts';

/** A started setup flow. Times in ms. */
export interface SetupSession {
  id: string;
  accountId: string;
  apiKeyId: string;
  channelType: ChannelType;
  redirectUri: string;
  /** SHA-256 of the unguessable token that the setup URL and `state` carry. */
  tokenHash: string;
  expiresAt: number;
  finishedAt: number | null;
  /** The channel to reconnect, and no other; null: a new one, or one that comes back. */
  channelId: string | null;
  /**
   * Of a session that the dialog has ended with several assets: what the person may choose from, tokens included, as JSON.
   * Such a session has a token of its own, and the choice finishes it.
   */
  choice: SealedText | null;
  /** Of such a session: the one whose setup URL led to it. */
  origin: Pick<SetupSession, 'id' | 'tokenHash'> | null;
}

/** The person left required permissions out in the dialog. Their names are upstream's, from our own list. */
export class PermissionsDeclined extends Error {
  override readonly name = 'PermissionsDeclined';
  readonly permissions: readonly string[];

  constructor(permissions: readonly string[]) {
    super(`Declined: ${permissions.join(', ')}`);
    this.permissions = permissions;
  }
}

export interface SetupSessionStore {
  insert(session: SetupSession): Promise<void>;
  /** The unexpired, unfinished session with this id and token; null otherwise. */
  open(sessionId: string, tokenHash: string, now: number): Promise<SetupSession | null>;
  /** As `open`, and finishes it: exactly one caller gets it. */
  finish(sessionId: string, tokenHash: string, now: number): Promise<SetupSession | null>;
  /** Undoes that `finish`, and no other. */
  reopen(finished: Pick<SetupSession, 'id' | 'finishedAt'>): Promise<void>;
  dropExpired(before: number): Promise<number>;
}

/** An asset a person picked in the upstream dialog: one channel could come of it. */
export interface UpstreamAsset {
  channelType: ChannelType;
  identity: string;
  name: string | null;
  profile: ChannelProfile;
  /** Token to work with this asset, in clear: seal it at once. */
  token: string;
}

/** Connecting and account calls upstream. Throws Fault `upstream_failed` on a refusal or no usable answer. */
export interface UpstreamAdmin {
  dialogUrl(request: { channelType: ChannelType; redirectUri: string; state: string }): string;
  /**
   * Swaps the dialog's code for a token and lists what the person picked, in upstream's order. Throws PermissionsDeclined too.
   */
  readAssets(request: {
    channelType: ChannelType;
    code: string;
    redirectUri: string;
  }): Promise<UpstreamAsset[]>;
  /** Whether upstream says that it takes the channel's token no more; false when it does not answer. Never throws. */
  isTokenRefused(channel: Channel): Promise<boolean>;
  /** Subscribes the asset's webhooks, and does what else the kind needs before it works. */
  subscribe(channel: Channel): Promise<void>;
  /** Removes the webhook subscription; upstream's refusal is ignored. [upstream §9.17] */
  unsubscribe(channel: Channel): Promise<void>;
}
