/** [upstream §4] What a fact is about, by its kind, and what it weighs. */
import { expect, test } from '@jest/globals';
import { countParts, isOfAsset, latestMeant } from '../../src/rules/messages/facts.ts';
import type { ChannelFact, UpstreamFact } from '../../src/rules/messages/facts.ts';

const businessAccountId = 'b1';
const receipt: ChannelFact = {
  kind: 'conversation-receipt',
  channelType: 'pagechat',
  identity: 'p1',
  status: 'read',
  recipient: 'mia',
  upTo: null,
  upToUpstreamId: null,
  at: 1_000,
};
const echo: ChannelFact = {
  kind: 'echo',
  channelType: 'pagechat',
  identity: 'p1',
  upstreamId: 'm1',
  recipient: 'mia',
  at: 1_000,
  appId: null,
  tag: null,
  caption: null,
  parts: [],
};

test.each<[boolean, UpstreamFact]>([
  [true, { kind: 'template', businessAccountId, templateId: 't1', at: 1, change: { components: true } }],
  [true, { kind: 'number', businessAccountId, phoneNumber: '49151' }],
  [true, { kind: 'account', businessAccountId, phoneNumber: null, at: 1, change: 'removed', says: null }],
  [false, receipt],
  [false, echo],
])('%s: of an asset is %j', (expected, fact) => {
  expect(isOfAsset(fact)).toBe(expected);
});

test('a fact weighs its parts; one that has none by its kind weighs one', () => {
  expect([countParts(echo), countParts(receipt)]).toEqual([0, 1]);
});

test('a time in whole seconds means the end of its second', () => {
  expect([latestMeant(5_000), latestMeant(5_001), latestMeant(0)]).toEqual([5_999, 5_001, 999]);
});
