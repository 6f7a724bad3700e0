/** Why a channel cannot send or receive. [operator-interface §4] */
import { expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { previousSecretAt } from '../../src/domain/channels/channel.ts';
import { findProblems, problemCodes, unknownHealth } from '../../src/domain/channels/health.ts';
import type { ChannelHealth } from '../../src/domain/channels/health.ts';
import { plainSealer } from '../actors/support/plain-sealer.ts';
import { channelOf } from './samples.ts';

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
  expect(Object.values(rest)).toEqual(Array.from({ length: 11 }, () => null));
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
  ...[{ deliveryFailedAt: 5 }, { deliveryFailedAt: 6, deliveredAt: 5 }].map(
    (failing): [Partial<Channel>, Partial<ChannelHealth>, unknown] => [
      {},
      failing,
      {
        code: 'webhook_failing',
        affects: ['events'],
        detail: 'The last delivery to webhook_url failed',
      },
    ],
  ),
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
  const health = { ...unknown, token: 'refused' as const, isSubscribed: false, deliveryFailedAt: 5 };
  expect(findProblems(channel, health, false).map(({ code }) => code)).toEqual([...problemCodes]);
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
