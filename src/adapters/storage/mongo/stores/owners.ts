/** Who may act for a channel. [architecture §4] */
import type { OwnerStore } from '../../../../use-cases/ports/operating.ts';
import type { MongoContext, OwnerDocument } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

export interface Owner {
  epoch: number;
  nodeId: string;
  incarnation: string;
  at: number;
}

export interface MongoOwners extends OwnerStore {
  /** Who owned the channel last; null when nobody ever did. */
  of(channelId: string): Promise<Owner | null>;
}

function ownedBy({ epoch, previous }: OwnerDocument): { epoch: number; previous: string | null } {
  return { epoch, previous: previous ?? null };
}

export function ownerStore({ owners, retryPolicy, safely }: MongoContext): MongoOwners {
  type Mint = MongoOwners['mint'];

  const mint: Mint = async (channelId, { nodeId, incarnation }, now, step = 1) => {
    const change = {
      previous: '$incarnation',
      incarnation: { $literal: incarnation },
      nodeId: { $literal: nodeId },
      epoch: { $add: [{ $ifNull: ['$epoch', 0] }, step] },
      at: now,
    };
    const minted = await retryPolicy.run('mint an epoch', () =>
      owners.findOneAndUpdate({ _id: channelId }, [{ $set: change }], {
        upsert: true,
        returnDocument: 'after',
      }),
    );
    // Two upserts at once on the tests' server: the second is applied and not told.
    return minted === null ? mint(channelId, { nodeId, incarnation }, now, step) : ownedBy(minted);
  };

  return {
    // Minted twice is one higher, and higher is all that matters. Two first owners at once: the index lets one insert, the
    // other then finds the document. [faults: 10, 28]
    async mint(...asked) {
      try {
        return await mint(...asked);
      } catch (error) {
        if (!(error instanceof DuplicateKey)) throw error;
        return mint(...asked);
      }
    },
    async of(channelId) {
      const found = await retryPolicy.run('read an owner', () => owners.findOne({ _id: channelId }, safely));
      if (found === null) return null;
      const { epoch, nodeId, incarnation, at } = found;
      return { epoch, nodeId, incarnation, at };
    },
  };
}
