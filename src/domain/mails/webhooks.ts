/** Mails about a failing webhook endpoint: its answers, since when, and advice. [spec: Warning e-mail, Alert e-mail] */
import type { Channel } from '../channels/channel.ts';
import { hostIn } from '../urls/parse-url.ts';
import { channelPage, writeMoment, writeName } from './letter.ts';
import type { Letter } from './letter.ts';

type WebhookTrouble = 'webhook-warning' | 'webhook-alert';

interface FailedDelivery {
  channel: Channel;
  /** Start of the first failed attempt after the last success. */
  since: number;
  event: string;
  messageId: string;
  attempts: number;
  /** As in the delivery log: a status, or a word for the reason if there was none. */
  lastResult: string;
  at: number;
  /** Time for which an event is retried. */
  triedForMs: number;
  baseUrl: string;
}

/** Opening of a digest mail, and the line for this event. */
export interface MailItem {
  subject: string;
  opening: string[];
  line: string;
}

export function webhookTrouble(kind: WebhookTrouble, failed: FailedDelivery): MailItem {
  const { channel, since, event, messageId, attempts, lastResult, at, triedForMs, baseUrl } = failed;
  const isWarning = kind === 'webhook-warning';
  const name = writeName(channel);
  const endpoint = writeHost(channel.webhookUrl);
  return {
    subject: isWarning ? `The webhook endpoint of ${name} is failing` : `Events of ${name} were given up`,
    opening: [
      `The webhook endpoint${endpoint} of your channel ${name} has taken no event since ${writeMoment(since)}. ${answered(lastResult)}`,
      `What to do: ${adviceFor(lastResult)}`,
      isWarning
        ? `Each event is tried again for about ${writeSpan(triedForMs)}, then given up; you get another mail then, and one when the endpoint works again.`
        : `The events below were tried for the last time and ${writeWhatBecomes(channel)} Later ones are still tried.`,
      `Endpoint and delivery log: ${channelPage(baseUrl, channel.id)}`,
      '',
    ],
    line:
      `${new Date(at).toISOString()} channel ${channel.id} event ${event} message ${messageId}: ` +
      `attempt ${attempts} failed (${lastResult})${isWarning ? '' : '; no more attempts'}`,
  };
}

function writeSpan(ms: number): string {
  const [count, unit] =
    ms < 120_000 ? [Math.max(1, Math.round(ms / 1_000)), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** [operator-interface §4: content of given-up events] */
function writeWhatBecomes({ isActive, failedRetentionDays: days }: Channel): string {
  if (!isActive || days === 0) return 'will not come again; what they carried is erased.';
  return `come again only if you ask for it: the delivery log keeps them for ${days === 1 ? 'a day' : `${days} days`}, as far as there is room.`;
}

export function webhookRecovered(
  channel: Channel,
  { since, now, baseUrl }: { since: number; now: number; baseUrl: string },
): Letter {
  const name = writeName(channel);
  return {
    subject: `The webhook endpoint of ${name} works again`,
    lines: [
      `The webhook endpoint${writeHost(channel.webhookUrl)} of your channel ${name} takes events again, since ${writeMoment(now)}. It had failed since ${writeMoment(since)}.`,
      'What to do: nothing. Events that are not given up arrive by themselves; those that were given up stand in the delivery log.',
      `Delivery log: ${channelPage(baseUrl, channel.id)}`,
    ],
  };
}

function writeHost(url: string | null): string {
  const host = hostIn(url);
  return host === null ? '' : ` (${host})`;
}

const isStatus = /^[1-5]\d\d$/;

function answered(result: string): string {
  if (isStatus.test(result)) return `It answered with status ${result}.`;
  return `There was no answer: ${words.get(result)?.said ?? result}.`;
}

const words = new Map([
  [
    'timeout',
    {
      said: 'it took longer than it may',
      advice: 'answer 2xx first, and do the work afterwards.',
    },
  ],
  [
    'connection',
    {
      said: 'no connection could be made, or it broke off',
      advice:
        'see whether it runs, whether its name resolves, and whether it can be reached from the internet.',
    },
  ],
  [
    'tls',
    {
      said: 'its TLS certificate was not accepted',
      advice: 'see whether its certificate is valid, of this very name, and sent with its whole chain.',
    },
  ],
  ['protocol', { said: 'what came back is no HTTP answer', advice: 'see what answers at this address.' }],
  ['loop', { said: 'it leads back to this service', advice: 'give the address of your own program.' }],
  ['secret', { said: 'the webhook secret could not be read', advice: 'set the webhook secret anew.' }],
  ['url', { said: 'the address can not be used', advice: 'set another address.' }],
]);

function adviceFor(result: string): string {
  if (['401', '403'].includes(result))
    return 'let our requests in: they are signed, they carry no other credentials. Look at what stands in front of it (a login, a firewall).';
  if (['404', '405', '410'].includes(result)) return 'correct the address: it takes no POST.';
  if (/^3\d\d$/.test(result)) return 'give the address that it redirects to: redirects are not followed.';
  if (result === '429') return 'let more requests through: every event is one.';
  if (isStatus.test(result))
    return "look at the endpoint's own log: it was reached, and it answered with an error.";
  return words.get(result)?.advice ?? 'see whether the endpoint takes a test event (on the page below).';
}
