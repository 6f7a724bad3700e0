/** Raises the epoch of a new owner on everything that is open, so that claims of earlier owners miss. [architecture §4, Fence intents] */
import type { Collection } from 'mongodb';
import { fenced } from '../../journal/rule.ts';
import type { MongoContext, OpenDocument } from '../collections.ts';
import type { OpenWork, OpenDocuments } from './open-work.ts';

/** Documents per update: a dead endpoint may have a million pending deliveries. */
const sliceSize = 1_000;

type Slice = readonly Pick<OpenDocument, '_id' | 'epoch'>[];

/**
 * Raises the epoch on open documents. Throws FencedError, and raises nothing, if one has a higher epoch. The open work was read together with the
 * owner record; reading it again would only shorten the time in which another owner may come, and a later owner raises what this one
 * raised.
 */
export function raiser({ open, retryPolicy, safely }: MongoContext) {
  /** A document with a higher epoch if there is one, otherwise a slice of those with a lower one. */
  async function readSlice(kind: Collection<OpenDocument>, channelId: string, epoch: number): Promise<Slice> {
    const due = { channelId, dueAt: { $gte: 0 } };
    const only = { ...safely, projection: { epoch: 1 } };
    const [higher, lower] = await retryPolicy.run('read epochs', () =>
      Promise.all([
        kind.findOne({ ...due, epoch: { $gt: epoch } }, only),
        kind
          .find({ ...due, epoch: { $lt: epoch } }, only)
          .limit(sliceSize)
          .toArray(),
      ]),
    );
    return higher === null ? lower : [higher];
  }

  async function raiseAll(
    kind: Collection<OpenDocument>,
    slice: Slice,
    { channelId, epoch }: { channelId: string; epoch: number },
  ): Promise<void> {
    for (let lower = slice; lower.length > 0;) {
      const ids = lower.map(({ _id }) => _id);
      await retryPolicy.run('raise epochs', () =>
        kind.updateMany({ channelId, _id: { $in: ids }, epoch: { $lt: epoch } }, { $set: { epoch } }),
      );
      if (lower.length < sliceSize) return;
      lower = await readSlice(kind, channelId, epoch);
    }
  }

  return async function raise(
    channelId: string,
    epoch: number,
    { messages, deliveries }: Pick<OpenWork, 'messages' | 'deliveries'>,
  ): Promise<void> {
    const left: readonly OpenDocuments[] = [messages, deliveries];
    const slices = await Promise.all(
      open.map(async (kind, at) => {
        const leftHere = left[at] ?? [];
        return leftHere === 'many' ? readSlice(kind, channelId, epoch) : leftHere;
      }),
    );
    if (slices.flat().some((one) => one.epoch > epoch)) throw fenced(channelId, epoch);
    await Promise.all(
      open.map((kind, at) => {
        const lower = (slices[at] ?? []).filter((one) => one.epoch < epoch);
        return raiseAll(kind, lower, { channelId, epoch });
      }),
    );
  };
}
