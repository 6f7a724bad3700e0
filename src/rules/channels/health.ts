import type { Channel } from './channel.ts';
import type { Change } from '../events/changes.ts';
import { isKnownProblem, upstreamProblemCodes } from './upstream-problems.ts';
import type { Affected, UpstreamProblem, UpstreamProblemCode } from './upstream-problems.ts';

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
  /** What upstream has told of the channel and is not over; null: nothing. */
  problems: readonly UpstreamProblem[] | null;
  /** When the oldest of them began. */
  troubledSince: number | null;
  /** Number of changes of `problems`, `registrations` and `untold`; null: none. */
  problemsVersion: number | null;
  /** Changes that the owner of the channel does not have yet, and when they are told; null: none. */
  untold: readonly Change[] | null;
  tellAt: number | null;
  /** Times of the calls that register the number, for upstream's limit; null: none. */
  registrations: readonly number[] | null;
  /** For the lists of the account; null: not checked since the update that added it. */
  accountId: string | null;
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
    problems: null,
    troubledSince: null,
    problemsVersion: null,
    untold: null,
    tellAt: null,
    registrations: null,
    accountId: null,
  };
}

/** The most basic first. */
export const problemCodes = [
  'inactive',
  'licence_inactive',
  'token_missing',
  'token_refused',
  ...upstreamProblemCodes,
  'not_subscribed',
  'webhook_missing',
  'webhook_failing',
] as const;

/** Problems that are stored with a channel, so that the channels of one can be listed. */
export const listedProblems = ['token_refused', ...upstreamProblemCodes] as const;
export type ListedProblem = (typeof listedProblems)[number];

type OwnCode = Exclude<(typeof problemCodes)[number], UpstreamProblemCode>;

export interface HealthProblem {
  code: (typeof problemCodes)[number];
  affects: Affected;
  /** Advice, as a sentence. */
  detail: string;
  /** When it began, in ms; absent: not recorded. */
  since?: number;
  /** When the service tries by itself again; null or absent: it does not. */
  nextTryAt?: number | null;
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
} as const satisfies Record<OwnCode, Omit<HealthProblem, 'code'>>;

const wordsOf = (code: OwnCode, hasEndpoints: boolean): Omit<HealthProblem, 'code'> =>
  code === 'webhook_missing' && hasEndpoints ? onlyEndpoints : problems[code];

const onlyEndpoints: Omit<HealthProblem, 'code'> = {
  affects: ['events'],
  detail: 'The channel has no webhook_url or no webhook_events; only its further endpoints get events',
};

export const describeRefusedToken = problems.token_refused.detail;

/** A failure at another address, which the client has replaced since, leaves its time and is over. */
function isFailing({ failingSince, deliveryFailedAt, deliveredAt }: ChannelHealth): boolean {
  return failingSince !== null && (deliveryFailedAt ?? 0) > (deliveredAt ?? 0);
}

/** Why a channel can't send or receive, most basic reason first. `ofApp`: problems of the whole app at upstream. */
export function findProblems(
  channel: Channel,
  health: ChannelHealth,
  hasLicence: boolean,
  ofApp: readonly UpstreamProblem[] = [],
): HealthProblem[] {
  const { webhookUrl, webhookEvents, hasEndpoints } = channel;
  const there: [OwnCode, boolean][] = [
    ['inactive', !channel.isActive],
    ['licence_inactive', !hasLicence],
    ['token_missing', channel.token === null],
    ['token_refused', health.token === 'refused'],
    ['not_subscribed', health.isSubscribed === false],
    ['webhook_missing', webhookUrl === null || (webhookEvents ?? []).length === 0],
    ['webhook_failing', isFailing(health)],
  ];
  const found: HealthProblem[] = there.flatMap(([code, isThere]) =>
    isThere ? [{ code, ...wordsOf(code, hasEndpoints) }] : [],
  );
  found.push(...[...(health.problems ?? []), ...ofApp].filter(isKnownProblem));
  return found.toSorted((one, other) => problemCodes.indexOf(one.code) - problemCodes.indexOf(other.code));
}
