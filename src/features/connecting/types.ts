/** The setup flow, from the setup URL to the exchanged code. */
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { WebhookPatch } from '../channels/index.ts';

/** Parameters that upstream's dialog returns to the callback. */
export interface SetupCallback {
  state: string;
  code: string | null;
  error: string | null;
  /** In place of `error`, if the dialog refused to open. */
  errorCode?: number | null;
  /** A phone number id that the dialog names: preferred over the other granted assets. */
  numberId?: string | null;
  /** Id of the request that carries it. */
  requestId?: string;
}

export interface AssetName {
  identity: string;
  name: string | null;
  /** Number or user name. */
  handle: string | null;
}

/** The person granted several assets and must choose one. */
export interface SetupChoice {
  /** Name of the account; null: it has none. */
  asker: string | null;
  /** Noun for the assets, for example `number`. */
  noun: string;
  /** Whether the next dialog of the same person replaces what was granted in this one. */
  replacesGrants: boolean;
  /** The client's redirect_uri. */
  redirectUri: string;
  /** Assets that can be connected at this moment, best guess first. */
  options: AssetName[];
  leftOut: (AssetName & { why: 'claimed_elsewhere' | 'already_active' | 'no_free_slot' })[];
  /** Granted, but upstream does not let it be connected; `says` is the reason with its remedy, without a full stop. */
  unusable: (AssetName & { says: string })[];
}

/** The person's choice; `identity` null: declined. */
export interface ChosenAsset {
  state: string;
  identity: string | null;
  /** Id of the request that carries it. */
  requestId?: string;
}

export interface SetupRequest {
  channelType: ChannelType;
  redirectUri: string;
  /** The one channel that may be reconnected. */
  channelId?: string | null;
}

export interface StartedSetup {
  setupUrl: string;
  sessionId: string;
  /** ms. */
  expiresAt: number;
}

export type ExchangeRequest = { code: string } & WebhookPatch;
