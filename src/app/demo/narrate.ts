import { createHmac, timingSafeEqual } from 'node:crypto';
import { crmPath } from './receiver.ts';
import type { Arrival } from './receiver.ts';

const time = (): string => new Date().toISOString().slice(11, 23);

/** Prints one readable line for each event. */
export const narrate = {
  /** `secrets`: of channels by their id, of a further endpoint by its path. */
  webhook({ path, body, headers, answered }: Arrival, secrets: ReadonlyMap<string, string>): void {
    const event: Record<string, unknown> = JSON.parse(body.toString());
    const secret = secrets.get(path) ?? secrets.get(String(event['channel_id']));
    const signed = signatureWords(body, headers, secret);
    const attempt = String(headers['x-webhook-attempt'] ?? '1');
    line(
      `${path === crmPath ? 'endpoint' : 'webhook '} ${word(event, 'channel_type')}  ${word(event, 'event')}  attempt ${attempt}, ${signed}, answered ${answered}`,
    );
    process.stdout.write(`              ${JSON.stringify(event['data'])}\n`);
  },
  serviceLine(text: string): void {
    const entry = parsed(text);
    if (entry === null) return;
    if (entry['msg'] === 'delivery.attempted' && entry['retryInMs'] !== null) {
      line(
        `service  webhook attempt ${word(entry, 'attempt')} failed (${word(entry, 'result')}); next in ${word(entry, 'retryInMs')} ms`,
      );
    } else if (entry['level'] === 'error' || entry['level'] === 'warn') {
      line(`service  ${word(entry, 'level')}: ${word(entry, 'msg')}`);
    }
  },
};

function word(fields: Record<string, unknown>, name: string): string {
  const value = fields[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function line(text: string): void {
  process.stdout.write(`${time()}  ${text}\n`);
}

/**
 * The signature check in words. The secret of a channel that was connected in the portal is known only there. After a rotation the old
 * secret signs too, for a day.
 */
function signatureWords(body: Buffer, headers: Arrival['headers'], secret: string | undefined): string {
  if (secret === undefined) return 'signature not checked';
  if (isSigned(body, headers['x-webhook-signature'], secret)) return 'signature ok';
  return isSigned(body, headers['x-webhook-signature-previous'], secret)
    ? 'signature with the previous secret ok'
    : 'BAD SIGNATURE';
}

function isSigned(body: Buffer, signature: string | string[] | undefined, secret: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
  const given = Buffer.from(String(signature ?? ''));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
