/** What a mail says, whole. [spec: Warning e-mail, Alert e-mail; operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import { oneLine, withLink, withRest, writeName } from '../../src/domain/mails/letter.ts';
import { channelProblem } from '../../src/domain/mails/channels.ts';
import { licenceEnded, trialEnding } from '../../src/domain/mails/licences.ts';
import { reconnectMailId, reconnectNeeded, undelivered } from '../../src/domain/mails/sends.ts';
import { webhookRecovered, webhookTrouble } from '../../src/domain/mails/webhooks.ts';
import { plainSealer } from '../actors/support/plain-sealer.ts';
import { channelOf, newYear, subscriptionOf } from './samples.ts';

const baseUrl = 'https://trunkline.example';
const channel = channelOf('chatapp', {
  id: 'channel-1',
  name: 'Support',
  webhookUrl: 'https://receiver.example:8443/hooks?token=secret',
});
const named = '"Support" (chatapp)';
const page = 'https://trunkline.example/portal/channels/channel-1';
const billing = 'Subscriptions: https://trunkline.example/portal/billing';
const failed = {
  channel,
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
    'What to do: subscribe before that, and they go on without a break. If you do not, nothing is deleted: a subscription brings them back later.';

  test('names its channels', () => {
    expect(trialEnding(trial, [channel], baseUrl)).toEqual({
      subject: 'Your trial ends on 2026-01-01',
      lines: [
        'Your trial ends at 2026-01-01 00:00 UTC. From then on its channels neither send nor receive:',
        `- ${named}`,
        what,
        billing,
      ],
    });
  });

  test('says where it has none', () => {
    expect(trialEnding(trial, [], baseUrl).lines[1]).toBe('- none yet');
  });
});

describe('a licence that has ended', () => {
  const what = 'What to do: subscribe, and they go on. They keep their settings and their history.';

  test('of a trial with one channel', () => {
    const trial = subscriptionOf({ source: 'trial', expiresAt: newYear });
    expect(licenceEnded(trial, [channel], baseUrl)).toEqual({
      subject: 'Your trial has ended: 1 channel has stopped',
      lines: [
        'Your trial has ended. It was valid until 2026-01-01 00:00 UTC. These channels neither send nor receive any more:',
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
      'Your subscription has ended: its last period was not paid. It was valid until 2026-01-01 00:00 UTC. These channels neither send nor receive any more:',
    );
  });

  test('that was canceled before its time', () => {
    const canceled = subscriptionOf({ source: 'billing_provider', status: 'canceled', expiresAt: newYear });
    const { subject, lines } = licenceEnded(canceled, [channel], baseUrl);
    expect(subject).toBe('Your subscription has ended: 1 channel has stopped');
    expect(lines[0]).toBe('Your subscription has ended. These channels neither send nor receive any more:');
  });

  test('that had no end', () => {
    const enterprise = subscriptionOf({ source: 'enterprise', expiresAt: null });
    expect(licenceEnded(enterprise, [], baseUrl).lines.slice(0, 2)).toEqual([
      'Your licence has ended. These channels neither send nor receive any more:',
      '- none yet',
    ]);
  });
});

describe('an endpoint', () => {
  const what = (lastResult: string): string[] =>
    webhookTrouble('webhook-warning', { ...failed, lastResult }).opening.slice(0, 2);
  const takesNothing = `The webhook endpoint (receiver.example:8443) of your channel ${named} has taken no event since 2026-01-01 00:00 UTC.`;
  const letIn =
    'let our requests in: they are signed, they carry no other credentials. Look at what stands in front of it (a login, a firewall).';
  const correct = 'correct the address: it takes no POST.';

  test.each([
    ['401', letIn],
    ['403', letIn],
    ['404', correct],
    ['405', correct],
    ['410', correct],
    ['302', 'give the address that it redirects to: redirects are not followed.'],
    ['429', 'let more requests through: every event is one.'],
    ['503', "look at the endpoint's own log: it was reached, and it answered with an error."],
  ])('that answered %s', (status, advice) => {
    expect(what(status)).toEqual([
      `${takesNothing} It answered with status ${status}.`,
      `What to do: ${advice}`,
    ]);
  });

  test.each([
    ['timeout', 'it took longer than it may', 'answer 2xx first, and do the work afterwards.'],
    [
      'connection',
      'no connection could be made, or it broke off',
      'see whether it runs, whether its name resolves, and whether it can be reached from the internet.',
    ],
    [
      'tls',
      'its TLS certificate was not accepted',
      'see whether its certificate is valid, of this very name, and sent with its whole chain.',
    ],
    ['protocol', 'what came back is no HTTP answer', 'see what answers at this address.'],
    ['loop', 'it leads back to this service', 'give the address of your own program.'],
    ['secret', 'the webhook secret could not be read', 'set the webhook secret anew.'],
    ['url', 'the address can not be used', 'set another address.'],
    ['odd', 'odd', 'see whether the endpoint takes a test event (on the page below).'],
    ['1302', '1302', 'see whether the endpoint takes a test event (on the page below).'],
    ['3020', '3020', 'see whether the endpoint takes a test event (on the page below).'],
  ])('that did not answer: %s', (word, said, advice) => {
    expect(what(word)).toEqual([`${takesNothing} There was no answer: ${said}.`, `What to do: ${advice}`]);
  });

  test.each([
    [null, ''],
    ['no address', ''],
    ['https://receiver.example/secret', ' (receiver.example)'],
  ])('at %j is named by its host alone', (webhookUrl, host) => {
    const { opening } = webhookTrouble('webhook-alert', { ...failed, channel: { ...channel, webhookUrl } });
    expect(opening[0]).toMatch(`The webhook endpoint${host} of your channel ${named} has taken no event`);
  });

  test.each([
    [0, 'will not come again; what they carried is erased.'],
    [1, 'come again only if you ask for it: the delivery log keeps them for a day, as far as there is room.'],
    [
      30,
      'come again only if you ask for it: the delivery log keeps them for 30 days, as far as there is room.',
    ],
  ])('whose events were given up, with %d days to ask for them', (failedRetentionDays, becomes) => {
    const { opening } = webhookTrouble('webhook-alert', {
      ...failed,
      channel: { ...channel, failedRetentionDays },
    });
    expect(opening.slice(2)).toEqual([
      `The events below were tried for the last time and ${becomes} Later ones are still tried.`,
      `Endpoint and delivery log: ${page}`,
      '',
    ]);
  });

  test('that works again', () => {
    expect(webhookRecovered(channel, { since: newYear, now: newYear + 3_600_000, baseUrl })).toEqual({
      subject: `The webhook endpoint of ${named} works again`,
      lines: [
        `The webhook endpoint (receiver.example:8443) of your channel ${named} takes events again, since 2026-01-01 01:00 UTC. It had failed since 2026-01-01 00:00 UTC.`,
        'What to do: nothing. Events that are not given up arrive by themselves; those that were given up stand in the delivery log.',
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
      'The messages below were accepted as "queued" and could not be delivered. They will not be tried again.',
      'What to do: the reason stands behind each. Send those that still matter again, as new messages.',
      'One that "Upstream never confirmed" may have arrived all the same: look into the conversation before you send it again.',
      'Your channels: https://trunkline.example/portal/channels',
      '',
    ]);
  });

  test('through a channel whose token is refused', () => {
    const said = { what: 'Token expired', code: 190, at: newYear, baseUrl };
    const { opening, line } = reconnectNeeded(channel, said);
    expect(opening).toEqual([
      `Since 2026-01-01 00:00 UTC nothing can be sent through your channel ${named}: the platform refuses its access token. Messages still come in.`,
      'Why: somebody changed their password, removed the permission, or the token has run out.',
      'What to do: connect the channel again. It keeps its id, its settings and its history.',
      `Connect it: ${page}`,
      '',
    ]);
    expect(line).toBe('2026-01-01T00:00:00.000Z channel channel-1 (Support): Token expired (code 190)');
    expect(reconnectNeeded({ ...channel, name: null }, said).line).toBe(
      '2026-01-01T00:00:00.000Z channel channel-1 (chatapp): Token expired (code 190)',
    );
  });

  test('one mail for each token of a channel', () => {
    const [one, two] = ['a', 'b'].map((text) => plainSealer.sealText(text, 'test'));
    const ids = [null, one ?? null, two ?? null].map((token) => reconnectMailId({ ...channel, token }));
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id.startsWith('reconnect:channel-1:'))).toBe(true);
    expect(ids[0]).toBe('reconnect:channel-1:0');
  });
});

test('a channel that neither sends nor receives', () => {
  const problem = { code: 'inactive', affects: ['send', 'receive', 'events'], detail: 'Connect it' } as const;
  expect(channelProblem(channel, problem, { now: newYear, baseUrl }).lines).toEqual([
    `Your channel ${named}, seen at 2026-01-01 00:00 UTC: Nothing can be sent through it. Nothing comes in through it. What comes in does not reach your endpoint.`,
    'What to do: Connect it.',
    `The channel: ${page}`,
  ]);
});

describe('a mail', () => {
  test('has its link where the link’s line stands', () => {
    expect(withLink(['Sign in:', '{link}', 'Bye {link}'], 'https://x.example')).toEqual([
      'Sign in:',
      'https://x.example',
      'Bye {link}',
    ]);
  });

  test('of which nothing was left out has no line more', () => {
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
