/** Who gets which mail, what common parts say, and what is shown of keys and of refused sends. */
import { expect, test } from '@jest/globals';
import { showKey } from '../../src/rules/api-key.ts';
import { tokenEnding } from '../../src/rules/mails/channels.ts';
import { writeAddress, gatherFor } from '../../src/rules/mails/letter.ts';
import { logMail } from '../../src/rules/mails/log-line.ts';
import { isMailTopic, mailTopics, topicOf, topicsOf } from '../../src/rules/mails/topics.ts';
import { readContent } from '../../src/rules/messages/content.ts';
import { sentenceFor, withoutUpstreamWords } from '../../src/rules/messages/error-codes.ts';
import { countParts, isOfAsset, isOfPerson, latestMeant } from '../../src/rules/messages/facts.ts';
import type { UpstreamFact } from '../../src/rules/messages/facts.ts';
import { channelOf, echoOf, inboundOf, newYear } from './samples.ts';

test.each([
  ['webhook-warning', 'failures'],
  ['webhook-alert', 'failures'],
  ['webhook-recovered', 'failures'],
  ['endpoint-disabled', 'failures'],
  ['delivery-digest', 'failures'],
  ['channel-problem', 'failures'],
  ['reconnect', 'failures'],
  ['key-ending', 'failures'],
  ['trial-ending', 'licences'],
  ['licence-ended', 'licences'],
  ['portal-reset', null],
])('a mail of kind %s has the topic %s', (kind, topic) => {
  expect(topicOf({ kind })).toBe(topic);
});

test('a choice of topics stands; before it the address of the account gets all', () => {
  const account = { email: 'owner@example.com' };
  const owner = { email: 'owner@example.com', mailTopics: null };
  expect(topicsOf(owner, account)).toEqual(['failures', 'licences']);
  expect(topicsOf({ ...owner, mailTopics: [] }, account)).toEqual([]);
  expect(topicsOf({ email: 'other@example.com', mailTopics: null }, account)).toEqual([]);
  expect(topicsOf({ email: 'other@example.com', mailTopics: ['licences'] }, account)).toEqual(['licences']);
  expect([...mailTopics, 'news'].map(isMailTopic)).toEqual([true, true, false]);
});

test('a digest gathers for its interval, and is sent at its end', () => {
  expect(gatherFor(100, 250)).toEqual({ interval: 2, sendAfter: 300 });
  expect(gatherFor(100, 300)).toEqual({ interval: 3, sendAfter: 400 });
  expect(gatherFor(0, 7)).toEqual({ interval: 7, sendAfter: 8 });
  // What is decided in the last moment may be stored after the mail was sent.
  expect(gatherFor(100, 389)).toEqual({ interval: 3, sendAfter: 400 });
  expect(gatherFor(100, 391)).toEqual({ interval: 4, sendAfter: 500 });
  expect(gatherFor(900_000, 899_001)).toEqual({ interval: 1, sendAfter: 1_800_000 });
});

test.each([
  ['mia.v+x@example.com', 'mia.v+x@example.com'],
  ['evil.example/a@example.com', 'evil[.]example/a@example[.]com'],
  ['mia@example.com/login', 'mia@example[.]com/login'],
])('the address %s is written %s', (address, written) => {
  expect(writeAddress(address)).toBe(written);
});

test('the end of a token that upstream does not renew is said with what to do', () => {
  const bakery = channelOf('photoapp', { id: 'channel-12345678', name: 'Bakery' });
  expect(tokenEnding(bakery, { end: newYear, baseUrl: 'https://svc.example' })).toEqual({
    subject: 'Your photoapp channel "Bakery" has to be connected again before 2026-01-01 00:00 UTC',
    lines: [
      'The access token of your channel "Bakery" (photoapp) ends at 2026-01-01 00:00 UTC, and the platform did not renew it. From then on no message can be sent through the channel.',
      'What to do: connect the channel again before. It keeps its id, its settings and its history.',
      'Connect it again: https://svc.example/portal/channels/channel-12345678',
    ],
  });
});

test('the log has a mail without its lines', () => {
  const lines: unknown[] = [];
  const log = { info: (...said: unknown[]) => void lines.push(said) };
  logMail(log, { id: 'm', accountId: 'a', kind: 'reconnect', subject: 'S' });
  expect(lines).toEqual([[{ mail: 'm', account: 'a', kind: 'reconnect', subject: 'S' }, 'mail.stored']]);
});

test.each([
  ['0f3a', 'mip_live_ab…0f3a'],
  [null, 'mip_live_ab…'],
])('a key whose last characters are %s is shown as %s', (lastFour, shown) => {
  expect(showKey({ hint: 'mip_live_ab', lastFour })).toBe(shown);
});

test('the sentence of a refusal is shown without the words of upstream', () => {
  const detail = { message: 'Mia said no', subcode: null };
  const sentence = sentenceFor(131_047, detail);
  expect(sentence).toMatch(/ \(upstream: Mia said no\)$/);
  expect(withoutUpstreamWords(sentence)).toBe(sentence.slice(0, sentence.indexOf(' (upstream')));
  expect(withoutUpstreamWords('Refused')).toBe('Refused');
});

const base = { businessAccountId: '3', at: newYear };
test.each<[UpstreamFact, boolean, boolean]>([
  [inboundOf(), true, false],
  [
    { kind: 'person', channelType: 'chatapp', identity: '4', upstreamId: 'w', from: '491', at: 1 },
    true,
    false,
  ],
  [echoOf(), false, false],
  [{ ...base, kind: 'template', templateId: '9', change: { components: true } }, false, true],
  [{ ...base, kind: 'number', phoneNumber: '491' }, false, true],
  [{ ...base, kind: 'account', phoneNumber: null, change: 'removed', says: null }, false, true],
])('%j: of a person %j, of an asset %j', (fact, ofPerson, ofAsset) => {
  expect(isOfAsset(fact)).toBe(ofAsset);
  if (!isOfAsset(fact)) expect(isOfPerson(fact)).toBe(ofPerson);
});

test('parts are counted, and a whole second means all of it', () => {
  const [part] = inboundOf().parts;
  expect(countParts(inboundOf({ parts: part === undefined ? [] : [part, part] }))).toBe(2);
  expect(
    countParts({ kind: 'person', channelType: 'chatapp', identity: '4', upstreamId: 'w', from: '1', at: 1 }),
  ).toBe(1);
  expect([5_000, 5_001].map(latestMeant)).toEqual([5_999, 5_001]);
});

test.each([
  [{}, {}],
  [{ replyTo: 'wamid.1' }, { replyTo: 'wamid.1' }],
  [{ replyTo: 5 }, {}],
  [{ tag: 'human_agent' }, { tag: 'human_agent' }],
  [{ tag: 'unknown' }, {}],
])('of a kept text with %j is read %j', (kept, read) => {
  expect(readContent({ type: 'text', text: 'Hi', ...kept })).toMatchObject({
    type: 'text',
    text: 'Hi',
    ...read,
  });
  expect(Object.keys(readContent({ type: 'text', text: 'Hi', ...kept })).toSorted()).toEqual(
    Object.keys({ ...readContent({ type: 'text', text: 'Hi' }), ...read }).toSorted(),
  );
});
