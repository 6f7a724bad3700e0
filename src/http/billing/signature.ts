import { signedWithinSeconds } from '../../domain/licences/billing.ts';

const maxHeader = 1_000;

/**
 * Whether a `Stripe-Signature` may be right: one `t=` no older than 300 s, and a `v1=`. What may not is refused before a byte
 * of its body is read. [operator-interface §3, Billing; faults: 92]
 */
export function mayBeSignature(header: string | string[] | undefined, now: number): header is string {
  if (typeof header !== 'string' || header.length > maxHeader) return false;
  const items = header.split(',');
  const times = items.filter((item) => item.startsWith('t='));
  const [time = ''] = times;
  if (times.length !== 1 || !/^t=\d{1,12}$/.test(time)) return false;
  const ageSeconds = Math.floor(now / 1_000) - Number(time.slice(2));
  return ageSeconds <= signedWithinSeconds && items.some((item) => /^v1=[0-9a-f]{64}$/.test(item));
}
