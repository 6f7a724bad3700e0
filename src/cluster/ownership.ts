import type { Lease, Ownership } from '../../actors/runtime/ports.ts';
import { StoreUnavailable, asError } from '../kernel/faults.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { OwnerStore } from '../use-cases/ports.ts';
import type { Directory } from './directory.ts';
import type { NodeLease } from './lease.ts';
import type { Member } from './membership.ts';

/** Another session owns the channel under a live lease. */
export class NotOwner extends Error {
  override readonly name = 'NotOwner';
  readonly owner: string;

  constructor(owner: string) {
    super('another node owns the channel');
    this.owner = owner;
  }
}

export interface OwnershipOptions {
  self: Member;
  lease: NodeLease;
  directory: Directory;
  owners: OwnerStore;
  clock: Clock;
  log: Log;
  onTakeover(channelId: string, from: string): void;
}

/**
 * Redis claim → epoch from the store → serve. Redis decides who tries, the epoch decides who may. If the store can't mint, the
 * claim is given back. [architecture §4, Acquire]
 */
export function clusterOwnership(options: OwnershipOptions): Ownership {
  const { self, lease, directory, owners, clock, log } = options;
  return {
    async acquire(channelId): Promise<Lease> {
      if (!lease.isValid()) throw new StoreUnavailable("this node's lease is not valid");
      const owner = await directory.claim(channelId).catch((error: unknown) => {
        throw new StoreUnavailable(`the lock service does not answer: ${asError(error).message}`);
      });
      if (owner === null) throw new StoreUnavailable("this node's lease is gone");
      if (owner !== self.session) throw new NotOwner(owner);
      try {
        const { epoch, previous } = await owners.mint(channelId, self, clock.now());
        if (previous !== null && previous !== self.session) {
          log.info({ channel: channelId, epoch, from: previous }, 'channel.taken-over');
          options.onTakeover(channelId, previous);
        }
        return { epoch, isValid: () => lease.isValid() };
      } catch (error) {
        await directory.release(channelId).catch(() => undefined);
        throw error;
      }
    },
    async release(channelId): Promise<void> {
      await directory
        .release(channelId)
        .catch((error: unknown) =>
          log.warn({ channel: channelId, error: asError(error) }, 'channel.release-failed'),
        );
    },
  };
}
