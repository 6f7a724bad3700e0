/**
 * Owner records. In MongoDB only, because a file has one owner, its process. Not over records: one command compares the
 * owner, raises the epoch and returns both with the previous owner. [architecture §4]
 */
import { batchPerTick } from '../../../kernel/batches.ts';
import type { Minted, MintTerms, Owner, OwnerStore } from '../../owners.ts';
import type { MongoContext, OwnerDocument } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

export interface MongoOwners extends OwnerStore {
  /** The document of the channel, for tests; null if it was never owned. */
  of(channelId: string): Promise<Pick<OwnerDocument, 'epoch' | 'nodeId' | 'incarnation' | 'at'> | null>;
}

interface MintRequest extends MintTerms {
  channelId: string;
  owner: Owner;
  now: number;
}

interface Release {
  channelId: string;
  incarnation: string;
  epoch: number | undefined;
}

/** Channels per command: few enough that a single request behind it does not wait long. */
const perCommand = 200;

export function ownerStore(context: MongoContext): MongoOwners {
  const { owners, retryPolicy, safely } = context;
  const mintTogether = minter(context);
  const releaseTogether = releaser(context);
  return {
    mint: (channelId, owner, now, terms = {}) => mintTogether({ channelId, owner, now, ...terms }),
    release: (channelId, incarnation, epoch) => releaseTogether({ channelId, incarnation, epoch }),
    async lastOwners(channelIds) {
      const found = await retryPolicy.run('read owners', () =>
        owners
          .find({ _id: { $in: [...channelIds] } }, { ...safely, batchSize: channelIds.length + 1 })
          .toArray(),
      );
      return new Map(found.map(({ _id, epoch, incarnation = null }) => [_id, { epoch, incarnation }]));
    },
    async ownedBy(incarnation) {
      const found = await retryPolicy.run('read the channels of an owner', () =>
        owners.find({ incarnation }, { ...safely, projection: { _id: 1 } }).toArray(),
      );
      return found.map(({ _id }) => _id);
    },
    countOwnedBy: (incarnation) =>
      retryPolicy.run('count the channels of an owner', () => owners.countDocuments({ incarnation }, safely)),
    async of(channelId) {
      const found = await retryPolicy.run('read an owner', () => owners.findOne({ _id: channelId }, safely));
      if (found === null) return null;
      const { epoch, nodeId, incarnation, at } = found;
      return { epoch, nodeId, incarnation, at };
    },
  };
}

function releaser({ owners, retryPolicy }: MongoContext): (release: Release) => Promise<void> {
  return batchPerTick<Release, void>(perCommand, async (releases) => {
    const updates = releases.map(({ channelId, incarnation, epoch }) => ({
      updateOne: {
        filter: { _id: channelId, incarnation, ...(epoch === undefined ? {} : { epoch }) },
        update: { $set: { previous: incarnation }, $unset: { incarnation: true } } as const,
      },
    }));
    await retryPolicy.run('release channels', () => owners.bulkWrite(updates, { ordered: false }));
    return releases.map(() => undefined);
  });
}

/**
 * One epoch is minted and read by one command; many take two: all are minted, then read. A caller that would replace anybody and finds
 * another owner in its document, or that requested a channel together with other callers, mints alone. Minting twice only makes the epoch
 * higher, which does no harm. [faults: 10]
 */
function minter({ owners, retryPolicy, safely }: MongoContext): (request: MintRequest) => Promise<Minted> {
  async function mint(request: MintRequest): Promise<Minted> {
    const minted = await retryPolicy.run('mint an epoch', () =>
      owners.findOneAndUpdate({ _id: request.channelId }, changeFor(request), {
        upsert: true,
        returnDocument: 'after',
      }),
    );
    if (minted === null) throw new Error('an upsert answered without its document');
    return mintedIn(minted);
  }

  /** Two first owners at once: the index admits one insert, and the other caller then finds the document. [faults: 28] */
  async function mintAlone(request: MintRequest): Promise<Minted> {
    try {
      return await mint(request);
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
      return mint(request);
    }
  }

  /** Returns false if one of them met another first owner: then it is unknown which of the others were minted. */
  async function mintMany(requests: readonly MintRequest[]): Promise<boolean> {
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

  return batchPerTick<MintRequest, Minted>(perCommand, async (requests) => {
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
        if (owned?.incarnation === undefined) return mintAlone(one);
        const isAnswered = one.from !== undefined || owned.incarnation === one.owner.incarnation;
        return isAnswered ? mintedIn(owned) : mintAlone(one);
      }),
    );
  });
}

/** One update for every outcome: a filter would make the upsert fail on a channel that another node owns. */
function changeFor({ owner: { nodeId, incarnation }, now, step = 1, from }: MintRequest): object[] {
  const change = {
    previous: { $ifNull: ['$incarnation', '$previous'] },
    incarnation: { $literal: incarnation },
    nodeId: { $literal: nodeId },
    epoch: { $add: [{ $ifNull: ['$epoch', 0] }, step] },
    at: now,
  };
  if (from === undefined) return [{ $set: change }];
  const replaceable = { $literal: [null, incarnation, ...from] };
  const isReplaceable = { $in: [{ $ifNull: ['$incarnation', null] }, replaceable] };
  return [{ $replaceWith: { $cond: [isReplaceable, { $mergeObjects: ['$$ROOT', change] }, '$$ROOT'] } }];
}

/** Of a document after a claim: it has an owner. */
function mintedIn({ epoch, incarnation = '', previous }: OwnerDocument): Minted {
  return { owner: incarnation, epoch, previous: previous ?? null };
}
