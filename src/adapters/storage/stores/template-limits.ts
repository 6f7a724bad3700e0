/** Counters for upstream's limits on templates. */
import { freeAt, stillCounting } from '../../../domain/templates/limits.ts';
import type { Use } from '../../../domain/templates/limits.ts';
import { StoreUnavailable } from '../../../kernel/faults.ts';
import type { TemplateLimitStore } from '../../../use-cases/ports/templates.ts';
import type { TemplateUses } from '../entities/template-uses.ts';
import type { RecordsOf } from '../records.ts';

/** Of concurrent calls one succeeds each time: this many failures in a row are no race but a fault. */
const maxTries = 1_000;

export function templateLimitStore(recordsOf: RecordsOf): TemplateLimitStore {
  const counters = recordsOf('templateUses');

  /** Writes the uses; false if another caller was faster. */
  async function isWritten(key: string, known: TemplateUses | null, uses: readonly Use[]): Promise<boolean> {
    const usedAt = Math.max(0, ...uses.map(({ at }) => at));
    if (known === null) return counters.insert({ key, uses, usedAt, version: 1 });
    const { version } = known;
    const change = { set: { uses, usedAt, version: version + 1 } };
    return (await counters.patch({ which: { key, version }, change })) !== null;
  }

  /** `step` returns the new uses, or the answer if nothing is to be written. */
  async function stepTo<A>(
    key: string,
    step: (uses: readonly Use[]) => { uses: readonly Use[] } | { answer: A },
    answer: A,
  ): Promise<A> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const known = await counters.one({ key });
      const next = step(known?.uses ?? []);
      if ('answer' in next) return next.answer;
      if (await isWritten(key, known, next.uses)) return answer;
    }
    throw new StoreUnavailable('too many uses race', 'no');
  }

  return {
    take: (key, use, windows) =>
      stepTo<number | null>(
        key,
        (uses) => {
          // An earlier attempt succeeded and its answer was lost.
          if (uses.some(({ id }) => id === use.id)) return { answer: null };
          const free = freeAt(uses, windows, use.at);
          return free > use.at ? { answer: free } : { uses: [...stillCounting(uses, windows, use.at), use] };
        },
        null,
      ),
    giveBack: (key, useId) =>
      stepTo<void>(
        key,
        (uses) => {
          const left = uses.filter(({ id }) => id !== useId);
          return left.length === uses.length ? { answer: undefined } : { uses: left };
        },
        undefined,
      ),
    async lastUse(key) {
      return (await counters.one({ key }))?.uses.at(-1)?.at ?? null;
    },
    dropOlder: (than) => counters.sweep({ on: 'usedAt', below: than }),
  };
}
