import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { systemClock } from '../../kernel/clock.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import { asError } from '../../kernel/faults.ts';
import { asRecord, textIn } from '../../kernel/json.ts';

const timeoutMs = 5_000;
/** Missed events come in bursts, and their receiver is a program on a developer's machine. */
const atOnce = 8;

export interface Forwarder {
  /**
   * Posts one event with the headers of its delivery, in the order of the calls, a few at a time. Resolves with the line to print; never
   * rejects.
   */
  forward(envelope: unknown, delivery: unknown): Promise<string>;
}

/**
 * Posts the feed's events to a developer's own URL: with the same bytes, id and signature as the channel's delivery. The service signs; the
 * secret is not known here.
 */
export function makeForwarder(url: string): Forwarder {
  const places = new Semaphore(atOnce, Infinity);
  return {
    async forward(envelope, delivery) {
      const event = readEvent(envelope);
      if (event === null) return 'received something that is not an event: not forwarded';
      await places.take();
      const startedAt = systemClock.monotonic();
      const answer = await post(url, JSON.stringify(envelope), makeHeaders(delivery)).finally(() =>
        places.free(),
      );
      const tookMs = Math.round(systemClock.monotonic() - startedAt);
      return `${event.name} ${event.channelId} → ${answer} (${tookMs} ms)`;
    },
  };
}

function post(url: string, body: string, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? requestTls : request;
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = send(url, { method: 'POST', headers, signal, agent: false }, (response) => {
      const status = response.statusCode ?? 0;
      response.resume();
      resolve(status >= 200 && status < 300 ? String(status) : `failed with status ${status}`);
    });
    sent.on('error', (error) => resolve(signal.aborted ? 'timeout' : asError(error).message || 'connection'));
    sent.end(body);
  });
}

/** [spec: Authentication 7, 8] Without a secret there is no signature; an earlier version of the service makes only the first. */
function makeHeaders(delivery: unknown): Record<string, string> {
  const id = textIn(delivery, 'webhook_id') ?? '';
  const signedAt = asRecord(delivery)?.['webhook_timestamp'];
  const now = String(Math.floor(systemClock.wall() / 1_000));
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Trunkline/1',
    'X-Webhook-Id': id,
    'X-Webhook-Attempt': '1',
    'X-Webhook-Timestamp': now,
    'webhook-id': id,
    'webhook-timestamp': typeof signedAt === 'number' ? String(signedAt) : now,
  };
  const signature = textIn(delivery, 'signature');
  if (signature !== null) headers['X-Webhook-Signature'] = signature;
  const ofParts = textIn(delivery, 'webhook_signature');
  if (ofParts !== null) headers['webhook-signature'] = ofParts;
  return headers;
}

function readEvent(envelope: unknown): { name: string; channelId: string } | null {
  const name = textIn(envelope, 'event');
  const channelId = textIn(envelope, 'channel_id');
  return name === null || channelId === null ? null : { name, channelId };
}
