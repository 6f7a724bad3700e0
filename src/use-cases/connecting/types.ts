/** From a setup URL to a connected channel. */
import type { WebhookPatch } from '../channels/types.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';

/** What the dialog hands back. */
export interface SetupCallback {
  state: string;
  code: string | null;
  error: string | null;
  /** A number the dialog names: it wins over the others that were granted. */
  numberId?: string | null;
  /** Of the request that brings it. */
  requestId?: string;
}

export interface AssetName {
  identity: string;
  name: string | null;
  /** Number or user name. */
  handle: string | null;
}

/** Several assets were granted, of which one is to be connected. */
export interface SetupChoice {
  /** Whose account it will be; null: it has no name. */
  asker: string | null;
  /** What they are: `number`. */
  noun: string;
  /** Where the person goes next. */
  redirectUri: string;
  /** Those that can be connected as of now, the best guess first. */
  options: AssetName[];
  leftOut: (AssetName & { why: 'claimed_elsewhere' | 'already_active' | 'no_free_slot' })[];
}

/** What the person picked of a `SetupChoice`; `identity` null: none. */
export interface ChosenAsset {
  state: string;
  identity: string | null;
  /** Of the request that brings it. */
  requestId?: string;
}

export interface SetupRequest {
  channelType: ChannelType;
  redirectUri: string;
  /** The channel to reconnect, and no other. */
  channelId?: string | null;
}

export interface StartedSetup {
  setupUrl: string;
  sessionId: string;
  /** ms. */
  expiresAt: number;
}

export type ExchangeRequest = { code: string } & WebhookPatch;
