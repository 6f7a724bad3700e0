import type { Kind } from './model.ts';

/** What a fault does; CONTROL.md has the table. */
type FaultAct =
  | 'ok' | 'refuse' | 'leak_token' | 'lost' | 'reset' | 'error_after_accept' | 'truncated' | 'html' | 'empty' | 'big' | 'hang'
  | 'fail_later'; // oxfmt-ignore

/** Whether the send is accepted under each act. */
export const acceptedByAct: Readonly<Record<FaultAct, boolean>> = {
  ok: true,
  refuse: false,
  leak_token: false,
  lost: true,
  reset: false,
  error_after_accept: true,
  truncated: true,
  html: true,
  empty: true,
  big: true,
  hang: true,
  fail_later: true,
};

/** True for the name of an act. */
export function isFaultAct(value: unknown): value is FaultAct {
  return typeof value === 'string' && Object.hasOwn(acceptedByAct, value);
}

/** All given members must match. If `path` is given, only `method` is matched beside it. */
export type FaultMatch = {
  readonly recipient?: string | undefined;
  readonly channel?: string | undefined;
  readonly kind?: string | undefined;
  readonly tag?: string | undefined;
  readonly text?: string | undefined;
  readonly type?: string | undefined;
  readonly path?: string | undefined;
  readonly method?: string | undefined;
};

/** A scripted misbehaviour. With `times` 0 it acts without limit. `fired` counts how often it acted. */
export type Fault = {
  readonly id: number;
  readonly match: FaultMatch;
  readonly act: FaultAct;
  readonly times: number;
  readonly delay_ms: number;
  /** Only for sends that are accepted: the send waits until the book is asked to release what it holds. */
  readonly held: boolean;
  readonly accept: boolean;
  readonly silent: boolean;
  readonly early: boolean;
  readonly code: number | undefined;
  readonly subcode: number | undefined;
  readonly status: number | undefined;
  readonly message: string | undefined;
  readonly details: string | undefined;
  readonly title: string | undefined;
  readonly is_transient: boolean | undefined;
  readonly size_bytes: number;
  /** End of the fault by the simulator's clock (unix ms), however often it has acted; null: only `times` ends it. */
  readonly until: number | null;
  /** Only for `fail_later`: delay after `sent` (ms). */
  readonly after_ms: number;
  readonly message_status: string | undefined;
  readonly regain_minutes: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  fired: number;
};

/** The facts of a send that a fault can match. */
type SendFacts = {
  readonly recipient: string;
  readonly channel: string;
  readonly kind: Kind;
  readonly tag: string | null;
  readonly text: string | null;
  readonly type: string;
};

/** The faults in the order in which they were added. The oldest that matches acts. */
export class FaultBook {
  readonly #now: () => number;
  #faults: Fault[] = [];
  #count = 0;
  #held: (() => void)[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  add(fault: Omit<Fault, 'id' | 'fired'>): Fault {
    this.#count += 1;
    const added = { ...fault, id: this.#count, fired: 0 };
    this.#faults.push(added);
    return added;
  }

  list(): readonly Fault[] {
    return this.#faults;
  }

  /** Removes the faults; what is held is never answered. */
  clear(): void {
    this.#faults = [];
    this.#held = [];
  }

  /** Resolves at the next release. */
  released(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  /** Lets all held sends go on. Returns their number. */
  release(): number {
    const held = this.#held;
    this.#held = [];
    for (const goOn of held) goOn();
    return held.length;
  }

  forSend(facts: SendFacts): Fault | undefined {
    if (this.#faults.length === 0) return undefined;
    return this.#take((match) => match.path === undefined && matchesSend(match, facts));
  }

  forCall(method: string, path: string): Fault | undefined {
    if (this.#faults.length === 0) return undefined;
    return this.#take(
      (match) =>
        match.path !== undefined &&
        path.includes(match.path) &&
        (match.method === undefined || match.method.toUpperCase() === method),
    );
  }

  #take(matches: (match: FaultMatch) => boolean): Fault | undefined {
    const now = this.#now();
    const isLeft = (fault: Fault): boolean =>
      (fault.times === 0 || fault.fired < fault.times) && (fault.until === null || now < fault.until);
    const fault = this.#faults.find((candidate) => isLeft(candidate) && matches(candidate.match));
    if (fault) fault.fired += 1;
    return fault;
  }
}

const compared = ['recipient', 'channel', 'kind', 'tag', 'text', 'type'] as const;

function matchesSend(match: FaultMatch, facts: SendFacts): boolean {
  return compared.every((name) => match[name] === undefined || match[name] === facts[name]);
}
