/** Entities with every field set; a test overrides only the fields that it is about. */
import type { Channel } from '../../src/rules/channels/channel.ts';
import { settingsAtFirst } from '../../src/rules/channels/settings.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import type { BillingEvent } from '../../src/features/licences/billing.ts';
import type { Subscription } from '../../src/rules/licences/subscription.ts';
import type { Echo, InboundMessage, UpstreamFile } from '../../src/rules/messages/facts.ts';
import type { Template } from '../../src/rules/templates/template.ts';
import type { Reservation } from '../../src/rules/channels/reservation.ts';
import type { SealedText } from '../../src/kernel/sealed.ts';
import { profiles } from '../support/profiles.ts';
import { Fault } from '../../src/kernel/faults.ts';

const isSealed = (text: string): text is SealedText => text !== '';
function asSealed(text: string): SealedText {
  if (!isSealed(text)) throw new Error('nothing is sealed');
  return text;
}
export const sealed = asSealed('sealed');

/** 2026-01-01T00:00:00.000Z */
export const newYear = 1_767_225_600_000;

export function channelOf(channelType: ChannelType, fields: Partial<Channel> = {}): Channel {
  return {
    id: `channel-${channelType}`,
    accountId: 'account-1',
    channelType,
    identity: '422300000000002',
    name: 'Harbour Bakery',
    isActive: true,
    profile: null,
    subscribedAsset: null,
    token: null,
    tokenExpiresAt: null,
    sendsPausedAt: null,
    sendsResumedAt: null,
    ...settingsAtFirst,
    previousSecret: null,
    previousSecretUntil: null,
    hasEndpoints: false,
    subscriptionId: null,
    connectedAt: newYear,
    createdAt: newYear,
    ...fields,
  };
}

export function reservationOf(fields: Partial<Reservation> = {}): Reservation {
  return {
    channelId: 'channel-photoapp',
    accountId: 'account-1',
    apiKeyId: 'key-1',
    channelType: 'photoapp',
    identity: '422300000000002',
    subscriptionId: 'subscription-1',
    codeHash: 'hash-of-code',
    codeExpiresAt: newYear + 600_000,
    createdAt: newYear,
    grant: { name: null, subscribedAsset: null, profile: profiles.photoapp, token: sealed },
    isReconnect: false,
    ...fields,
  };
}

export function subscriptionOf(fields: Partial<Subscription> = {}): Subscription {
  return {
    id: 'subscription-1',
    accountId: 'account-1',
    status: 'active',
    source: 'trial',
    tier: 'pro',
    startsAt: newYear,
    expiresAt: newYear + 1_000,
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: newYear,
    ...fields,
  };
}

const monthMs = 30 * 86_400_000;

export function billingEventOf(fields: Partial<BillingEvent> = {}): BillingEvent {
  const { startsAt = newYear } = fields;
  return {
    eventId: `evt_${fields.at ?? 0}`,
    at: startsAt,
    change: 'updated',
    externalId: 'sub_1',
    accountId: 'account-1',
    status: 'active',
    tier: 'pro',
    startsAt,
    expiresAt: startsAt + monthMs,
    renews: true,
    endsWithPeriod: false,
    ...fields,
  };
}

export function fileOf(fields: Partial<UpstreamFile> = {}): UpstreamFile {
  return {
    mediaId: '1440000000000021',
    url: null,
    mimeType: null,
    filename: null,
    sha256: null,
    voice: false,
    ...fields,
  };
}

export function inboundOf(fields: Partial<InboundMessage> = {}): InboundMessage {
  return {
    kind: 'inbound',
    channelType: 'chatapp',
    identity: '422300000000002',
    upstreamId: 'wamid.IN0001',
    from: '4915900000777',
    fromName: 'Mia Vogel',
    at: newYear,
    caption: null,
    parts: [{ type: 'text', text: 'Hello' }],
    ...fields,
  };
}

export function echoOf(fields: Partial<Echo> = {}): Echo {
  return {
    kind: 'echo',
    channelType: 'chatapp',
    identity: '422300000000002',
    upstreamId: 'wamid.ECHO0001',
    recipient: '4915900000777',
    at: newYear,
    appId: null,
    tag: null,
    caption: null,
    parts: [{ type: 'text', text: 'We open at nine.' }],
    ...fields,
  };
}

/** The error that a call throws, in a form for `toEqual`; throws itself if the call does not. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

/** `type place: sentence` for each violation in a 422; none if nothing is thrown. */
export function saidOf(call: () => unknown): string[] {
  try {
    call();
  } catch (thrown) {
    if (!(thrown instanceof Fault) || !Array.isArray(thrown.detail)) throw thrown;
    return thrown.detail.map(({ loc, type, msg }) => `${type} ${loc.join('.')}: ${msg}`);
  }
  return [];
}

export function templateOf(fields: Partial<Template> = {}): Template {
  return {
    id: 'template-1',
    accountId: 'account-1',
    businessAccountId: '311200000000001',
    upstreamId: '900000000000091',
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hi from {{1}}', example: { header_text: ['Harbour Bakery'] } },
      {
        type: 'BODY',
        text: 'Dear {{1}}, order {{2}} is ready.',
        example: { body_text: [['Mia', 'A-1007']] },
      },
      { type: 'FOOTER', text: 'See you soon' },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            text: 'Track',
            url: 'https://shop.example/t/{{1}}',
            example: ['https://shop.example/t/A'],
          },
          { type: 'QUICK_REPLY', text: 'Thanks' },
        ],
      },
    ],
    parameterFormat: 'positional',
    quality: 'GREEN',
    rejectedReason: null,
    syncedAt: newYear,
    createdAt: newYear,
    ...fields,
  };
}
