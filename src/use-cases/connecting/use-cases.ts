/** From a setup URL to a connected channel. */
import type { WebhookPatch, ChannelWithSecret } from '../channels/use-cases.ts';
import type { Caller } from '../caller.ts';
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

export interface ConnectingUseCases {
  startSetup(caller: Caller, request: SetupRequest): Promise<StartedSetup>;
  /** Ends at `/portal/connected`. */
  startOwnSetup(caller: Caller, channelType: ChannelType): Promise<StartedSetup>;
  /** Where the dialog is, for the policy of a page whose form leads there. */
  dialogOrigin(channelType: ChannelType): string;
  /** The upstream dialog's URL for a person who opened the setup URL; null when it is unknown or expired. */
  openSetup(sessionId: string, token: string): Promise<string | null>;
  /** Where to send the person after the dialog; null when `state` is unknown, foreign, expired or replayed. */
  finishSetup(callback: SetupCallback): Promise<string | null>;
  /** What the person chooses from when several assets were granted; null when `state` is unknown, expired or used. */
  openChoice(state: string): Promise<SetupChoice | null>;
  /** Where to send the person who has chosen; null as above, and for what was not offered. */
  finishChoice(state: string, identity: string | null, requestId?: string): Promise<string | null>;
  exchangeCode(caller: Caller, request: ExchangeRequest): Promise<ChannelWithSecret>;
}
