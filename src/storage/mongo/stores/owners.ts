/**
 * Owner records. In MongoDB only, because a file has one owner, its process. Not over records: one command raises the epoch and returns it
 * with the previous owner. [architecture §4]
 */
import { batchPerTick } from '../../../kernel/batches.ts';
import type { OwnerStore } from '../../owners.ts';
import type { MongoContext, OwnerDocument } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

interface Owner {
  epoch: number;
  nodeId: string;
  incarnation: string;
  at: number;
}

export interface MongoOwners extends OwnerStore {
  /** The last owner of the channel; null if it was never owned. */
  of(channelId: string): Promise<Owner | null>;
}

type Minted = Awaited<ReturnType<OwnerStore['mint']>>;

interface OwnerRequest {
  channelId: string;
  owner: { nodeId: string; incarnation: string };
  now: number;
  step: number;
}

/** Epochs per command: few enough that a single request behind it does not wait long. */
const perCommand = 200;

export function ownerStore(context: MongoContext): MongoOwners {
  const { owners, retryPolicy, safely } = context;
  const mintTogether = minter(context);
  return {
    mint: (channelId, owner, now, step = 1) => mintTogether({ channelId, owner, now, step }),
    async lastOwners(channelIds) {
      const found = await retryPolicy.run('read owners', () =>
        owners
          .find({ _id: { $in: [...channelIds] } }, { ...safely, batchSize: channelIds.length + 1 })
          .toArray(),
      );
      return new Map(found.map(({ _id, epoch, incarnation }) => [_id, { epoch, incarnation }]));
    },
    async of(channelId) {
      const found = await retryPolicy.run('read an owner', () => owners.findOne({ _id: channelId }, safely));
      if (found === null) return null;
      const { epoch, nodeId, incarnation, at } = found;
      return { epoch, nodeId, incarnation, at };
    },
  };
}

/**
 * One epoch is minted and read by one command; many take two: all are minted, then read. A caller that finds another owner in its document,
 * or that requested a channel together with other callers, mints alone. Minting twice only makes the epoch higher, which does no harm.
 * [faults: 10]
 */
function minter({ owners, retryPolicy, safely }: MongoContext): (request: OwnerRequest) => Promise<Minted> {
  async function mint(request: OwnerRequest): Promise<Minted> {
    const minted = await retryPolicy.run('mint an epoch', () =>
      owners.findOneAndUpdate({ _id: request.channelId }, changeFor(request), {
        upsert: true,
        returnDocument: 'after',
      }),
    );
    if (minted === null) throw new Error('an upsert answered without its document');
    return ownedBy(minted);
  }

  /** Two first owners at once: the index admits one insert, and the other caller then finds the document. [faults: 28] */
  async function mintAlone(request: OwnerRequest): Promise<Minted> {
    try {
      return await mint(request);
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
      return mint(request);
    }
  }

  /** Returns false if one of them met another first owner: then it is unknown which of the others were minted. */
  async function mintMany(requests: readonly OwnerRequest[]): Promise<boolean> {
    const updates = requests.map((one) => ({
      updateOne: { filter: { _id: one.channelId }, update: changeFor(one), upsert: true },
    }));
    try {
      await retryPolicy.run('mint epochs', () => owners.bulkWrite(updates, { ordered: false }));
      return true;
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
      return false;
    }
  }

  return batchPerTick<OwnerRequest, Minted>(perCommand, async (requests) => {
    const [alone] = requests;
    if (alone !== undefined && requests.length === 1) return [await mintAlone(alone)];
    const first = new Map(requests.toReversed().map((one) => [one.channelId, one]));
    if (!(await mintMany([...first.values()]))) return Promise.all(requests.map(mintAlone));
    const found = await retryPolicy.run('read epochs', () =>
      owners.find({ _id: { $in: [...first.keys()] } }, { ...safely, batchSize: perCommand + 1 }).toArray(),
    );
    const known = new Map(found.map((document) => [document._id, document]));
    return Promise.all(
      requests.map(async (one) => {
        const owned = first.get(one.channelId) === one ? known.get(one.channelId) : undefined;
        return owned?.incarnation === one.owner.incarnation ? ownedBy(owned) : mintAlone(one);
      }),
    );
  });
}

function changeFor({ owner: { nodeId, incarnation }, now, step }: OwnerRequest): object[] {
  const change = {
    previous: '$incarnation',
    incarnation: { $literal: incarnation },
    nodeId: { $literal: nodeId },
    epoch: { $add: [{ $ifNull: ['$epoch', 0] }, step] },
    at: now,
  };
  return [{ $set: change }];
}

function ownedBy({ epoch, previous }: OwnerDocument): Minted {
  return { epoch, previous: previous ?? null };
}
