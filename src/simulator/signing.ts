import { createHmac } from 'node:crypto';
import type { Settings, SignatureKind } from './settings.ts';
import { entriesOf } from './webhook-shape.ts';
import type { WebhookEvent } from './webhook-event.ts';

/**
 * The body of a webhook POST: entries in the order of the events, non-ASCII as lowercase `\uXXXX`, `/` as `\/` if switched on [upstream
 * protocol 1.5], template ids as JSON numbers of any length [upstream protocol 4.5].
 */
export function envelopeText(
  events: readonly WebhookEvent[],
  settings: Pick<Settings, 'escape_slashes' | 'seconds' | 'batch_shape'>,
): string {
  const [first] = events;
  const entry = entriesOf(events, settings.batch_shape, settings.seconds);
  const text = JSON.stringify({ object: first?.object, entry });
  const numbered = events.some((event) => event.kind === 'template') ? unquoteTemplateIds(text) : text;
  const ascii = escapeNonAscii(numbered);
  return settings.escape_slashes && ascii.includes('/') ? ascii.replaceAll('/', '\\/') : ascii;
}

/** Escapes non-ASCII characters as lowercase `\uXXXX`, one per UTF-16 unit; plain ASCII is returned unchanged. */
export function escapeNonAscii(text: string): string {
  if (!/[^\x20-\x7e]/.test(text)) return text;
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

// A JavaScript number would round ids above 2^53, so they are text until here.
function unquoteTemplateIds(text: string): string {
  return text.replace(/"message_template_id":"(\d+)"/g, '"message_template_id":$1');
}

const header = 'X-Hub-Signature-256';
const legacyHeader = 'X-Hub-Signature';

/** Headers of a webhook POST, spelled as upstream spells them, with a correct signature or the requested wrong one. */
export function signatureHeaders(
  body: string,
  kind: SignatureKind,
  secret: string,
): Record<string, string | string[]> {
  const hmac = (algorithm: 'sha1' | 'sha256', key: string): string =>
    createHmac(algorithm, key).update(body).digest('hex');
  const right = (): string => `sha256=${hmac('sha256', secret)}`;
  const spoilt: Readonly<Record<SignatureKind, () => Record<string, string | string[]>>> = {
    // Upstream also sends the legacy header [upstream protocol 1.5].
    good: () => ({ [header]: right(), [legacyHeader]: `sha1=${hmac('sha1', secret)}` }),
    wrong: () => ({ [header]: `sha256=${'0'.repeat(64)}`, [legacyHeader]: `sha1=${'0'.repeat(40)}` }),
    none: () => ({}),
    short: () => ({ [header]: right().slice(0, 40) }),
    uppercase: () => ({ [header]: `sha256=${hmac('sha256', secret).toUpperCase()}` }),
    sha1_only: () => ({ [legacyHeader]: `sha1=${hmac('sha1', secret)}` }),
    other_app: () => ({ [header]: `sha256=${hmac('sha256', `${secret}-of-another-app`)}` }),
    twice: () => ({ [header]: [right(), right()] }),
  };
  return { 'Content-Type': 'application/json', 'User-Agent': 'facebookexternalua', ...spoilt[kind]() };
}
