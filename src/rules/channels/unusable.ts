/** What a person granted, but can't connect as it is, with what to do about it. [operator-interface §3] */

/** Something granted: a page, a business account. */
export interface Unusable {
  /** Upstream's id. */
  identity: string;
  name: string | null;
  why: UnusableReason;
  /** Upstream's name of the permission; only with `permission_missing`. */
  permission?: string;
}

type UnusableReason = keyof typeof remedies;

const remedies = {
  no_number: 'it has no number: add and verify a number in WhatsApp Manager',
  unreadable:
    'the platform does not show it to this service: ask somebody with full control of it to connect it',
  no_messaging_task: 'your role there does not include its messages: ask its owner for that',
  no_token: 'you have no access of your own to it: ask its owner for that',
  permission_missing: 'a permission was not given for it',
  no_photo_account: 'no professional photo account is linked to it, or access to that was not given',
} as const;

/** Reason and remedy, without a full stop. */
export function explainUnusable({ why, permission }: Unusable): string {
  return permission === undefined ? remedies[why] : `the permission ${permission} was not given for it`;
}

/** Further ones are left out: the sentence travels in a URL. */
const maxNamed = 5;

/**
 * Sentence for a flow in which nothing can be connected; null: nothing is known but that. Names what was granted by its id, because names
 * are upstream's text. [faults: 81]
 */
export function explainNothing(unusable: readonly Unusable[]): string | null {
  if (unusable.length === 0) return null;
  const reasons = unusable
    .slice(0, maxNamed)
    .map((one) => `${/^[\w-]{1,64}$/.test(one.identity) ? one.identity : 'One'}: ${explainUnusable(one)}.`);
  return `Nothing that was selected can be connected. ${reasons.join(' ')} Then start the setup again.`;
}
