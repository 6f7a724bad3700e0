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

/** Several assets of which one is to be connected; at least two, the best guess first. */
export interface SetupChoice {
  /** Whose account it will be; null: it has no name. */
  asker: string | null;
  /** What they are: `number`. */
  noun: string;
  /** Where the person goes next. */
  redirectUri: string;
  options: { identity: string; name: string | null; handle: string | null }[];
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
