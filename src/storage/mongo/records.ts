/**
 * Records over MongoDB. Every write leaves its token in the document (`lastWrite`, or `token` for gathered writes): a retry whose earlier
 * answer was lost finds by it that the write was applied. [faults: 22]
 */
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { Engine } from '../engine.ts';
import type { Entity } from '../entities/entity.ts';
import { strandedFacts } from '../entities/facts.ts';
import { idempotency } from '../entities/messages.ts';
import type { Change, Equal, Records, RecordsOf } from '../records.ts';
import { asOperators, listSteps } from './changes.ts';
import { newToken } from './commands.ts';
import { matching } from './conditions.ts';
import type { Condition } from './conditions.ts';
import { dropSlices } from './stores/drop-slices.ts';
import { DuplicateKey, classify } from './errors.ts';
import type { GroupCommitQueue } from './group-commit-queue.ts';
import { Items } from './items.ts';
import { isOpen, makeCounts, makeReads, recordCollection } from './record-reads.ts';
import type { RecordDocument, RecordCollection } from './record-reads.ts';
import type { MongoContext } from './collections.ts';
import { joinedBy } from './updates.ts';

export function recordsOn(context: MongoContext): RecordsOf {
  const { commitQueues } = context;
  const queues: ReadonlyMap<string, GroupCommitQueue> = new Map([
    [idempotency.name, commitQueues.idempotency],
    [strandedFacts.name, commitQueues.strandedFacts],
  ]);
  return function recordsOf<T extends object>(entity: Entity<T>): Records<T> {
    const items = new Items(entity);
    const source = recordCollection(items, context, queues.get(entity.name));
    return {
      ...makeReads(source, { projection: {}, of: items.toItem }),
      only(...fields) {
        const { projection, of } = items.pick(...fields);
        return makeReads(source, { projection: { projection }, of });
      },
      ...makeCounts(source),
      ...makeInserts(source),
      ...makeChanges(source),
      ...makeBulks(source),
      ...makeRemovals(source),
    };
  };
}

type Inserts = 'insert' | 'insertEach' | 'replace';

function makeInserts<T extends object>(source: RecordCollection<T>): Pick<Records<T>, Inserts> {
  const { items, collection, retryPolicy, queue } = source;
  const { name } = items.entity;

  async function insertMany(documents: RecordDocument[]): Promise<void> {
    if (documents.length === 0) return;
    try {
      await retryPolicy.run(`insert into ${name}`, () =>
        collection.insertMany(documents, { ordered: false }),
      );
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error;
    }
  }

  return {
    async insert(item) {
      const document = items.toDocument(item);
      if (queue !== undefined) {
        const { inserted } = await queue.add({ inserts: [{ ...document, token: newToken() }] });
        return inserted[0] === true;
      }
      const lastWrite = newToken();
      return retryPolicy.run(`insert into ${name}`, async (attempt) => {
        try {
          await collection.insertOne({ ...document, lastWrite });
          return true;
        } catch (error) {
          if (classify(error) !== 'duplicate') throw error;
          const { _id, ...rest } = document;
          if (attempt > 0 && (await collection.findOne({ _id, lastWrite })) !== null) return true;
          if (items.entity.isTaken !== true) return false;
          // What was taken is gone, so that it can be added again.
          const taken = { _id, taker: { $exists: true } };
          return (await collection.replaceOne(taken, { ...rest, lastWrite })).matchedCount > 0;
        }
      });
    },
    async insertEach(all) {
      const inserts = all.map((item) => ({ ...items.toDocument(item), token: newToken() }));
      if (queue !== undefined) await queue.add({ inserts });
      else await insertMany(inserts);
    },
    async replace(item) {
      const { _id, ...document } = items.toDocument(item);
      await retryPolicy.run(`replace in ${name}`, () =>
        collection.replaceOne({ _id }, document, { upsert: true }),
      );
    },
  };
}

/** The update of a change, with the extra members that follow from it. */
function changing<T extends object>(items: Items<T>, change: Change<T>, mark: Condition = {}): Condition {
  return asOperators(listSteps(items, change, mark));
}

/** The next attempt sees the change that was faster; this many in a row are no race but a fault. */
const maxRaces = 100;

function definedIn<T extends object>(set: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same fields, but those that are undefined
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) as T;
}

/** The item's values of these fields. */
function only<T extends object>(item: T, fields: object): Partial<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- fields of the item
  return Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(item, name)])) as Partial<T>;
}

type Changes = 'patch' | 'patchBoth' | 'take';

function makeChanges<T extends object>(source: RecordCollection<T>): Pick<Records<T>, Changes> {
  const { items, collection, retryPolicy } = source;
  const { name } = items.entity;

  /** The document after the change. A retry whose earlier answer was lost finds it by its mark. */
  async function marked(filter: Condition, update: Condition, mark: Condition): Promise<T | null> {
    const change = async (attempt: number): Promise<RecordDocument | null> => {
      const changed = await collection.findOneAndUpdate(filter, update, { returnDocument: 'after' });
      return changed !== null || attempt === 0
        ? changed
        : collection.findOne({ _id: String(filter['_id']), ...mark });
    };
    try {
      const found = await retryPolicy.run(`change ${name}`, change);
      return found === null ? null : items.toItem(found);
    } catch (error) {
      if (error instanceof DuplicateKey) return null;
      throw error;
    }
  }

  return {
    async patchBoth({ which, range, change }) {
      const set = definedIn(change.set ?? {});
      const members = Object.keys(items.toMembers(set));
      const filter = matching(items, which, range);
      for (let tries = 0; tries < maxRaces; tries += 1) {
        const found = await retryPolicy.run(`read ${name}`, () => collection.findOne(filter));
        if (found === null) return null;
        const held = Object.fromEntries(members.map((each) => [each, found[each] ?? { $exists: false }]));
        const mark = { lastWrite: newToken() };
        const after = await marked({ ...filter, ...held }, changing(items, { set }, mark), mark);
        if (after !== null) return { before: { ...after, ...only(items.toItem(found), set) }, after };
      }
      throw new StoreUnavailable('too many changes race', 'no');
    },
    patch({ which, range, change }) {
      const mark = { lastWrite: newToken() };
      return marked(matching(items, which, range), changing(items, change, mark), mark);
    },
    take(which, range) {
      const taker = newToken();
      const filter = { ...matching(items, which, range), ...isOpen };
      return marked(filter, { $set: { taker } }, { taker });
    },
  };
}

type Bulks = 'patchEach' | 'upsertEach';

/** Each update may be applied twice. */
function makeBulks<T extends object>({
  items,
  collection,
  retryPolicy,
  queue,
}: RecordCollection<T>): Pick<Records<T>, Bulks> {
  const { name } = items.entity;
  return {
    async patchEach(patches) {
      const updates = patches.map(({ which, range, change }) => ({
        filter: matching(items, which, range),
        update: changing(items, change),
      }));
      if (updates.length === 0) return;
      if (queue !== undefined) {
        const facts = updates.map(({ filter, update }) => ({
          id: String(filter['_id']),
          q: filter,
          u: update,
        }));
        await queue.add({ facts });
        return;
      }
      await retryPolicy.run(`change ${name}`, () =>
        collection.bulkWrite(
          updates.map((updateOne) => ({ updateOne })),
          { ordered: false },
        ),
      );
    },
    async upsertEach(all, joining) {
      const updates = all.map((item) => joinedBy(items, item, joining));
      if (updates.length === 0) return;
      await retryPolicy.run(`note in ${name}`, () =>
        collection.bulkWrite(
          updates.map((updateOne) => ({ updateOne: { ...updateOne, upsert: true } })),
          { ordered: false },
        ),
      );
    },
  };
}

type Removals = 'remove' | 'removeEach' | 'sweep';

function makeRemovals<T extends object>({
  items,
  collection,
  retryPolicy,
  queue,
}: RecordCollection<T>): Pick<Records<T>, Removals> {
  const { name } = items.entity;
  return {
    async remove(which) {
      return retryPolicy.run(`remove from ${name}`, async (attempt) => {
        const { deletedCount } = await collection.deleteMany(matching(items, which));
        // An earlier attempt, whose answer was lost, may have removed it.
        return Math.max(deletedCount, Math.min(attempt, 1));
      });
    },
    async removeEach(ids) {
      if (queue !== undefined) await queue.add({ drops: ids });
      else
        await retryPolicy.run(`remove from ${name}`, () => collection.deleteMany({ _id: { $in: [...ids] } }));
    },
    sweep: (range, stopping, which = {}) =>
      dropSlices(collection, matching(items, which, range), retryPolicy, stopping),
  };
}

/** Inserts one item after the other; the one that decides comes last. */
export function makeInsertTogether(recordsOf: RecordsOf): Engine['insertTogether'] {
  return async function insertTogether(items) {
    const added = items.map((each) =>
      each((entity, item) => {
        const records = recordsOf(entity);
        const which: Equal<typeof item> = {};
        for (const key of entity.key) Reflect.set(which, key, item[key]);
        return { insert: () => records.insert(item), remove: () => records.remove(which) };
      }),
    );
    for (const [at, { insert }] of added.entries()) {
      if (await insert()) continue;
      for (const { remove } of added.slice(0, at)) await remove();
      if (at < added.length - 1) throw new Error('an id that was made for an item is taken');
      return false;
    }
    return true;
  };
}
