/** The setup flow, and upstream calls that connect or check a channel. */
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
  /** The one channel that may be reconnected; null: the flow connects a new channel or revives an inactive one. */
  channelId: string | null;
  /**
   * Set if the dialog returned several assets: JSON of the assets that the person may choose from, with their tokens.
   * Such a session has a token of its own, and the person's choice finishes it.
   */
  choice: SealedText | null;
  /** Only with `choice`: the session of the setup URL from which this session follows. */
  origin: Pick<SetupSession, 'id' | 'tokenHash'> | null;
}

/** The person declined required permissions in the dialog. `permissions` are upstream's names, taken from our own list. */
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
  /** As `open`, and finishes the session: exactly one caller gets it. */
  finish(sessionId: string, tokenHash: string, now: number): Promise<SetupSession | null>;
  /** Undoes this `finish`, unless the session was finished again meanwhile. */
  reopen(finished: Pick<SetupSession, 'id' | 'finishedAt'>): Promise<void>;
  dropExpired(before: number): Promise<number>;
}

/** An asset that the person picked in the upstream dialog; it can become one channel. */
export interface UpstreamAsset {
  channelType: ChannelType;
  identity: string;
  name: string | null;
  profile: ChannelProfile;
  /** Access token of this asset in plain text: seal it at once. */
  token: string;
}

/** Throws Fault `upstream_failed` on a refusal or without a usable answer. */
export interface UpstreamAdmin {
  dialogUrl(request: { channelType: ChannelType; redirectUri: string; state: string }): string;
  /**
   * Exchanges the dialog's code for a token and lists the picked assets in upstream's order. Also throws PermissionsDeclined.
   */
  readAssets(request: {
    channelType: ChannelType;
    code: string;
    redirectUri: string;
  }): Promise<UpstreamAsset[]>;
  /** Whether upstream refuses the channel's token; false if upstream does not answer. Never throws. */
  isTokenRefused(channel: Channel): Promise<boolean>;
  /** Subscribes the asset's webhooks and makes the other calls that the kind needs before it works. */
  subscribe(channel: Channel): Promise<void>;
  /** Removes the webhook subscription; upstream's refusal is ignored. [upstream §9.17] */
  unsubscribe(channel: Channel): Promise<void>;
}
