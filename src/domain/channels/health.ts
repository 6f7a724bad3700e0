import type { Channel } from './channel.ts';

/** Result of a health probe. `isSubscribed` null: upstream did not say, or could not be asked. */
export interface UpstreamState {
  token: 'valid' | 'refused';
  isSubscribed: boolean | null;
  /** Upstream's word; null if the kind has none. */
  qualityRating: string | null;
}

/** Stored health of a channel. Times in ms; null: never. */
export interface ChannelHealth {
  channelId: string;
  token: UpstreamState['token'] | null;
  isSubscribed: boolean | null;
  qualityRating: string | null;
  checkedAt: number | null;
  inboundAt: number | null;
  statusAt: number | null;
  deliveredAt: number | null;
  deliveryFailedAt: number | null;
  /** Time since which every delivery failed; null: the last one succeeded, or there was none. */
  failingSince: number | null;
  /** Time of the last warning mail. */
  warnedAt: number | null;
  /** The last failed answer: its status, or a word for the reason if there was none. */
  lastFailure: string | null;
}

export function unknownHealth(channelId: string): ChannelHealth {
  return {
    channelId,
    token: null,
    isSubscribed: null,
    qualityRating: null,
    checkedAt: null,
    inboundAt: null,
    statusAt: null,
    deliveredAt: null,
    deliveryFailedAt: null,
    failingSince: null,
    warnedAt: null,
    lastFailure: null,
  };
}

export const problemCodes = [
  'inactive',
  'licence_inactive',
  'token_missing',
  'token_refused',
  'not_subscribed',
  'webhook_missing',
  'webhook_failing',
] as const;

export interface HealthProblem {
  code: (typeof problemCodes)[number];
  /** `events`: events reach us but not the receiver. */
  affects: readonly ('send' | 'receive' | 'events')[];
  /** Advice, as a sentence. */
  detail: string;
}

const problems = {
  inactive: { affects: ['send', 'receive'], detail: 'The channel is inactive; connect it again' },
  licence_inactive: {
    affects: ['send', 'receive'],
    detail: "The channel's licence is not active; renew it or get another",
  },
  token_missing: { affects: ['send'], detail: 'The channel has no access token; connect it again' },
  token_refused: {
    affects: ['send'],
    detail: 'Upstream refuses the access token; connect the channel again',
  },
  not_subscribed: {
    affects: ['receive'],
    detail:
      'Upstream has no webhook subscription for the channel; the service subscribes again by itself as soon as upstream allows it',
  },
  webhook_missing: {
    affects: ['events'],
    detail: 'The channel has no webhook_url or no webhook_events; no event is delivered',
  },
  webhook_failing: { affects: ['events'], detail: 'The last delivery to webhook_url failed' },
} as const satisfies Record<HealthProblem['code'], Omit<HealthProblem, 'code'>>;

/** Why a channel can't send or receive, most basic reason first. */
export function findProblems(channel: Channel, health: ChannelHealth, hasLicence: boolean): HealthProblem[] {
  const { webhookUrl, webhookEvents } = channel;
  const there: [HealthProblem['code'], boolean][] = [
    ['inactive', !channel.isActive],
    ['licence_inactive', !hasLicence],
    ['token_missing', channel.token === null],
    ['token_refused', health.token === 'refused'],
    ['not_subscribed', health.isSubscribed === false],
    ['webhook_missing', webhookUrl === null || (webhookEvents ?? []).length === 0],
    ['webhook_failing', (health.deliveryFailedAt ?? 0) > (health.deliveredAt ?? 0)],
  ];
  return there.flatMap(([code, isThere]) => (isThere ? [{ code, ...problems[code] }] : []));
}
