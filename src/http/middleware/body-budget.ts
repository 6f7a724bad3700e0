import { mib } from '../../kernel/bytes.ts';
import { fault } from '../../kernel/faults.ts';
import type { Fault } from '../../kernel/faults.ts';

interface Bounds {
  /** Bytes of the node above which bodies that are still arriving are rejected. */
  total: number;
  /** Most bytes of one account. */
  share: number;
  /** An account that holds no more than this is served even when the budget is used up, so that a few accounts can't fill it for all. */
  little: number;
  /** Bytes of the node above which every body is rejected. */
  most: number;
}

/** Unauthenticated bodies: anybody can send a header that looks like a signature. */
const ofAnonymous: Bounds = { total: 64 * mib, share: Infinity, little: 0, most: 64 * mib };
const ofAccounts: Bounds = { total: 64 * mib, share: 16 * mib, little: mib / 4, most: 128 * mib };

/**
 * Bounds the bytes of request bodies on this node. Unauthenticated bodies count until they are verified, an account's bodies until their
 * request is answered, because a send keeps its content until then. When the budget is used up, the body that has been arriving for longest is
 * rejected; a complete body is never rejected. [faults: 92, 110, I11]
 */
export class BodyBudget {
  readonly #bounds: Bounds;
  readonly #refused: () => void;
  /** Bodies that are still arriving, oldest first. */
  readonly #unfinished = new Set<HeldBody>();
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  /** `refused` is called for each body that is rejected because the budget is used up. */
  static forAnonymous(refused: () => void = () => undefined, bounds: Partial<Bounds> = {}): BodyBudget {
    return new BodyBudget({ ...ofAnonymous, ...bounds }, refused);
  }

  static forAccounts(bounds: Partial<Bounds> = {}): BodyBudget {
    return new BodyBudget({ ...ofAccounts, ...bounds }, () => undefined);
  }

  private constructor(bounds: Bounds, refused: () => void) {
    this.#bounds = bounds;
    this.#refused = refused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `accountId` is null for an unauthenticated request. */
  begin(accountId: string | null): HeldBody {
    return new HeldBody(this, accountId);
  }

  /** Returns null if the bytes are admitted, else the fault with which this body is rejected. */
  take(body: HeldBody, bytes: number): Fault | null {
    if (this.#heldBy(body) + bytes > this.#bounds.share) return fault('rate_limited', { retryAfter: 1 });
    this.#unfinished.add(body);
    this.#count(body, bytes);
    for (const oldest of this.#unfinished) {
      if (this.#bytes <= this.#bounds.total) break;
      if (body.accountId === null || this.#heldBy(oldest) > this.#bounds.little) this.#refuse(oldest, body);
    }
    if (this.#bytes > this.#bounds.most) this.#refuse(body, body);
    return body.isRefused ? fault('overloaded', { retryAfter: 1 }) : null;
  }

  arrived(body: HeldBody): void {
    this.#unfinished.delete(body);
  }

  free(body: HeldBody): void {
    this.#unfinished.delete(body);
    this.#count(body, -body.bytes);
  }

  #refuse(body: HeldBody, taking: HeldBody): void {
    this.free(body);
    this.#refused();
    body.isRefused = true;
    if (body !== taking) body.refuse(fault('overloaded', { retryAfter: 1 }));
  }

  #heldBy({ accountId }: HeldBody): number {
    return accountId === null ? 0 : (this.#byAccount.get(accountId) ?? 0);
  }

  #count(body: HeldBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    const { accountId } = body;
    if (accountId === null) return;
    const own = this.#heldBy(body) + bytes;
    if (own > 0) this.#byAccount.set(accountId, own);
    else this.#byAccount.delete(accountId);
  }
}

/** The bytes that the body of one request holds of the budget. */
export class HeldBody {
  readonly #budget: BodyBudget;
  readonly accountId: string | null;
  bytes = 0;
  isRefused = false;
  /** Called when the body is rejected in favour of another. */
  refuse: (why: Fault) => void = () => undefined;

  constructor(budget: BodyBudget, accountId: string | null) {
    this.#budget = budget;
    this.accountId = accountId;
  }

  /** Returns null if the bytes are admitted, else a fault: the budget or the account's share is full. */
  grow(bytes: number): Fault | null {
    return this.isRefused ? null : this.#budget.take(this, bytes);
  }

  /** The body is complete: it can't be rejected any more, and counts until `end`. */
  arrived(): void {
    this.#budget.arrived(this);
  }

  end(): void {
    this.#budget.free(this);
  }
}
