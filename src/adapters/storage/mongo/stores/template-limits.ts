/** Counters of upstream's limits. */
import { freeAt, stillCounting } from '../../../../domain/templates/limits.ts';
import type { Use, Window } from '../../../../domain/templates/limits.ts';
import { StoreUnavailable } from '../../../../kernel/faults.ts';
import type { TemplateLimitStore } from '../../../../use-cases/ports/templates.ts';
import type { MongoContext, TemplateUsesDocument } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

/** Of any rivals one gets through each time; as many as this in a row are no rivals but a fault. */
const maxTries = 1_000;

export function templateLimitStore(context: MongoContext): TemplateLimitStore {
  const { templateUses, retryPolicy } = context;
  const read = (key: string) => retryPolicy.run('read a counter', () => templateUses.findOne({ _id: key }));
  return {
    take: async (key, use, windows) => {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await read(key);
        // A first attempt whose answer was lost.
        if (found?.uses.some(({ id }) => id === use.id) === true) return null;
        const free = freeAt(found?.uses ?? [], windows, use.at);
        if (free > use.at) return free;
        if (await isTaken(context, key, found, usesWith(found, use, windows))) return null;
      }
      throw new StoreUnavailable('too many uses race', 'no');
    },
    async giveBack(key, useId) {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const found = await read(key);
        const left = found?.uses.filter(({ id }) => id !== useId) ?? [];
        if (found === null || left.length === found.uses.length) return;
        if (await isTaken(context, key, found, left)) return;
      }
      throw new StoreUnavailable('too many uses race', 'no');
    },
    async lastUse(key) {
      return (await read(key))?.uses.at(-1)?.at ?? null;
    },
    async dropOlder(than) {
      const { deletedCount } = await retryPolicy.run('drop counters', () =>
        templateUses.deleteMany({ usedAt: { $lt: than } }),
      );
      return deletedCount;
    },
  };
}

function usesWith(found: TemplateUsesDocument | null, use: Use, windows: readonly Window[]): Use[] {
  return [...stillCounting(found?.uses ?? [], windows, use.at), use];
}

/** Writes the uses if nobody was faster. Repeated after a lost answer it finds the next version, and its caller its use. */
async function isTaken(
  { templateUses, retryPolicy }: MongoContext,
  key: string,
  found: TemplateUsesDocument | null,
  uses: readonly Use[],
): Promise<boolean> {
  const usedAt = Math.max(0, ...uses.map(({ at }) => at));
  if (found !== null) {
    const { version } = found;
    const { matchedCount } = await retryPolicy.run('count a use', () =>
      templateUses.updateOne({ _id: key, version }, { $set: { uses, usedAt, version: version + 1 } }),
    );
    return matchedCount === 1;
  }
  try {
    await retryPolicy.run('count a first use', () =>
      templateUses.insertOne({ _id: key, uses, usedAt, version: 1 }),
    );
    return true;
  } catch (error) {
    if (error instanceof DuplicateKey) return false;
    throw error;
  }
}
