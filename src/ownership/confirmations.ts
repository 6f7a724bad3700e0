/**
 * Compares the channels this node owns with the store, some at a time, all of them after a Redis outage, before they count as sure again; a
 * channel whose epoch another node has exceeded is given up. So within a share of a lease an owner is sure of its channel or learns that
 * another node has it. [architecture §4]
 */
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { OwnerStore } from '../storage/owners.ts';
import type { NodeLease } from './lease.ts';
import type { Grant } from './grant.ts';

/** Channels compared per tick of the lease: fewer while Redis answers, more while the store alone knows the owners. */
const perTick = { sure: 100, unsure: 500 };
const perBatch = 500;

interface ConfirmationsOptions {
  granted: ReadonlyMap<string, Grant>;
  lease: Pick<NodeLease, 'isSure' | 'outages'>;
  owners: Pick<OwnerStore, 'lastOwners'>;
  log: Log;
  /** The store has a higher epoch. */
  onOvertaken: (channelId: string) => void;
}

export class Confirmations {
  readonly #options: ConfirmationsOptions;
  #round: string[] = [];
  #isConfirming = false;

  constructor(options: ConfirmationsOptions) {
    this.#options = options;
  }

  /** Never rejects: channels that were not compared are compared in a later tick. */
  async confirmNext(): Promise<void> {
    if (this.#isConfirming) return;
    this.#isConfirming = true;
    try {
      const channels = this.#next();
      for (let at = 0; at < channels.length; at += perBatch)
        await this.#confirm(channels.slice(at, at + perBatch));
    } catch (error) {
      this.#options.log.debug({ error: asError(error) }, 'ownership.not-confirmed'); // the store and Redis log their outages themselves
    } finally {
      this.#isConfirming = false;
    }
  }

  #next(): string[] {
    const { granted, lease } = this.#options;
    const isSure = lease.isSure();
    if (this.#round.length === 0) this.#round = [...granted.keys()];
    const some = this.#round.splice(0, isSure ? perTick.sure : perTick.unsure);
    if (!isSure) return some;
    const next = new Set(some);
    for (const [channelId, { confirmedIn }] of granted)
      if (confirmedIn !== lease.outages) next.add(channelId);
    return [...next];
  }

  async #confirm(channelIds: readonly string[]): Promise<void> {
    const { granted, owners, lease, onOvertaken } = this.#options;
    const confirmedIn = lease.isSure() ? lease.outages : null;
    const grants = new Map(
      channelIds.flatMap((id) => {
        const grant = granted.get(id);
        return grant === undefined ? [] : [[id, grant] as const];
      }),
    );
    const last = await owners.lastOwners(channelIds);
    for (const [channelId, grant] of grants) {
      if (granted.get(channelId) !== grant) continue;
      if ((last.get(channelId)?.epoch ?? 0) > grant.epoch) onOvertaken(channelId);
      else grant.confirmedIn = confirmedIn ?? grant.confirmedIn;
    }
  }
}
