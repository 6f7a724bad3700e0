/** Complete sample documents with fresh ids, so that tests can share a store. */
import type { SealedUnmatchedFact } from '../../../src/storage/journal/writes.ts';
import type { Account, ApiKey } from '../../../src/features/accounts/account.ts';
import type { Redirect } from '../../../src/features/redirects/entity.ts';
import type { Pass, Person } from '../../../src/rules/person.ts';
import { newSealer } from '../../support/sealing.ts';
import type { Subscription } from '../../../src/rules/licences/subscription.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { Template } from '../../../src/rules/templates/template.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { readOwner } from '../../../src/rules/webhooks/endpoints.ts';
import { emptyHour } from '../../../src/features/deliveries/hours.ts';
import type { DeliveryHour } from '../../../src/features/deliveries/hours.ts';
import { hashSecret, newId, newSecret } from '../../../src/kernel/ids.ts';
import { chatappProfile } from '../../support/profiles.ts';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import type { Grant, Reservation } from '../../../src/rules/channels/reservation.ts';
import type { KeptTranscript } from '../../../src/features/deliveries/entity.ts';
import type { LoggedRequest } from '../../../src/features/requests/entity.ts';
import type { SetupSession } from '../../../src/features/connecting/entity.ts';
import type { LoggedDelivery } from '../../../src/features/deliveries/logged.ts';
import type { StoredMail } from '../../../src/storage/entities/mails.ts';
import type { AuditEntry } from '../../../src/features/audit/entity.ts';

export const noon = Date.UTC(2025, 0, 1, 12);

export const idsOf = (items: readonly { id: string }[]): string[] => items.map(({ id }) => id);

const sealer = newSealer();
export const sealedText = (plain: string) => sealer.sealText(plain, 'test');
export const sealedBytes = (plain: string) => sealer.seal(Buffer.from(plain), 'test');

export function anAccount(over: Partial<Account> = {}): Account {
  const id = newId();
  return {
    id,
    email: `${id}@example.com`,
    name: 'Ada',
    suspendedAt: null,
    suspendedWhy: null,
    note: null,
    createdAt: noon,
    ...over,
  };
}

export function aKey(accountId: string, over: Partial<ApiKey> = {}): ApiKey {
  const hash = hashSecret(newSecret());
  const shown = { hint: 'mip_live_abcd', lastFour: 'wxyz', name: 'Shop' };
  return {
    id: newId(),
    accountId,
    hash,
    ...shown,
    createdAt: noon,
    revokedAt: null,
    lastUsedAt: null,
    lastUsedFrom: null,
    madeBy: null,
    scopes: null,
    endsAt: null,
    ...over,
  };
}

export function anAuditEntry(over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: newId(),
    accountId: newId(),
    actor: 'person',
    actorName: 'ada@example.com',
    action: 'channel.updated',
    subject: newId(),
    before: { echo_statuses: false },
    after: { echo_statuses: true },
    address: '198.51.100.7',
    requestId: newId(),
    createdAt: noon,
    times: 1,
    lastAt: over.createdAt ?? noon,
    ...over,
  };
}

export function aPerson(over: Partial<Person> = {}): Person {
  const id = over.id ?? newId();
  return {
    id,
    accountId: id,
    role: 'owner',
    email: `${newId()}@example.com`,
    passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    passwordVersion: newId(),
    confirmedAt: noon,
    createdAt: noon,
    lastSeenAt: null,
    homeSeenAt: null,
    homeSince: null,
    stepSecret: null,
    stepUsed: null,
    stepSince: null,
    mailTopics: null,
    ...over,
  };
}

export function aPass(over: Partial<Pass> = {}): Pass {
  return {
    id: hashSecret(newSecret()),
    personId: newId(),
    kind: 'session',
    passwordVersion: newId(),
    createdAt: noon,
    expiresAt: noon + 1_000,
    address: null,
    agent: null,
    seenAt: null,
    email: null,
    ...over,
  };
}

export function aRedirect(accountId: string, apiKeyId: string, over: Partial<Redirect> = {}): Redirect {
  return {
    id: newId(),
    accountId,
    apiKeyId,
    uriPattern: `https://app.example.com/${newId()}`,
    createdAt: noon,
    ...over,
  };
}

export function aSubscription(accountId: string, over: Partial<Subscription> = {}): Subscription {
  return {
    id: newId(),
    accountId,
    status: 'active',
    source: 'trial',
    tier: 'pro',
    startsAt: noon,
    expiresAt: noon + 1_000,
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: noon,
    ...over,
  };
}

export function aGrant(over: Partial<Grant> = {}): Grant {
  const businessAccountId = newId();
  return {
    name: 'Shop',
    profile: chatappProfile({ businessAccountId, qualityRating: 'GREEN', isDualUse: true }),
    subscribedAsset: businessAccountId,
    token: sealedText('upstream token'),
    ...over,
  };
}

export function aReservation(over: Partial<Reservation> = {}): Reservation {
  return {
    channelId: newId(),
    accountId: newId(),
    apiKeyId: newId(),
    channelType: 'chatapp',
    identity: newId(),
    subscriptionId: newId(),
    codeHash: hashSecret(newSecret()),
    codeExpiresAt: noon + 300_000,
    createdAt: noon,
    grant: aGrant(),
    isReconnect: false,
    ...over,
  };
}

export function aSession(over: Partial<SetupSession> = {}): SetupSession {
  return {
    id: newId(),
    accountId: newId(),
    apiKeyId: newId(),
    channelType: 'photoapp',
    redirectUri: 'https://app.example.com/done',
    tokenHash: hashSecret(newSecret()),
    expiresAt: noon + 1_000,
    finishedAt: null,
    channelId: newId(),
    choice: sealedText('assets'),
    origin: { id: newId(), tokenHash: hashSecret(newSecret()) },
    ending: null,
    ...over,
  };
}

export function aMessage(channelId: string, over: Partial<OutboundMessage> = {}): OutboundMessage {
  return {
    id: newId(),
    channelId,
    accountId: newId(),
    channelType: 'chatapp',
    origin: 'service',
    recipient: '491701234567',
    messageType: 'text',
    content: sealedBytes('hello'),
    state: 'sending',
    rank: 0,
    deliveryFailed: false,
    copies: 1,
    tries: 1,
    attemptedAt: noon,
    nextTryAt: null,
    upstreamIds: [],
    error: null,
    statusAt: noon,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    calls: null,
    errorCode: null,
    epoch: 1,
    createdAt: noon,
    ...over,
  };
}

export function aDelivery(channelId: string, over: Partial<Delivery> = {}): Delivery {
  return {
    id: newId(),
    channelId,
    accountId: newId(),
    event: 'message.delivered',
    messageId: newId(),
    person: '491701234567',
    messageType: null,
    upstreamId: null,
    requestId: newId(),
    state: 'pending',
    payload: sealedBytes('{"event":"message.delivered"}'),
    attempts: 0,
    claims: 0,
    firstTriedAt: null,
    nextDueAt: noon,
    lastResult: null,
    attemptLog: null,
    keptSince: null,
    keptBytes: null,
    sequence: null,
    epoch: 1,
    createdAt: noon,
    ...over,
  };
}

export function aDeliveryHour(accountId: string, over: Partial<DeliveryHour> = {}): DeliveryHour {
  const at = over.at ?? noon;
  return { ...emptyHour(accountId, at), delivered: 3, retried: 1, within20ms: 3, within5min: 1, ...over };
}

export function aHeldFact(over: Partial<SealedUnmatchedFact> = {}): SealedUnmatchedFact {
  return {
    id: newId(),
    fact: sealedText('unmatched'),
    expiresAt: noon + 900_000,
    dueAt: null,
    tries: 0,
    ...over,
  };
}

/** The cursor after this item. */
export function cursorAt(item: PagePosition | null | undefined): PagePosition | null {
  return item == null ? null : { createdAt: item.createdAt, id: item.id };
}

export function aTemplate(over: Partial<Template> = {}): Template {
  return {
    id: newId(),
    accountId: newId(),
    businessAccountId: '311200000000001',
    upstreamId: '12345678901234567',
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    status: 'PENDING',
    components: [
      { type: 'BODY', text: 'Ready: {{1}}!', example: { body_text: [['$a.b']], 'a.b': { $c: [] } } },
    ],
    parameterFormat: 'named',
    quality: null,
    rejectedReason: null,
    syncedAt: noon,
    createdAt: noon,
    ...over,
  };
}

export function aRequest(accountId: string, over: Partial<LoggedRequest> = {}): LoggedRequest {
  return {
    id: newId(),
    accountId,
    apiKeyId: newId(),
    method: 'GET',
    route: '/api/v1/channels/{channel_id}',
    status: 200,
    isFailed: false,
    code: null,
    requestId: newId(),
    durationMs: 3,
    leftOut: null,
    createdAt: noon,
    ...over,
  };
}

export function aTranscript(over: Partial<KeptTranscript> = {}): KeptTranscript {
  return {
    id: newId(),
    accountId: newId(),
    channelId: newId(),
    deliveryId: newId(),
    startedAt: noon,
    isTaken: false,
    createdAt: noon,
    content: sealedBytes('what was sent and answered'),
    ...over,
  };
}

/** It waits to be sent. */
export function aMail(over: Partial<StoredMail> = {}): StoredMail {
  return {
    id: newId(),
    accountId: newId(),
    kind: 'webhook-alert',
    subject: 'Deliveries failed',
    lines: ['one'],
    link: null,
    recipient: null,
    sendAfter: noon,
    gathersUntil: 0,
    sentAt: null,
    givenUp: null,
    createdAt: noon,
    ...over,
  };
}

/** A delivery as the log shows it: without content, owner and claims. */
export function loggedOf(delivery: Delivery): LoggedDelivery {
  const {
    payload: _payload,
    keptBytes: _bytes,
    sequence: _sequence,
    upstreamId: _upstreamId,
    epoch: _epoch,
    claims: _claims,
    ...logged
  } = delivery;
  return { ...logged, ...readOwner(logged.channelId) };
}

/** A webhook test, as the log has it. */
export function aTest(channelId: string, over: Partial<LoggedDelivery> = {}): LoggedDelivery {
  const ended = { state: 'delivered', attempts: 1, firstTriedAt: noon, lastResult: '204' } as const;
  return {
    ...loggedOf(aDelivery(channelId)),
    ...ended,
    event: 'webhook.test',
    attemptLog: `${noon} 12 204 -`,
    ...over,
  };
}
