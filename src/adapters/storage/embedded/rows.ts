/** Rows as the schema has them, and the domain's objects they stand for. */
import type { KnownMessage, PendingDelivery, SealedUnmatchedFact } from '../../../../actors/channel/ports.ts';
import type { Account, ApiKey, Redirect } from '../../../domain/accounts/account.ts';
import type { SealedBytes, SealedText } from '../../../domain/accounts/sealed.ts';
import type { Channel } from '../../../domain/channels/channel.ts';
import type { ChannelType, EventType } from '../../../domain/vocabulary.ts';
import type {
  Source,
  Subscription,
  SubscriptionStatus,
  Tier,
} from '../../../domain/licences/subscription.ts';
import type { OutboundMessage, SendState } from '../../../domain/messages/message.ts';
import type { SetupSession } from '../../../use-cases/ports/connecting.ts';

export interface AccountRow {
  id: string;
  email: string;
  name: string | null;
  created_at: number;
}

export function accountOf(row: AccountRow): Account {
  return { id: row.id, email: row.email, name: row.name, createdAt: row.created_at };
}

export const keyColumns = 'id, account_id, hash, hint, created_at, revoked_at';
export interface KeyRow {
  id: string;
  account_id: string;
  hash: string;
  hint: string;
  created_at: number;
  revoked_at: number | null;
}

export function keyOf(row: KeyRow): ApiKey {
  const { id, hash, hint } = row;
  return { id, accountId: row.account_id, hash, hint, createdAt: row.created_at, revokedAt: row.revoked_at };
}

export const redirectColumns = 'id, account_id, api_key_id, uri_pattern, created_at';
export interface RedirectRow {
  id: string;
  account_id: string;
  api_key_id: string;
  uri_pattern: string;
  created_at: number;
}

export function redirectOf(row: RedirectRow): Redirect {
  return {
    id: row.id,
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    uriPattern: row.uri_pattern,
    createdAt: row.created_at,
  };
}

export const subscriptionColumns =
  'id, account_id, status, source, tier, starts_at, expires_at, auto_renew, external_id, created_at';
export interface SubscriptionRow {
  id: string;
  account_id: string;
  status: SubscriptionStatus;
  source: Source;
  tier: Tier;
  starts_at: number;
  expires_at: number | null;
  auto_renew: number;
  external_id: string | null;
  created_at: number;
}

export function subscriptionOf(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    accountId: row.account_id,
    status: row.status,
    source: row.source,
    tier: row.tier,
    startsAt: row.starts_at,
    expiresAt: row.expires_at,
    autoRenew: row.auto_renew === 1,
    externalId: row.external_id,
    createdAt: row.created_at,
  };
}

export const channelColumns = `id, account_id, channel_type, identity, name, is_active, phone_number_id, phone_number,
  business_account_id, quality_rating, photoapp_account_id, photoapp_username, page_id, is_dual_use, token,
  webhook_url, webhook_secret, webhook_events, echo_statuses, subscription_id, connected_at, created_at`;
export interface ChannelRow {
  id: string;
  account_id: string;
  channel_type: ChannelType;
  identity: string | null;
  name: string | null;
  is_active: number;
  phone_number_id: string | null;
  phone_number: string | null;
  business_account_id: string | null;
  quality_rating: string | null;
  photoapp_account_id: string | null;
  photoapp_username: string | null;
  page_id: string | null;
  is_dual_use: number;
  token: SealedText | null;
  webhook_url: string | null;
  webhook_secret: SealedText | null;
  webhook_events: string | null;
  echo_statuses: number;
  subscription_id: string | null;
  connected_at: number | null;
  created_at: number;
}

export function channelOf(row: ChannelRow): Channel {
  return {
    id: row.id,
    accountId: row.account_id,
    channelType: row.channel_type,
    identity: row.identity,
    name: row.name,
    isActive: row.is_active === 1,
    phoneNumberId: row.phone_number_id,
    phoneNumber: row.phone_number,
    businessAccountId: row.business_account_id,
    qualityRating: row.quality_rating,
    photoappAccountId: row.photoapp_account_id,
    photoappUsername: row.photoapp_username,
    pageId: row.page_id,
    isDualUse: row.is_dual_use === 1,
    token: row.token,
    webhookUrl: row.webhook_url,
    webhookSecret: row.webhook_secret,
    webhookEvents: row.webhook_events === null ? null : JSON.parse(row.webhook_events),
    echoStatuses: row.echo_statuses === 1,
    subscriptionId: row.subscription_id,
    connectedAt: row.connected_at,
    createdAt: row.created_at,
  };
}

export const sessionColumns =
  'id, account_id, api_key_id, channel_type, redirect_uri, token_hash, expires_at, finished_at';
export interface SessionRow {
  id: string;
  account_id: string;
  api_key_id: string;
  channel_type: ChannelType;
  redirect_uri: string;
  token_hash: string;
  expires_at: number;
  finished_at: number | null;
}

export function sessionOf(row: SessionRow): SetupSession {
  return {
    id: row.id,
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    channelType: row.channel_type,
    redirectUri: row.redirect_uri,
    tokenHash: row.token_hash,
    expiresAt: row.expires_at,
    finishedAt: row.finished_at,
  };
}

export const knownColumns =
  'messages.id, origin, recipient, state, rank, delivery_failed, attempted_at, upstream_ids';
export interface KnownRow {
  id: string;
  origin: OutboundMessage['origin'];
  recipient: string;
  state: SendState;
  rank: number;
  delivery_failed: number;
  attempted_at: number;
  upstream_ids: string;
}

export function knownOf(row: KnownRow): KnownMessage {
  return {
    id: row.id,
    origin: row.origin,
    recipient: row.recipient,
    state: row.state,
    rank: row.rank,
    deliveryFailed: row.delivery_failed === 1,
    attemptedAt: row.attempted_at,
    upstreamIds: JSON.parse(row.upstream_ids),
  };
}

export const messageColumns = `${knownColumns}, channel_id, account_id, channel_type, copies, tries, next_try_at, error,
  error_code, epoch, created_at, content`;
export interface MessageRow extends KnownRow {
  channel_id: string;
  account_id: string;
  channel_type: ChannelType;
  copies: number;
  tries: number;
  next_try_at: number | null;
  error: string | null;
  error_code: number | null;
  epoch: number;
  created_at: number;
  content: SealedBytes | null;
}

export function messageOf(row: MessageRow): OutboundMessage {
  return {
    ...knownOf(row),
    channelId: row.channel_id,
    accountId: row.account_id,
    channelType: row.channel_type,
    content: row.content,
    copies: row.copies,
    tries: row.tries,
    nextTryAt: row.next_try_at,
    error: row.error,
    errorCode: row.error_code,
    epoch: row.epoch,
    createdAt: row.created_at,
  };
}

export const pendingColumns = 'id, event, message_id, attempts, first_tried_at, next_due_at, created_at';
export interface PendingRow {
  id: string;
  event: EventType;
  message_id: string;
  attempts: number;
  first_tried_at: number | null;
  next_due_at: number;
  created_at: number;
}

export function pendingOf(row: PendingRow): PendingDelivery {
  return {
    id: row.id,
    event: row.event,
    messageId: row.message_id,
    attempts: row.attempts,
    firstTriedAt: row.first_tried_at,
    nextDueAt: row.next_due_at,
    createdAt: row.created_at,
  };
}

export interface HeldRow {
  id: string;
  fact: SealedText;
  expires_at: number;
}

export function unmatchedOf(row: HeldRow): SealedUnmatchedFact {
  return { id: row.id, fact: row.fact, expiresAt: row.expires_at };
}
