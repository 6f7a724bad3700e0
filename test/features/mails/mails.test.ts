/** A mail names the channel, the time, the answer, what to do, and where. [spec: Warning e-mail, Alert e-mail] */
import { describe, expect, test } from '@jest/globals';
import { oneLine, withRest, writeAddress, writeChannel, writeName } from '../../../src/rules/mails/letter.ts';
import {
  channelProblem,
  reconnectNeeded,
  tokenEnding,
  undelivered,
} from '../../../src/rules/mails/channels.ts';
import { findProblems, unknownHealth } from '../../../src/rules/channels/health.ts';
import { webhookRecovered, webhookTrouble } from '../../../src/rules/mails/webhooks.ts';
import { channelOf, newYear } from '../../rules/samples.ts';

const baseUrl = 'https://trunkline.example';
const channel = channelOf('chatapp', {
  id: 'channel-1',
  name: 'Support',
  webhookUrl: 'https://user:pass@receiver.example/hooks/secret-path?token=secret',
});
const chatapp = {
  type: 'chatapp' as const,
  phoneNumberId: '1',
  phoneNumber: null,
  businessAccountId: '2',
  qualityRating: null,
  isDualUse: false,
};

interface Known {
  name: string | null;
  number?: string | null;
}

const failed = {
  channel,
  endpointId: null,
  since: newYear,
  event: 'message.received',
  messageId: 'm-1',
  attempts: 3,
  lastResult: '500',
  at: newYear + 90_000,
  triedForMs: 690_000,
  baseUrl,
};

test('omitted lines are counted in an additional line', () => {
  expect(withRest(['one'], 1_234)).toEqual(['one', '… and 1,234 more like these']);
});

describe('an endpoint that accepts nothing', () => {
  test('a warning', () => {
    const { subject, opening, line } = webhookTrouble('webhook-warning', failed);
    expect(subject).toBe('The webhook endpoint of your chatapp channel "Support" is failing');
    expect(opening).toEqual([
      'The webhook endpoint (receiver.example) of your channel "Support" (chatapp) has accepted no event since 2026-01-01 00:00 UTC. It answered with status 500.',
      "What to do: check the endpoint's own log: our request reached it, and it answered with an error.",
      'Each event is retried for about 12 minutes and then fails permanently. You get another e-mail if that happens, and one when the endpoint works again.',
      'Endpoint and delivery log: https://trunkline.example/portal/channels/channel-1',
      '',
    ]);
    expect(line).toBe(
      '2026-01-01T00:01:30.000Z channel channel-1 event message.received message m-1: attempt 3 failed (500)',
    );
  });

  test.each([
    [350, '1 second'],
    [1_000, '1 second'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
  ])('a warning, where events are tried for %d ms', (triedForMs, span) => {
    const { opening } = webhookTrouble('webhook-warning', { ...failed, triedForMs });
    expect(opening[2]).toContain(`retried for about ${span} and then fails permanently`);
  });

  test('an alert for kept deliveries, and for a removed channel, which keeps none', () => {
    const keeps = { ...channel, failedRetentionDays: 3 };
    const said = (of: typeof channel) =>
      webhookTrouble('webhook-alert', { ...failed, channel: of }).opening[2];
    expect(said(keeps)).toContain('the delivery log, which keeps their content for 3 days');
    expect(said({ ...keeps, isActive: false })).toContain('cannot be sent again');
  });

  test('an alert', () => {
    const { subject, opening, line } = webhookTrouble('webhook-alert', { ...failed, attempts: 8 });
    expect(subject).toBe('Events of your chatapp channel "Support" could not be delivered');
    expect(opening.join(' ')).toContain('cannot be sent again');
    expect(line).toMatch(/attempt 8 failed \(500\); no more attempts$/);
  });

  test.each([
    ['401', /let our requests in/],
    ['404', /correct the address/],
    ['302', /redirects are not followed/],
    ['429', /allow more requests/],
    ['timeout', /answer 2xx first/],
    ['connection', /reached from the internet/],
    ['tls', /certificate/],
    ['loop', /your own program/],
    ['deadline passed', /test event/],
  ])('%s: what to do', (lastResult, advice) => {
    const [said = '', what = ''] = webhookTrouble('webhook-warning', { ...failed, lastResult }).opening;
    expect(what).toMatch(advice);
    expect(said).toMatch(/^\d+$/.test(lastResult) ? `status ${lastResult}` : /There was no usable answer/);
  });

  test('of the URL only the host', () => {
    const { subject, opening, line } = webhookTrouble('webhook-alert', failed);
    expect([subject, ...opening, line].join('\n')).not.toMatch(/secret|pass/);
  });
});

test('a token that upstream refuses', () => {
  const said = { what: 'Token expired', code: 190, at: newYear, baseUrl };
  const { subject, opening } = reconnectNeeded(channel, said);
  expect(subject).toBe('Your chatapp channel "Support" has to be connected again');
  expect(opening[0]).toContain('Since 2026-01-01 00:00 UTC nothing can be sent');
  expect(opening).toContain('Connect it again: https://trunkline.example/portal/channels/channel-1');
  const broken = { ...channel, name: 'Support\nWhat to do: pay here' };
  expect(reconnectNeeded(broken, said).line).not.toContain('\n');
});

test('messages that could not be delivered', () => {
  const said = { messageId: 'm-1', error: 'Not reachable', at: newYear, baseUrl };
  const { opening, line } = undelivered(channel, said);
  expect(opening).toContain('Your channels: https://trunkline.example/portal/channels');
  expect(opening.join(' ')).toContain('may have arrived nevertheless');
  expect(line).toBe(
    '2026-01-01T00:00:00.000Z "Support" (chatapp), channel channel-1, message m-1: Not reachable',
  );
});

test('a problem that a probe has found', () => {
  const health = { ...unknownHealth(channel.id), token: 'refused' as const };
  const [problem] = findProblems(channel, health, true).filter(({ code }) => code === 'token_refused');
  if (problem === undefined) throw new Error('no problem');
  expect(channelProblem(channel, problem, { now: newYear, baseUrl })).toEqual({
    subject: 'Your chatapp channel "Support" needs attention',
    lines: [
      'A check of your channel "Support" (chatapp) at 2026-01-01 00:00 UTC found a problem. No message can be sent through the channel.',
      'Problem: Upstream refuses the access token; connect the channel again.',
      'Open the channel: https://trunkline.example/portal/channels/channel-1',
    ],
  });
});

describe('a name from upstream', () => {
  test.each([
    ['two\r\nBcc: thief@example.test', 'two Bcc: thief@example.test'],
    ['a\u2028b\u0000c\u202Ed', 'a b c d'],
    ['  \n ', ''],
    ['👍'.repeat(100), `${'👍'.repeat(80)}…`],
  ])('%j is one line, and short', (name, line) => {
    expect(oneLine(name)).toBe(line);
  });

  test("that is empty is replaced by the channel's id", () => {
    expect(writeName({ id: 'channel-1', name: '\n', channelType: 'pagechat' })).toBe(
      'pagechat channel channel-1',
    );
  });
});

describe('a name that a stranger chose', () => {
  test.each([
    ['evil.example/login', 'evil[.]example/login'],
    ['https://evil.example/login', 'https[:]//evil[.]example/login'],
    ['www.evil.example', 'www[.]evil[.]example'],
    ['evil\u3002example', 'evil[.]example'],
    ['http://192.0.2.1/', 'http[:]//192[.]0[.]2[.]1/'],
    ['pay@evil.example', 'pay@evil[.]example'],
    ['Dr. Smith & Sons Inc.', 'Dr. Smith & Sons Inc.'],
    ['To be continued...', 'To be continued...'],
  ])('%s is no link [faults: 322]', (name, written) => {
    expect(writeName({ ...channel, name })).toBe(`"${written}" (chatapp)`);
  });

  test('is in a subject as pages show it: quoted, with the number', () => {
    const profile = { ...chatapp, phoneNumber: '+1 555-010-0042' };
    const named = { ...channel, name: 'Your account is closed', profile };
    const said = 'our chatapp channel "Your account is closed" (+1 555-010-0042)';
    const of = { channel: named, endpointId: null, baseUrl };
    expect([
      webhookTrouble('webhook-warning', { ...failed, channel: named }).subject,
      webhookTrouble('webhook-alert', { ...failed, channel: named }).subject,
      webhookRecovered(of, { since: newYear, now: newYear }).subject,
      reconnectNeeded(named, { what: 'x', code: 190, at: newYear, baseUrl }).subject,
      tokenEnding(named, { end: newYear, baseUrl }).subject,
      channelProblem(named, { detail: 'x', affects: [] }, { now: newYear, baseUrl }).subject,
    ]).toEqual([
      `The webhook endpoint of y${said} is failing`,
      `Events of y${said} could not be delivered`,
      `The webhook endpoint of y${said} works again`,
      `Y${said} has to be connected again`,
      `Y${said} has to be connected again before 2026-01-01 00:00 UTC`,
      `Y${said} needs attention`,
    ]);
  });

  test.each([
    ['a name alone', { name: 'Support' }, '"Support"'],
    ['nothing', { name: null }, '…hannel-1'],
    ['a number alone', { name: ' ', number: '+1 555-010-0042' }, '+1 555-010-0042'],
    ['a link', { name: 'evil.example/login', number: 'evil.example' }, '"evil[.]example/login"'],
    ['a link for a number', { name: null, number: 'evil.example' }, 'evil[.]example'],
    ['another header', { name: 'a\r\nBcc: thief@example.test' }, '"a Bcc: thief@example[.]test"'],
    ['the end of its quotes', { name: 'Shop" is closed. "' }, `"Shop' is closed. '"`],
    ['a long name', { name: 'n'.repeat(100) }, `"${'n'.repeat(40)}…"`],
  ])('is in a subject no more than a name: %s', (_, { name, number = null }: Known, written) => {
    const profile = number === null ? null : { ...chatapp, phoneNumber: number };
    expect(writeChannel({ ...channel, name, profile })).toBe(`chatapp channel ${written}`);
  });

  test.each([
    ['mia.b+x@example.com', 'mia.b+x@example.com'],
    ['evil.example/login@example.com', 'evil[.]example/login@example[.]com'],
  ])('as an e-mail address: %s', (address, written) => {
    expect(writeAddress(address)).toBe(written);
  });
});
