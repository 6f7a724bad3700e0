import type { OwnershipGrant } from '../../actors/runtime/actor.ts';
import type { NodeLease } from './lease.ts';

type GrantingLease = Pick<NodeLease, 'outages' | 'isSure'>;

/** The right to one channel, under one term of the lease. */
export class Grant implements OwnershipGrant {
  readonly epoch: number;
  /** The number of Redis outages when the store last named this node as the owner while Redis answered; null: it never has. */
  confirmedIn: number | null;
  readonly #isOfTerm: () => boolean;
  readonly #lease: GrantingLease;

  constructor(
    epoch: number,
    {
      isOfTerm,
      lease,
      confirmedIn,
    }: { isOfTerm: () => boolean; lease: GrantingLease; confirmedIn: number | null },
  ) {
    this.epoch = epoch;
    this.confirmedIn = confirmedIn;
    this.#isOfTerm = isOfTerm;
    this.#lease = lease;
  }

  isValid(): boolean {
    return this.#isOfTerm();
  }

  isSure(): boolean {
    return this.confirmedIn === this.#lease.outages && this.#lease.isSure() && this.#isOfTerm();
  }
}
