/** Who may act for a channel. [architecture §4] */
import type { OwnerStore } from '../../../../use-cases/ports.ts';
import type { Ground } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

export interface Owner {
  epoch: number;
  nodeId: string;
  session: string;
  at: number;
}

export interface MongoOwners extends OwnerStore {
  /** Who owned the channel last; null when nobody ever did. */
  of(channelId: string): Promise<Owner | null>;
}

export function ownerStore({ owners, patience, safely }: Ground): MongoOwners {
  type Mint = MongoOwners['mint'];

  const mint: Mint = async (channelId, { nodeId, session }, now) => {
    const before = await patience.run('mint an epoch', () =>
      owners.findOneAndUpdate(
        { _id: channelId },
        { $inc: { epoch: 1 }, $set: { nodeId, session, at: now } },
        { upsert: true, returnDocument: 'before' },
      ),
    );
    return { epoch: (before?.epoch ?? 0) + 1, previous: before?.session ?? null };
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
      const found = await patience.run('read an owner', () => owners.findOne({ _id: channelId }, safely));
      if (found === null) return null;
      const { epoch, nodeId, session, at } = found;
      return { epoch, nodeId, session, at };
    },
  };
}
