/** From a setup URL to a connected channel. */
import type { WebhookPatch, ChannelWithSecret } from '../channels/use-cases.ts';
import type { Caller } from '../caller.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';

export interface ConnectingUseCases {
  startSetup(
    caller: Caller,
    request: { channelType: ChannelType; redirectUri: string },
  ): Promise<{ setupUrl: string; sessionId: string; expiresAt: number }>;
  /** The upstream dialog's URL for a person who opened the setup URL; null when it is unknown or expired. */
  openSetup(sessionId: string, token: string): Promise<string | null>;
  /** Where to send the person after the dialog; null when `state` is unknown, foreign, expired or replayed. */
  finishSetup(callback: { state: string; code: string | null; error: string | null }): Promise<string | null>;
  exchangeCode(caller: Caller, request: { code: string } & WebhookPatch): Promise<ChannelWithSecret>;
}
