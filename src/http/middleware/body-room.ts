import { fault } from '../../kernel/faults.ts';
import type { Fault } from '../../kernel/faults.ts';

const mib = 1024 * 1024;

interface Bounds {
  /** Of the node. */
  room: number;
  /** Of one account. */
  share: number;
  /** An account that holds no more than this is served even when the room is full, so that a few accounts can't fill it for all. */
  little: number;
  /** Beyond this total of the node every body is refused. */
  most: number;
}

/** Anybody can announce a signature. */
const ofStrangers: Bounds = { room: 64 * mib, share: Infinity, little: 0, most: 64 * mib };
const ofAccounts: Bounds = { room: 64 * mib, share: 16 * mib, little: mib / 4, most: 128 * mib };

/**
 * Bytes of bodies on this node. Those of strangers count until they were checked, those of an account until their request is answered:
 * what a body says lives as long as its send does. Where the room is full the body goes that has been on its way for longest; one
 * that has arrived goes no more. [faults: 92, 110, I11]
 */
export class BodyRoom {
  readonly #bounds: Bounds;
  readonly #refused: () => void;
  /** The oldest first. */
  readonly #unfinished = new Set<HeldBody>();
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  /** `refused` is told of each that had to go. */
  static forStrangers(refused: () => void = () => undefined, bounds: Partial<Bounds> = {}): BodyRoom {
    return new BodyRoom({ ...ofStrangers, ...bounds }, refused);
  }

  static forAccounts(bounds: Partial<Bounds> = {}): BodyRoom {
    return new BodyRoom({ ...ofAccounts, ...bounds }, () => undefined);
  }

  private constructor(bounds: Bounds, refused: () => void) {
    this.#bounds = bounds;
    this.#refused = refused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** `accountId` null: of a stranger. */
  begin(accountId: string | null): HeldBody {
    return new HeldBody(this, accountId);
  }

  /** Null: taken. A fault: this body had to go. */
  take(body: HeldBody, bytes: number): Fault | null {
    if (this.#heldBy(body) + bytes > this.#bounds.share) return fault('rate_limited', { retryAfter: 1 });
    this.#unfinished.add(body);
    this.#count(body, bytes);
    for (const oldest of this.#unfinished) {
      if (this.#bytes <= this.#bounds.room) break;
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

/** What one request holds of the room. */
export class HeldBody {
  readonly #room: BodyRoom;
  readonly accountId: string | null;
  bytes = 0;
  isRefused = false;
  /** Told when it had to make room for another. */
  refuse: (why: Fault) => void = () => undefined;

  constructor(room: BodyRoom, accountId: string | null) {
    this.#room = room;
    this.accountId = accountId;
  }

  /** Null: taken. A fault: there is no room, or no more of its account's share. */
  grow(bytes: number): Fault | null {
    return this.isRefused ? null : this.#room.take(this, bytes);
  }

  /** It is there as a whole, and keeps its room until `end`. */
  arrived(): void {
    this.#room.arrived(this);
  }

  end(): void {
    this.#room.free(this);
  }
}
