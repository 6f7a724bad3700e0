/** Mails about a failing webhook endpoint: its answers, since when, and advice. [spec: Warning e-mail, Alert e-mail] */
import type { Channel } from '../channels/channel.ts';
import { endpointPath } from '../portal-paths.ts';
import { hostIn } from '../url.ts';
import { channelPage, writeChannel, writeMoment, writeName } from './letter.ts';
import type { Letter } from './letter.ts';

type WebhookTrouble = 'webhook-warning' | 'webhook-alert';

interface FailedDelivery {
  /** With the address and the secret of the endpoint. */
  channel: Channel;
  /** null: it is for the channel's own webhook. */
  endpointId: string | null;
  /** The endpoint has headers of its own. */
  hasOwnHeaders?: boolean;
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

/** Mail about an endpoint that fails: the warning, or the alert once an event is given up. */
export function webhookTrouble(kind: WebhookTrouble, failed: FailedDelivery): MailItem {
  const { channel, hasOwnHeaders, since, event, messageId, attempts, lastResult, at, triedForMs } = failed;
  const isWarning = kind === 'webhook-warning';
  return {
    subject: isWarning
      ? `${nameEndpoint(failed)} of your ${writeChannel(channel)} is failing`
      : `Events of your ${writeChannel(channel)} could not be delivered`,
    opening: [
      `${nameEndpoint(failed)}${writeHost(channel.webhookUrl)} of your channel ${writeName(channel)} has accepted no event since ${writeMoment(since)}. ${answered(lastResult)}`,
      `What to do: ${adviceFor(lastResult, { channel, hasOwnHeaders })}`,
      isWarning
        ? `Each event is retried for about ${writeSpan(triedForMs)} and then fails permanently. You get another e-mail if that happens, and one when the endpoint works again.`
        : `The events below failed permanently: they are not retried any more. ${writeWhatBecomes(channel)} Later events are still delivered as usual.`,
      `Endpoint and delivery log: ${pageOf(failed)}`,
      '',
    ],
    line:
      `${new Date(at).toISOString()} channel ${channel.id} event ${event} message ${messageId}: ` +
      `attempt ${attempts} failed (${lastResult})${isWarning ? '' : '; no more attempts'}`,
  };
}

/** The channel's own webhook, or one of its further endpoints. */
type OfChannel = Pick<FailedDelivery, 'channel' | 'endpointId' | 'baseUrl'>;

function nameEndpoint({ endpointId }: Pick<OfChannel, 'endpointId'>): string {
  return endpointId === null ? 'The webhook endpoint' : 'An endpoint';
}

function pageOf({ channel, endpointId, baseUrl }: OfChannel): string {
  return endpointId === null
    ? channelPage(baseUrl, channel.id)
    : `${baseUrl}${endpointPath(channel.id, endpointId)}`;
}

function writeSpan(ms: number): string {
  const [count, unit] =
    ms < 120_000 ? [Math.max(1, Math.round(ms / 1_000)), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** [operator-interface §4: content of given-up events] */
function writeWhatBecomes({ isActive, failedRetentionDays: days }: Channel): string {
  if (!isActive || days === 0) return 'Their content is erased, so they cannot be sent again.';
  return `You can send them again from the delivery log, which keeps their content for ${days === 1 ? 'a day' : `${days} days`}, as far as there is room.`;
}

export function webhookRecovered(of: OfChannel, { since, now }: { since: number; now: number }): Letter {
  const { channel } = of;
  return {
    subject: `${nameEndpoint(of)} of your ${writeChannel(channel)} works again`,
    lines: [
      `${nameEndpoint(of)}${writeHost(channel.webhookUrl)} of your channel ${writeName(channel)} has accepted events again since ${writeMoment(now)}. It had failed since ${writeMoment(since)}.`,
      'What to do: nothing. Events that are still being retried arrive by themselves; events that failed permanently are in the delivery log.',
      `Delivery log: ${pageOf(of)}`,
    ],
  };
}

interface DisabledEndpoint {
  since: number;
  lastFailure: string | null;
  hasOwnHeaders: boolean;
  endpointId: string;
  baseUrl: string;
}

/** Of a further endpoint, whose address and secret the channel has in place of its own. */
export function endpointDisabled(
  channel: Channel,
  { since, lastFailure, hasOwnHeaders, endpointId, baseUrl }: DisabledEndpoint,
): Letter {
  const name = writeName(channel);
  return {
    subject: `An endpoint of your ${writeChannel(channel)} was disabled`,
    lines: [
      `The endpoint${writeHost(channel.webhookUrl)} of your channel ${name} has accepted no event since ${writeMoment(since)}. It gets no more events; the other endpoints of the channel do.${lastFailure === null ? '' : ` ${answered(lastFailure)}`}`,
      `What to do: ${lastFailure === null ? '' : `${adviceFor(lastFailure, { channel, hasOwnHeaders })} Then `}enable it again on its page, or with PATCH and is_enabled. Events from before are not sent to it.`,
      `Its page: ${pageOf({ channel, endpointId, baseUrl })}`,
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
  return `There was no usable answer: ${words.get(result)?.said ?? result}.`;
}

const words = new Map([
  [
    'timeout',
    {
      said: 'it did not come within the time limit',
      advice: 'answer 2xx first and process the event afterwards.',
    },
  ],
  [
    'connection',
    {
      said: 'no connection could be made, or the connection broke',
      advice:
        'check that the endpoint runs, that its name resolves, and that it can be reached from the internet.',
    },
  ],
  [
    'refused',
    {
      said: 'the connection was refused: nothing listens at its address',
      advice: 'start the endpoint, or correct the port.',
    },
  ],
  [
    'reset',
    {
      said: 'the connection was closed before an answer',
      advice: "check the endpoint's own log, and what is in front of it.",
    },
  ],
  [
    'no_address',
    {
      said: 'its name has no public address',
      advice: 'check that the name resolves on the internet, and not to a private address.',
    },
  ],
  ['no_tls', { said: 'it answered without TLS', advice: 'give the port of https, or set up TLS there.' }],
  ['certificate_expired', { said: 'its TLS certificate has expired', advice: 'renew the certificate.' }],
  [
    'certificate_name',
    { said: 'its TLS certificate is of another host name', advice: 'use a certificate for this host name.' },
  ],
  [
    'certificate_chain',
    {
      said: 'its TLS certificate is not signed by an authority that we know, or an intermediate certificate is missing',
      advice: 'send the certificate with its whole chain.',
    },
  ],
  [
    'tls',
    {
      said: 'its TLS certificate was not accepted',
      advice:
        'check that the certificate is valid, is issued for this host name, and is sent with its whole chain.',
    },
  ],
  [
    'protocol',
    { said: 'the response was not valid HTTP', advice: 'check which program answers at this address.' },
  ],
  [
    'loop',
    { said: 'the address leads back to this service', advice: 'set the address of your own program.' },
  ],
  ['secret', { said: 'the webhook secret could not be read', advice: 'set the webhook secret again.' }],
  ['url', { said: 'the address cannot be used', advice: 'set another address.' }],
]);

type Sent = Pick<FailedDelivery, 'channel' | 'hasOwnHeaders'>;

function adviceFor(result: string, sent: Sent): string {
  if (['401', '403'].includes(result)) return letIn(sent);
  if (['404', '405', '410'].includes(result)) return 'correct the address: it does not accept POST requests.';
  if (/^3\d\d$/.test(result)) return 'set the address that it redirects to: redirects are not followed.';
  if (result === '429') return 'allow more requests: each event is one request.';
  if (isStatus.test(result))
    return "check the endpoint's own log: our request reached it, and it answered with an error.";
  return words.get(result)?.advice ?? 'send a test event to the endpoint (on the page below).';
}

function letIn({ channel: { webhookSecret }, hasOwnHeaders = false }: Sent): string {
  const isSigned = webhookSecret !== null;
  const front = 'what is in front of the endpoint (a login, a firewall).';
  if (hasOwnHeaders)
    return `let our requests in: they ${isSigned ? 'are signed and ' : ''}carry the headers that are set for the endpoint. Check those, and ${front}`;
  return `let our requests in: they ${isSigned ? 'are signed and carry no other' : 'carry no'} credentials. Check ${front}`;
}
