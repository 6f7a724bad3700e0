/** What a channel's receiver is told of its health. [spec: Additions, What changed] */
import { expect, test } from '@jest/globals';
import { channelChanges, channelParts } from '../../src/rules/channels/changes.ts';
import { isPaused, previousSecretAt, tokenEnd } from '../../src/rules/channels/channel.ts';
import { unknownHealth } from '../../src/rules/channels/health.ts';
import type { ChannelHealth } from '../../src/rules/channels/health.ts';
import { beingRegistered } from '../../src/rules/channels/registration.ts';
import { describeProblem, upstreamProblemCodes } from '../../src/rules/channels/upstream-problems.ts';
import type { UpstreamProblem, UpstreamProblemCode } from '../../src/rules/channels/upstream-problems.ts';
import { channelOf, newYear, sealed } from './samples.ts';

const healthOf = (fields: Partial<ChannelHealth>): ChannelHealth => ({
  ...unknownHealth('channel-1'),
  ...fields,
});

function problemOf(code: UpstreamProblemCode, detail = 'As upstream says'): UpstreamProblem {
  return { ...describeProblem({ code, detail }), since: newYear };
}

function told(before: Partial<ChannelHealth>, after: Partial<ChannelHealth>): unknown[] {
  return channelChanges(healthOf(before), healthOf(after), 3, newYear).map(
    ({ changed, before: was, after: is, reason, at }) => {
      expect(at).toBe(newYear);
      return { changed, before: was, after: is, reason };
    },
  );
}

const refusal = {
  changed: 'token',
  before: 'ok',
  after: 'token_refused',
  reason: 'Upstream refuses the access token; connect the channel again',
};

test.each([
  ['valid', 'refused', [refusal]],
  [null, 'refused', [refusal]],
  ['refused', 'refused', []],
  ['refused', 'valid', [{ changed: 'token', before: 'token_refused', after: 'ok', reason: null }]],
  ['valid', 'valid', []],
  [null, 'valid', []],
  ['refused', null, []],
] as const)('a token that was %s and is %s', (was, is, said) => {
  expect(told({ token: was }, { token: is })).toEqual(said);
});

test.each([
  ['GREEN', 'RED', [{ changed: 'quality', before: 'GREEN', after: 'RED', reason: null }]],
  ['GREEN', 'GREEN', []],
  [null, 'RED', []],
  ['GREEN', null, []],
])('a quality that was %s and is %s', (was, is, said) => {
  expect(told({ qualityRating: was }, { qualityRating: is })).toEqual(said);
});

test.each([
  ['access_removed', 'access'],
  ['account_disabled', 'account'],
  ['app_webhooks_missing', 'receiving'],
  ['app_webhooks_elsewhere', 'receiving'],
  ['webhook_elsewhere', 'receiving'],
  ['registration_pending', 'registration'],
  ['sends_paused', 'sending'],
  ['sends_blocked', 'sending'],
  ['account_restricted', 'account'],
  ['policy_enforcement', 'account'],
  ['messages_without_content', 'receiving'],
  ['token_ending', 'token'],
] as const)('%s is about %s, when it begins and when it ends', (code, changed) => {
  const problems = [problemOf(code)];
  expect(told({}, { problems })).toEqual([
    { changed, before: 'ok', after: code, reason: 'As upstream says' },
  ]);
  expect(told({ problems }, { problems: [] })).toEqual([
    { changed, before: code, after: 'ok', reason: null },
  ]);
  expect(told({ problems }, { problems })).toEqual([]);
  expect(channelParts).toContain(changed);
});

test('every problem but a test push is told', () => {
  const silent = upstreamProblemCodes.filter(
    (code) => told({}, { problems: [problemOf(code)] }).length === 0,
  );
  expect(silent).toEqual(['test_push_received']);
});

test("a newer build's problem is not told", () => {
  const newer: UpstreamProblem = { ...problemOf('sends_paused'), ...JSON.parse('{"code":"of_tomorrow"}') };
  expect(told({}, { problems: [newer] })).toEqual([]);
});

test('the registration that the service has just begun is told when it fails, not before', () => {
  const begun = [problemOf('registration_pending', beingRegistered)];
  const failed = [problemOf('registration_pending', 'wrong PIN')];
  expect(told({}, { problems: begun })).toEqual([]);
  expect(told({ problems: begun }, { problems: [] })).toEqual([]);
  expect(told({ problems: begun }, { problems: failed })).toHaveLength(1);
  expect(told({ problems: begun }, { problems: [problemOf('sends_paused', beingRegistered)] })).toHaveLength(
    1,
  );
});

test('all that one write changed is told: token, quality, what began, what ended', () => {
  const before = { token: 'valid', qualityRating: 'GREEN', problems: [problemOf('sends_paused')] } as const;
  const after = { token: 'refused', qualityRating: 'RED', problems: [problemOf('token_ending')] } as const;
  expect(told(before, after)).toMatchObject([
    { changed: 'token', after: 'token_refused' },
    { changed: 'quality' },
    { changed: 'token', after: 'token_ending' },
    { changed: 'sending', after: 'ok' },
  ]);
});

test('the id is of the channel, the change, the version and the time: the same write told twice is one event', () => {
  const idOf = (channelId: string, is: string, version: number, at: number): string[] =>
    channelChanges(
      { ...healthOf({ qualityRating: 'GREEN' }), channelId },
      { ...healthOf({ qualityRating: is }), channelId },
      version,
      at,
    ).map(({ id }) => id);
  const first = idOf('channel-1', 'RED', 1, 5);
  expect(idOf('channel-1', 'RED', 1, 5)).toEqual(first);
  const others = [
    idOf('channel-2', 'RED', 1, 5),
    idOf('channel-1', 'YELLOW', 1, 5),
    idOf('channel-1', 'RED', 2, 5),
    idOf('channel-1', 'RED', 1, 6),
  ];
  expect(new Set([first, ...others].flat()).size).toBe(5);
});

test.each([
  [null, null, false],
  [null, 5, false],
  [5, null, true],
  [5, 4, true],
  [5, 5, false],
  [5, 6, false],
])('a number paused at %s and taken back at %s', (sendsPausedAt, sendsResumedAt, paused) => {
  expect(isPaused({ sendsPausedAt, sendsResumedAt })).toBe(paused);
});

test.each([
  [0, null],
  [null, null],
  [7, 7],
])('a token of %s ends at %s', (tokenExpiresAt, end) => {
  expect(tokenEnd({ tokenExpiresAt })).toBe(end);
});

test('the previous secret signs until its end', () => {
  const channel = channelOf('chatapp', { previousSecret: sealed, previousSecretUntil: 10 });
  expect([9, 10, 11].map((now) => previousSecretAt(channel, now))).toEqual([sealed, null, null]);
  expect(previousSecretAt({ ...channel, previousSecretUntil: null }, 0)).toBeNull();
});
