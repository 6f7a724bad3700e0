/**
 * Registration of a number at upstream, which a number needs before it sends. Upstream allows ten calls per number in 72 hours, then blocks
 * the number for 72 hours; each wrong PIN brings that nearer. So tries are counted, and the wait depends on what upstream said.
 * [upstream §2.4]
 */
import { dayMs, hourMs, minuteMs } from '../../kernel/clock.ts';

/** What keeps a number from being registered. */
export type RegistrationHurdle = keyof typeof hurdles;

/** `waitsMs`: until the next try, by the number of tries in the window; the last one repeats. */
const hurdles = {
  not_verified: {
    detail:
      'The number is not verified: add and verify a number in WhatsApp Manager; the service then registers it by itself',
    waitsMs: [10 * minuteMs, hourMs],
  },
  name_pending: {
    detail:
      "Upstream is still processing the number's display name, which takes minutes to days; the service registers the number by itself afterwards. If it lasts, look at the name in WhatsApp Manager",
    waitsMs: [10 * minuteMs, 30 * minuteMs, 2 * hourMs, 6 * hourMs, 12 * hourMs, dayMs],
  },
  wrong_pin: {
    detail:
      'The number has a two-step verification PIN that the service does not know: switch two-step verification off in WhatsApp Manager, then connect the channel again, or wait: the service tries again rarely',
    waitsMs: [dayMs, 3 * dayMs],
  },
  too_many_pins: {
    detail:
      'Upstream has received too many wrong PINs for the number: switch two-step verification off in WhatsApp Manager; the service tries again in three days',
    waitsMs: [3 * dayMs],
  },
  pins_too_fast: {
    detail:
      'Upstream has received wrong PINs for the number too quickly: switch two-step verification off in WhatsApp Manager; the service tries again in a day',
    waitsMs: [dayMs],
  },
  deleted_recently: {
    detail: 'The number was deleted at upstream a moment ago; the service tries again after five minutes',
    waitsMs: [6 * minuteMs, 15 * minuteMs, hourMs],
  },
  limited: {
    detail:
      'The number was registered too often, so upstream registers it again only after 72 hours; the service tries again then',
    waitsMs: [3 * dayMs],
  },
  unanswered: {
    detail: 'Upstream has not registered the number yet; the service tries again by itself',
    waitsMs: [2 * minuteMs, 10 * minuteMs, hourMs, 6 * hourMs, dayMs],
  },
} as const satisfies Record<string, { detail: string; waitsMs: readonly [number, ...number[]] }>;

/** The sentence before a first try has ended. */
export const beingRegistered =
  'The service is registering the number at upstream; if that does not end now, it is tried again within minutes';

/** The sentence for the channel's health, without a full stop. `words`: what upstream said, where that is all there is. */
export function explainHurdle(hurdle: RegistrationHurdle, words: string | null): string {
  const { detail } = hurdles[hurdle];
  return words === null ? detail : `${detail} (${words})`;
}

/** `tries`: calls in the window, this one included. */
export function waitAfter(hurdle: RegistrationHurdle, tries: number): number {
  const { waitsMs } = hurdles[hurdle];
  return waitsMs[Math.max(0, Math.min(tries, waitsMs.length) - 1)] ?? waitsMs[0];
}

/** Upstream allows ten; two are left to people. */
const maxTries = 8;
const windowMs = 3 * dayMs;
/** Two nodes, or two exchanges at once, make one call. */
export const gapMs = minuteMs;

/** Times of the calls that still count. */
export function triesWithin(tries: readonly number[] | null, now: number): number[] {
  return (tries ?? []).filter((at) => now - at < windowMs);
}

/** When the next call is allowed; null: now. */
export function allowedAt(tries: readonly number[] | null, now: number): number | null {
  const counted = triesWithin(tries, now);
  const [oldest] = counted.slice(-maxTries);
  const last = counted.at(-1);
  if (counted.length >= maxTries && oldest !== undefined) return oldest + windowMs;
  return last !== undefined && Math.abs(now - last) < gapMs ? last + gapMs : null;
}
