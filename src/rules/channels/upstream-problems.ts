/**
 * Problems of a channel at upstream that are kept on record until they are over: what upstream told once, in an event or in an answer, and
 * does not tell again. Each code is entered by whoever learns of it and left by whoever learns that it is over; connecting the channel again
 * ends all.
 */

/** `events`: events reach us but not the receiver. */
export type Affected = readonly ('send' | 'receive' | 'events')[];

interface Described {
  affects: Affected;
  /** Advice, as a sentence without its full stop, for when nothing better is known. */
  detail: string;
}

const both: Affected = ['send', 'receive'];

/** By code, the most basic first. */
const upstreamProblems = {
  access_removed: {
    affects: both,
    detail:
      'Upstream lets the service reach the channel no more: its owner has removed the service, or the permission of the person who connected it; connect it again',
  },
  account_disabled: {
    affects: both,
    detail: 'Upstream has disabled the business account; appeal in its business settings',
  },
  app_webhooks_missing: {
    affects: ['receive'],
    detail: "The operator's app at upstream is not subscribed to the events of such channels",
  },
  app_webhooks_elsewhere: {
    affects: ['receive'],
    detail: "The operator's app at upstream sends the events of such channels to another address",
  },
  webhook_elsewhere: {
    affects: ['receive'],
    detail:
      "Upstream sends the channel's events to another address, which somebody set for the number or its account; remove that override there",
  },
  registration_pending: {
    affects: both,
    detail: 'Upstream has not registered the number yet; the service tries again by itself',
  },
  sends_paused: {
    affects: both,
    detail:
      'The number was registered anew on its phone, so upstream has paused it; messages are queued and go out when upstream has it back, usually within minutes',
  },
  sends_blocked: { affects: ['send'], detail: 'Upstream blocks sending through the channel' },
  account_restricted: {
    affects: ['send'],
    detail: "Upstream has restricted the business account; see upstream's business settings",
  },
  policy_enforcement: {
    affects: ['send'],
    detail: 'Upstream has blocked the page or warned it of a breach of its policies; see its page settings',
  },
  messages_without_content: {
    affects: ['receive'],
    detail:
      "Messages arrive without their content: the operator's app at upstream is not published, or lacks advanced access",
  },
  token_ending: {
    affects: [],
    detail: 'The access token ends soon and upstream did not renew it; connect the channel again before',
  },
  test_push_received: {
    affects: [],
    detail: "A test event of upstream's dashboard has arrived; real events need the subscription too",
  },
} as const satisfies Record<string, Described>;

export type UpstreamProblemCode = keyof typeof upstreamProblems;

function codesIn<T extends object>(table: T): (keyof T & string)[] {
  const codes: (keyof T & string)[] = [];
  for (const code in table) codes.push(code);
  return codes;
}

export const upstreamProblemCodes = codesIn(upstreamProblems);

/** A problem on record. Times in ms. */
export interface UpstreamProblem {
  code: UpstreamProblemCode;
  since: number;
  detail: string;
  affects: Affected;
  /** When the service tries by itself again; null: it does not. */
  nextTryAt: number | null;
}

/** `detail` and `affects`: the code's own unless given. Never content of a message. */
export interface NewProblem {
  code: UpstreamProblemCode;
  detail?: string;
  affects?: Affected;
  nextTryAt?: number | null;
}

/** Upstream's words may be part of a detail. */
const maxDetail = 500;

/** With what the code says where nothing else is given. */
export function describeProblem({
  code,
  detail,
  affects,
  nextTryAt = null,
}: NewProblem): Omit<UpstreamProblem, 'since'> {
  const own: Described = upstreamProblems[code];
  return {
    code,
    detail: (detail ?? own.detail).slice(0, maxDetail).toWellFormed(),
    affects: affects ?? own.affects,
    nextTryAt,
  };
}

/** Whether the problem was not known, or has an effect now and had none. */
export function isNews(known: readonly UpstreamProblem[], problem: NewProblem): boolean {
  const before = known.find(({ code }) => code === problem.code);
  return before === undefined || (before.affects.length === 0 && describeProblem(problem).affects.length > 0);
}

/**
 * With the problem: its time of beginning stays. null: nothing changes; what is told without an effect does not say that the effect on
 * record is over.
 */
export function withProblem(
  known: readonly UpstreamProblem[],
  problem: NewProblem,
  now: number,
): UpstreamProblem[] | null {
  const before = known.find(({ code }) => code === problem.code);
  const noted: UpstreamProblem = { ...describeProblem(problem), since: before?.since ?? now };
  if (before !== undefined && (isSame(before, noted) || isLess(noted, before))) return null;
  return [...known.filter(({ code }) => code !== noted.code), noted];
}

function isLess(one: UpstreamProblem, other: UpstreamProblem): boolean {
  return one.affects.length === 0 && other.affects.length > 0;
}

function isSame(one: UpstreamProblem, other: UpstreamProblem): boolean {
  return (
    one.detail === other.detail &&
    one.nextTryAt === other.nextTryAt &&
    one.affects.join() === other.affects.join()
  );
}

/** A newer build's code on record, met by this one, is left out. */
export function isKnownProblem({ code }: { code: string }): boolean {
  return code in upstreamProblems;
}
