/** Why a channel cannot send or receive. [operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { previousSecretAt } from '../../../src/rules/channels/channel.ts';
import { findProblems, problemCodes, unknownHealth } from '../../../src/rules/channels/health.ts';
import type { ChannelHealth } from '../../../src/rules/channels/health.ts';
import { upstreamProblemCodes, withProblem } from '../../../src/rules/channels/upstream-problems.ts';
import type { UpstreamProblem } from '../../../src/rules/channels/upstream-problems.ts';
import { plainSealer } from '../../actors/support/plain-sealer.ts';
import { channelOf } from '../../rules/samples.ts';

/** Any text: it is never decrypted here. */
const sealed = plainSealer.sealText('token', 'test');
const working = channelOf('chatapp', {
  token: sealed,
  webhookUrl: 'https://receiver.example.com/',
  webhookEvents: ['message.received'],
});
const unknown = unknownHealth('channel-chatapp');

test('of a channel that was never probed nothing is known', () => {
  const { channelId, ...rest } = unknown;
  expect(channelId).toBe('channel-chatapp');
  expect(Object.entries(rest).filter(([, value]) => value !== null)).toEqual([]);
  expect(Object.keys(rest).length).toBeGreaterThan(10);
});

test.each<[string, Partial<ChannelHealth>]>([
  ['nothing is known of', {}],
  [
    'upstream knows and whose receiver takes everything',
    { token: 'valid', isSubscribed: true, deliveredAt: 5 },
  ],
  ['took the last delivery after one that failed', { deliveryFailedAt: 5, deliveredAt: 6 }],
  ['took one at the moment another failed', { deliveryFailedAt: 5, deliveredAt: 5 }],
])('a channel that %s has no problem', (_, health) => {
  expect(findProblems(working, { ...unknown, ...health }, true)).toEqual([]);
});

const told: [Partial<Channel>, Partial<ChannelHealth>, unknown][] = [
  [
    { isActive: false },
    {},
    {
      code: 'inactive',
      affects: ['send', 'receive'],
      detail: 'The channel is inactive; connect it again',
    },
  ],
  [
    { token: null },
    {},
    {
      code: 'token_missing',
      affects: ['send'],
      detail: 'The channel has no access token; connect it again',
    },
  ],
  [
    {},
    { token: 'refused' },
    {
      code: 'token_refused',
      affects: ['send'],
      detail: 'Upstream refuses the access token; connect the channel again',
    },
  ],
  [
    {},
    { isSubscribed: false },
    {
      code: 'not_subscribed',
      affects: ['receive'],
      detail:
        'Upstream has no webhook subscription for the channel; the service subscribes again by itself as soon as upstream allows it',
    },
  ],
  ...[{ webhookUrl: null }, { webhookEvents: null }, { webhookEvents: [] }].map(
    (without): [Partial<Channel>, Partial<ChannelHealth>, unknown] => [
      without,
      {},
      {
        code: 'webhook_missing',
        affects: ['events'],
        detail: 'The channel has no webhook_url or no webhook_events; no event is delivered',
      },
    ],
  ),
  [
    { webhookUrl: null, hasEndpoints: true },
    {},
    {
      code: 'webhook_missing',
      affects: ['events'],
      detail: 'The channel has no webhook_url or no webhook_events; only its further endpoints get events',
    },
  ],
  ...[
    { deliveryFailedAt: 5, failingSince: 5 },
    { deliveryFailedAt: 6, deliveredAt: 5, failingSince: 6 },
  ].map((failing): [Partial<Channel>, Partial<ChannelHealth>, unknown] => [
    {},
    failing,
    {
      code: 'webhook_failing',
      affects: ['events'],
      detail: 'The last delivery to webhook_url failed',
    },
  ]),
];

test.each(told)('a channel with %j and %j has the problem %j', (channel, health, problem) => {
  expect(findProblems({ ...working, ...channel }, { ...unknown, ...health }, true)).toEqual([problem]);
});

test('a channel without a licence neither sends nor receives', () => {
  expect(findProblems(working, unknown, false)).toEqual([
    {
      code: 'licence_inactive',
      affects: ['send', 'receive'],
      detail: "The channel's licence is not active; renew it or get another",
    },
  ]);
});

test('a channel with every problem lists them in the fixed order', () => {
  const channel = { ...working, isActive: false, token: null, webhookUrl: null };
  const noted = upstreamProblemCodes.toReversed().flatMap((code) => withProblem([], { code }, 5) ?? []);
  const health = {
    ...unknown,
    token: 'refused' as const,
    isSubscribed: false,
    deliveryFailedAt: 5,
    failingSince: 5,
    problems: noted.slice(1),
  };
  expect(findProblems(channel, health, false, noted.slice(0, 1)).map(({ code }) => code)).toEqual([
    ...problemCodes,
  ]);
});

describe('a problem that upstream told', () => {
  const since = (noted: readonly UpstreamProblem[] | null) => noted?.map(({ code, since: at }) => [code, at]);

  test('is shown with its beginning, which a later note leaves', () => {
    const first = withProblem([], { code: 'registration_pending', nextTryAt: 9 }, 5) ?? [];
    const later =
      withProblem(first, { code: 'registration_pending', detail: 'Wait', nextTryAt: 12 }, 8) ?? [];
    expect(findProblems(working, { ...unknown, problems: later }, true)).toEqual([
      { code: 'registration_pending', since: 5, detail: 'Wait', affects: ['send', 'receive'], nextTryAt: 12 },
    ]);
  });

  test('that is noted again as it stands changes nothing', () => {
    const first = withProblem([], { code: 'sends_paused' }, 5) ?? [];
    expect(withProblem(first, { code: 'sends_paused' }, 8)).toBeNull();
    expect(since(withProblem(first, { code: 'access_removed' }, 8))).toEqual([
      ['sends_paused', 5],
      ['access_removed', 8],
    ]);
  });

  test("has a detail of at most 500 characters, for upstream's words may be in it", () => {
    const [noted] = withProblem([], { code: 'sends_blocked', detail: 'x'.repeat(501) }, 5) ?? [];
    expect(noted?.detail).toHaveLength(500);
  });

  test('of a newer build is left out', () => {
    const problems = JSON.parse(
      '[{"code":"of_tomorrow","since":1,"detail":"","affects":[],"nextTryAt":null}]',
    );
    expect(findProblems(working, { ...unknown, problems }, true)).toEqual([]);
  });
});

test.each([
  [9, sealed],
  [10, null],
  [11, null],
])('a previous secret that is valid until 10 at %d: %j', (now, secret) => {
  expect(previousSecretAt({ previousSecret: sealed, previousSecretUntil: 10 }, now)).toBe(secret);
});

test('a channel without a previous secret signs with one', () => {
  expect(previousSecretAt({ previousSecret: null, previousSecretUntil: null }, 9)).toBeNull();
  expect(previousSecretAt({ previousSecret: sealed, previousSecretUntil: null }, -1)).toBeNull();
});
