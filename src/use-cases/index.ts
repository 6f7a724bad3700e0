/**
 * The listing reads like the specification's contents: one entry per thing a client, a person in the setup flow, the
 * upstream platform or an operator can do. `src/http` calls these and nothing else; `make.ts` builds them from the ports.
 * Refusals are thrown as `Fault`.
 */
import type { Account, Redirect } from '../domain/accounts/account.ts';
import type { Channel, ChannelType } from '../domain/channels/channel.ts';
import type { AvailableSlots } from '../domain/licences/slots.ts';
import type { Source, Subscription, SubscriptionStatus, Tier } from '../domain/licences/subscription.ts';
import type { ChannelInsight, SendReply } from '../../actors/channel/messages.ts';
import type { Page, PageRequest, StoredMail } from './ports.ts';

/** Who is calling: the account and the key it used. */
export interface Caller {
  accountId: string;
  apiKeyId: string;
}

export interface ChannelWithLicence {
  channel: Channel;
  subscription: Subscription | null;
}

export interface SubscriptionWithChannels {
  subscription: Subscription;
  channels: Channel[];
}

/** undefined: leave as it is. */
export interface WebhookPatch {
  webhookUrl?: string | null;
  webhookSecret?: string | null;
  webhookEvents?: string[] | null;
  echoStatuses?: boolean;
}

/** `webhookSecret` is in clear and only there when this very call set or made it. */
export interface ChannelWithSecret {
  channel: Channel;
  webhookSecret: string | null;
}

export interface SendTextCommand {
  channelId: string;
  recipient: string;
  text: string;
  idempotencyKey: string | null;
}

export type SendAnswer = SendReply & { messageId: string };

export interface NodeInsight {
  nodeId: string;
  channelsOwned: number;
  startedAt: number;
  draining: boolean;
}

export interface UseCases {
  /** null: unknown or revoked. The key is compared by hash, cached for a few seconds. */
  authenticate(apiKey: string): Promise<Caller | null>;

  // Subscriptions
  listSubscriptions(
    caller: Caller,
    page: PageRequest,
  ): Promise<Page<SubscriptionWithChannels> & { activeTotal: number; availableSlots: AvailableSlots }>;

  // Channels
  listChannels(caller: Caller, page: PageRequest): Promise<Page<ChannelWithLicence>>;
  readChannel(caller: Caller, channelId: string): Promise<ChannelWithLicence>;
  updateChannel(caller: Caller, channelId: string, patch: WebhookPatch): Promise<ChannelWithSecret>;
  deactivateChannel(caller: Caller, channelId: string): Promise<void>;

  // Connecting
  startSetup(
    caller: Caller,
    request: { channelType: ChannelType; redirectUri: string },
  ): Promise<{ setupUrl: string; sessionId: string; expiresAt: number }>;
  /** The upstream dialog's URL for a person who opened the setup URL; null when it is unknown or expired. */
  openSetup(sessionId: string, token: string): Promise<string | null>;
  /** Where to send the person after the dialog; null when `state` is unknown, foreign, expired or replayed. */
  finishSetup(callback: { state: string; code: string | null; error: string | null }): Promise<string | null>;
  exchangeCode(caller: Caller, request: { code: string } & WebhookPatch): Promise<ChannelWithSecret>;

  // Redirects
  listRedirects(caller: Caller, page: PageRequest): Promise<Page<Redirect>>;
  addRedirect(caller: Caller, uriPattern: string): Promise<Redirect>;
  removeRedirect(caller: Caller, redirectId: string): Promise<void>;

  // Messages
  sendText(caller: Caller, command: SendTextCommand): Promise<SendAnswer>;
  /** A POST of upstream whose signature was checked. Returns when everything in it is durable. */
  receiveUpstreamPost(body: Uint8Array): Promise<void>;

  // Operators
  createAccount(request: {
    email: string;
    name: string | null;
    tier: Tier | null;
  }): Promise<{ account: Account; apiKeyId: string; apiKey: string; subscriptionId: string }>;
  createKey(accountId: string): Promise<{ apiKeyId: string; apiKey: string }>;
  revokeKey(keyId: string): Promise<void>;
  createSubscription(
    accountId: string,
    request: { tier: Tier; source: Source; expiresAt: number | null; autoRenew: boolean },
  ): Promise<SubscriptionWithChannels>;
  updateSubscription(
    subscriptionId: string,
    patch: { status?: SubscriptionStatus; tier?: Tier; expiresAt?: number | null; autoRenew?: boolean },
  ): Promise<SubscriptionWithChannels>;
  releaseClaim(channelId: string): Promise<void>;
  bindChannel(channelId: string, subscriptionId: string | null): Promise<void>;
  listMails(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  listNodes(): Promise<NodeInsight[]>;
  inspectChannel(channelId: string): Promise<ChannelInsight & { channelId: string; nodeId: string }>;
  drain(): Promise<void>;
}
