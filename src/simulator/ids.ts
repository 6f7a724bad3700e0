import { createHash, randomBytes } from 'node:crypto';

// Ids are unique across restarts, else a restarted simulator would issue ids that the service already knows.
const boot = randomBytes(4).toString('hex');
const photoFiller = createHash('sha512').update(boot).digest('base64url').repeat(2).slice(0, 120);
let counter = 0;

function next(): string {
  counter += 1;
  return boot + counter.toString(16).padStart(10, '0');
}

/** A chatapp message id: `wamid.` and base64, which contains the peer's digits as upstream's ids do. */
export function newWamid(peer: string): string {
  return `wamid.${Buffer.from(`\x1c\x18\x0d${peer}\x15\x02\x00\x11\x18\x12${next()}\x00`, 'latin1').toString('base64')}`;
}

/** A pagechat message id. */
export function newPageMid(): string {
  return `m_${Buffer.from(next(), 'latin1').toString('base64url')}${photoFiller.slice(0, 40)}`;
}

/** A photoapp message id: long and base64-like (150–250 characters). */
export function newPhotoMid(): string {
  return `aWdfZAG1faXRlbTo${Buffer.from(next(), 'latin1').toString('base64url')}${photoFiller}`;
}

/** Digits of the given length that start with the prefix; every call returns another number. */
export function newDigits(prefix: string, length: number): string {
  counter += 1;
  return prefix + String(counter).padStart(length - prefix.length, '0');
}

/** A time (ms) as nodes show it: `2026-09-01T08:00:00+0000`. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, '+0000');
}

/** Unguessable text: tokens (`EAA…`), dialog codes (`AQB…`), signatures of links. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(24).toString('base64url');
}

/** `fbtrace_id` and the request headers: they must differ but are not secret, so a counter is enough on the hot path. */
export function newTrace(): string {
  return `A${next()}`;
}
