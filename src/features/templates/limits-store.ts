/** Counters for upstream's limits on templates. */
import { freeAt, stillCounting } from '../../rules/templates/limits.ts';
import type { Use, Window } from '../../rules/templates/limits.ts';
import { batchPerKey } from '../../kernel/batches.ts';
import { StoreUnavailable } from '../../kernel/faults.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { templateUses } from './entity.ts';
import type { TemplateUses } from './entity.ts';

/** Between nodes one succeeds each time: this many failures in a row are no race but a fault. */
const maxTries = 1_000;

/** Returns the new uses with the answer; the same uses if nothing is to be written. */
type Step = (uses: readonly Use[]) => { uses: readonly Use[]; answer: number | null };

export function templateLimitStore(recordsOf: RecordsOf) {
  const counters = recordsOf(templateUses);

  /** Writes the uses; false if another node was faster. */
  async function isWritten(key: string, known: TemplateUses | null, uses: readonly Use[]): Promise<boolean> {
    const usedAt = Math.max(0, ...uses.map(({ at }) => at));
    if (known === null) return counters.insert({ key, uses, usedAt, version: 1 });
    const { version } = known;
    const change = { set: { uses, usedAt, version: version + 1 } };
    return (await counters.patch({ which: { key, version }, change })) !== null;
  }

  /** The concurrent steps of a node share a read and a write, so that they do not race each other. [faults: 208] */
  const step = batchPerKey<Step, number | null>(async (key, steps) => {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = await counters.one({ key });
      const before = known?.uses ?? [];
      const { uses, answers } = takeSteps(before, steps);
      if (uses === before || (await isWritten(key, known, uses))) return answers;
    }
    throw new StoreUnavailable('too many uses race', 'no');
  });

  return {
    /** Counts the use unless a window is full; concurrent calls are serialised. null: counted; else the time (ms) when it can be. */
    take: (key: string, use: Use, windows: readonly Window[]): Promise<number | null> =>
      step(key, (uses) => {
        // An earlier attempt succeeded and its answer was lost.
        if (uses.some(({ id }) => id === use.id)) return { uses, answer: null };
        const free = freeAt(uses, windows, use.at);
        if (free > use.at) return { uses, answer: free };
        return { uses: [...stillCounting(uses, windows, use.at), use], answer: null };
      }),
    /** Takes a counted use back. */
    async giveBack(key: string, useId: string): Promise<void> {
      await step(key, (uses) => {
        const left = uses.filter(({ id }) => id !== useId);
        return { uses: left.length === uses.length ? uses : left, answer: null };
      });
    },
    /** When the key was last used. */
    async lastUse(key: string): Promise<number | null> {
      return (await counters.one({ key }))?.uses.at(-1)?.at ?? null;
    },
    dropOlder: (than: number, stopping?: AbortSignal): Promise<number> =>
      counters.sweep({ on: 'usedAt', below: than }, stopping),
  };
}

/** Usage counters, shared by all channels and nodes. */

function takeSteps(
  before: readonly Use[],
  steps: readonly Step[],
): { uses: readonly Use[]; answers: (number | null)[] } {
  let uses = before;
  const answers = steps.map((step) => {
    const taken = step(uses);
    uses = taken.uses;
    return taken.answer;
  });
  return { uses, answers };
}
