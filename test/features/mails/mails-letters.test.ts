/** The complete texts of mails. [spec: Warning e-mail, Alert e-mail; operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import { oneLine, withLink, withRest, writeName } from '../../../src/rules/mails/letter.ts';
import { channelProblem, reconnectNeeded, undelivered } from '../../../src/rules/mails/channels.ts';
import { licenceEnded, trialEnding } from '../../../src/features/licences/letters.ts';
import { endpointDisabled, webhookRecovered, webhookTrouble } from '../../../src/rules/mails/webhooks.ts';
import { plainSealer } from '../../actors/support/plain-sealer.ts';
import { channelOf, newYear, subscriptionOf } from '../../rules/samples.ts';

const baseUrl = 'https://trunkline.example';
const channel = channelOf('chatapp', {
  id: 'channel-1',
  name: 'Support',
  webhookUrl: 'https://receiver.example:8443/hooks?token=secret',
  webhookSecret: plainSealer.sealText('ours', 'test'),
});
const named = '"Support" (chatapp)';
const page = 'https://trunkline.example/portal/channels/channel-1';
const billing = 'Subscriptions: https://trunkline.example/portal/billing';
const failed = {
  channel,
  endpointId: null,
  since: newYear,
  event: 'message.received',
  messageId: 'm-1',
  attempts: 8,
  lastResult: '500',
  at: newYear,
  triedForMs: 690_000,
  baseUrl,
};

describe('a trial that ends soon', () => {
  const trial = subscriptionOf({ source: 'trial', expiresAt: newYear });
  const what =
    'What to do: subscribe before then, and the channels keep working without a break. If you do not, nothing is deleted: the channels work again once you subscribe.';

  test('names its channels', () => {
    expect(trialEnding(trial, [channel], baseUrl)).toEqual({
      subject: 'Your trial ends on 2026-01-01',
      lines: [
        'Your trial ends at 2026-01-01 00:00 UTC. After that its channels can neither send nor receive:',
        `- ${named}`,
        what,
        billing,
      ],
    });
  });

  test('says that it has none', () => {
    expect(trialEnding(trial, [], baseUrl).lines[1]).toBe('- no channel yet');
  });
});

describe('a licence that has ended', () => {
  const what =
    'What to do: subscribe, and the channels work again. They keep their settings and their history.';

  test('of a trial with one channel', () => {
    const trial = subscriptionOf({ source: 'trial', expiresAt: newYear });
    expect(licenceEnded(trial, [channel], baseUrl)).toEqual({
      subject: 'Your trial has ended: 1 channel has stopped',
      lines: [
        'Your trial has ended. It was valid until 2026-01-01 00:00 UTC. These channels can no longer send or receive:',
        `- ${named}`,
        what,
        billing,
      ],
    });
  });

  test('that was not paid, with two channels', () => {
    const paid = subscriptionOf({ source: 'billing_provider', expiresAt: newYear });
    const { subject, lines } = licenceEnded(paid, [channel, channel], baseUrl);
    expect(subject).toBe('Your subscription has ended: 2 channels have stopped');
    expect(lines[0]).toBe(
      'Your subscription has ended: its last period was not paid. It was valid until 2026-01-01 00:00 UTC. These channels can no longer send or receive:',
    );
  });

  test('that was canceled before its time', () => {
    const canceled = subscriptionOf({ source: 'billing_provider', status: 'canceled', expiresAt: newYear });
    const { subject, lines } = licenceEnded(canceled, [channel], baseUrl);
    expect(subject).toBe('Your subscription has ended: 1 channel has stopped');
    expect(lines[0]).toBe('Your subscription has ended. These channels can no longer send or receive:');
  });

  test('that had no end', () => {
    const enterprise = subscriptionOf({ source: 'enterprise', expiresAt: null });
    expect(licenceEnded(enterprise, [], baseUrl).lines.slice(0, 2)).toEqual([
      'Your licence has ended. These channels can no longer send or receive:',
      '- no channel yet',
    ]);
  });
});

describe('an endpoint', () => {
  const what = (lastResult: string): string[] =>
    webhookTrouble('webhook-warning', { ...failed, lastResult }).opening.slice(0, 2);
  const takesNothing = `The webhook endpoint (receiver.example:8443) of your channel ${named} has accepted no event since 2026-01-01 00:00 UTC.`;
  const letIn =
    'let our requests in: they are signed and carry no other credentials. Check what is in front of the endpoint (a login, a firewall).';

  test.each([
    [
      true,
      true,
      'they are signed and carry the headers that are set for the endpoint. Check those, and what',
    ],
    [false, true, 'they carry the headers that are set for the endpoint. Check those, and what'],
    [true, false, 'they are signed and carry no other credentials. Check what'],
    [false, false, 'they carry no credentials. Check what'],
  ])('that lets nobody in, signed: %s, with headers of its own: %s', (isSigned, hasOwnHeaders, words) => {
    const of = { ...failed.channel, webhookSecret: isSigned ? plainSealer.sealText('ours', '') : null };
    const advice = `let our requests in: ${words} is in front of the endpoint (a login, a firewall).`;
    const { opening } = webhookTrouble('webhook-warning', {
      ...failed,
      channel: of,
      hasOwnHeaders,
      lastResult: '401',
    });
    expect(opening[1]).toBe(`What to do: ${advice}`);
    const why = { since: newYear, lastFailure: '403', hasOwnHeaders, endpointId: 'e-1', baseUrl };
    const { lines } = endpointDisabled(of, why);
    expect(lines[1]).toContain(`What to do: ${advice} Then enable it again on its page`);
    expect(lines[2]).toBe(`Its page: ${baseUrl}/portal/channels/${of.id}/endpoints/e-1`);
  });

  const correct = 'correct the address: it does not accept POST requests.';

  test.each([
    ['401', letIn],
    ['403', letIn],
    ['404', correct],
    ['405', correct],
    ['410', correct],
    ['302', 'set the address that it redirects to: redirects are not followed.'],
    ['429', 'allow more requests: each event is one request.'],
    ['503', "check the endpoint's own log: our request reached it, and it answered with an error."],
  ])('that answered %s', (status, advice) => {
    expect(what(status)).toEqual([
      `${takesNothing} It answered with status ${status}.`,
      `What to do: ${advice}`,
    ]);
  });

  test.each([
    [
      'timeout',
      'it did not come within the time limit',
      'answer 2xx first and process the event afterwards.',
    ],
    [
      'connection',
      'no connection could be made, or the connection broke',
      'check that the endpoint runs, that its name resolves, and that it can be reached from the internet.',
    ],
    [
      'refused',
      'the connection was refused: nothing listens at its address',
      'start the endpoint, or correct the port.',
    ],
    [
      'reset',
      'the connection was closed before an answer',
      "check the endpoint's own log, and what is in front of it.",
    ],
    [
      'no_address',
      'its name has no public address',
      'check that the name resolves on the internet, and not to a private address.',
    ],
    ['no_tls', 'it answered without TLS', 'give the port of https, or set up TLS there.'],
    ['certificate_expired', 'its TLS certificate has expired', 'renew the certificate.'],
    [
      'certificate_name',
      'its TLS certificate is of another host name',
      'use a certificate for this host name.',
    ],
    [
      'certificate_chain',
      'its TLS certificate is not signed by an authority that we know, or an intermediate certificate is missing',
      'send the certificate with its whole chain.',
    ],
    [
      'tls',
      'its TLS certificate was not accepted',
      'check that the certificate is valid, is issued for this host name, and is sent with its whole chain.',
    ],
    ['protocol', 'the response was not valid HTTP', 'check which program answers at this address.'],
    ['loop', 'the address leads back to this service', 'set the address of your own program.'],
    ['secret', 'the webhook secret could not be read', 'set the webhook secret again.'],
    ['url', 'the address cannot be used', 'set another address.'],
    ['odd', 'odd', 'send a test event to the endpoint (on the page below).'],
    ['1302', '1302', 'send a test event to the endpoint (on the page below).'],
    ['3020', '3020', 'send a test event to the endpoint (on the page below).'],
  ])('that did not answer: %s', (word, said, advice) => {
    expect(what(word)).toEqual([
      `${takesNothing} There was no usable answer: ${said}.`,
      `What to do: ${advice}`,
    ]);
  });

  test.each([
    [null, ''],
    ['no address', ''],
    ['https://receiver.example/secret', ' (receiver.example)'],
  ])('at %j is shown as its host only', (webhookUrl, host) => {
    const { opening } = webhookTrouble('webhook-alert', { ...failed, channel: { ...channel, webhookUrl } });
    expect(opening[0]).toMatch(`The webhook endpoint${host} of your channel ${named} has accepted no event`);
  });

  test.each([
    [0, 'Their content is erased, so they cannot be sent again.'],
    [
      1,
      'You can send them again from the delivery log, which keeps their content for a day, as far as there is room.',
    ],
    [
      30,
      'You can send them again from the delivery log, which keeps their content for 30 days, as far as there is room.',
    ],
  ])('with failed events, and %d days to replay them', (failedRetentionDays, becomes) => {
    const { opening } = webhookTrouble('webhook-alert', {
      ...failed,
      channel: { ...channel, failedRetentionDays },
    });
    expect(opening.slice(2)).toEqual([
      `The events below failed permanently: they are not retried any more. ${becomes} Later events are still delivered as usual.`,
      `Endpoint and delivery log: ${page}`,
      '',
    ]);
  });

  test.each(['webhook-warning', 'webhook-alert'] as const)('of several has its own page: %s', (kind) => {
    const { opening } = webhookTrouble(kind, { ...failed, endpointId: 'e-1' });
    expect(opening[0]).toMatch(`An endpoint (receiver.example:8443) of your channel ${named} has accepted`);
    expect(opening[3]).toBe(`Endpoint and delivery log: ${page}/endpoints/e-1`);
  });

  test('of several that has recovered has its own page', () => {
    const of = { channel, endpointId: 'e-1', baseUrl };
    const { subject, lines } = webhookRecovered(of, { since: newYear, now: newYear });
    expect(subject).toBe('An endpoint of your chatapp channel "Support" works again');
    expect(lines[2]).toBe(`Delivery log: ${page}/endpoints/e-1`);
  });

  test('that has recovered', () => {
    const of = { channel, endpointId: null, baseUrl };
    expect(webhookRecovered(of, { since: newYear, now: newYear + 3_600_000 })).toEqual({
      subject: 'The webhook endpoint of your chatapp channel "Support" works again',
      lines: [
        `The webhook endpoint (receiver.example:8443) of your channel ${named} has accepted events again since 2026-01-01 01:00 UTC. It had failed since 2026-01-01 00:00 UTC.`,
        'What to do: nothing. Events that are still being retried arrive by themselves; events that failed permanently are in the delivery log.',
        `Delivery log: ${page}`,
      ],
    });
  });
});

describe('sends', () => {
  test('that could not be delivered', () => {
    const { subject, opening } = undelivered(channel, {
      messageId: 'm-1',
      error: 'No',
      at: newYear,
      baseUrl,
    });
    expect([subject, ...opening]).toEqual([
      'Messages that could not be delivered',
      'The messages below were accepted as "queued" but could not be delivered. The service does not try them again.',
      'What to do: read the reason at the end of each line. Send a message that still matters again, as a new message.',
      'A message with the reason "Upstream never confirmed the message" may have arrived nevertheless: check the conversation before you send it again.',
      'Your channels: https://trunkline.example/portal/channels',
      '',
    ]);
  });

  test('through a channel whose token is refused', () => {
    const said = { what: 'Token expired', code: 190, at: newYear, baseUrl };
    const { opening, line } = reconnectNeeded(channel, said);
    expect(opening).toEqual([
      `Since 2026-01-01 00:00 UTC nothing can be sent through your channel ${named}: the platform refuses its access token. Messages are still received.`,
      'Possible reasons: somebody changed a password or removed the permission, or the token has expired.',
      'What to do: connect the channel again. It keeps its id, its settings and its history.',
      `Connect it again: ${page}`,
      '',
    ]);
    expect(line).toBe('2026-01-01T00:00:00.000Z channel channel-1 (Support): Token expired (code 190)');
    expect(reconnectNeeded({ ...channel, name: null }, said).line).toBe(
      '2026-01-01T00:00:00.000Z channel channel-1 (chatapp): Token expired (code 190)',
    );
  });

  test('one mail for each token of a channel', () => {
    const said = { what: 'Token expired', code: 190, at: newYear, baseUrl };
    const [one, two] = ['a', 'b'].map((text) => plainSealer.sealText(text, 'test'));
    const ids = [null, one ?? null, two ?? null].map(
      (token) => reconnectNeeded({ ...channel, token }, said).id,
    );
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id.startsWith('reconnect:channel-1:'))).toBe(true);
    expect(ids[0]).toBe('reconnect:channel-1:0');
  });
});

test('a channel that can neither send nor receive', () => {
  const problem = { code: 'inactive', affects: ['send', 'receive', 'events'], detail: 'Connect it' } as const;
  expect(channelProblem(channel, problem, { now: newYear, baseUrl }).lines).toEqual([
    `A check of your channel ${named} at 2026-01-01 00:00 UTC found a problem. No message can be sent through the channel. No message is received through the channel. Received messages are not delivered to your webhook endpoint.`,
    'Problem: Connect it.',
    `Open the channel: ${page}`,
  ]);
});

describe('a mail', () => {
  test("has its link in the link's place", () => {
    expect(withLink(['Sign in:', '{link}', 'Bye {link}'], 'https://x.example')).toEqual([
      'Sign in:',
      'https://x.example',
      'Bye {link}',
    ]);
  });

  test('with all of its lines has no line about omitted ones', () => {
    expect(withRest(['one'], 0)).toEqual(['one']);
  });

  test('shows a name of eighty characters whole', () => {
    expect(oneLine('x'.repeat(80))).toBe('x'.repeat(80));
  });

  test('names a channel without a name by its id', () => {
    expect(writeName({ id: 'channel-1', name: null, channelType: 'chatapp' })).toBe(
      'chatapp channel channel-1',
    );
  });
});
