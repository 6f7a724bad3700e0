/**
 * What upstream changes of a template, written with what is to be told of it, until that is told. [spec: Additions, What changed]
 */
import { atOnce, withUntold } from '../../rules/events/changes.ts';
import { templateChanges, templateParts } from '../../rules/templates/changes.ts';
import type { Patch, Records } from '../../storage/records.ts';
import type { StoredTemplate } from './entity.ts';

/** No change that upstream made waits to be told. */
export const toldAll = { untold: null, tellAt: null, version: null };

export function unchangedSince(startedAt: number) {
  return { on: 'changedAt', below: startedAt } as const;
}

/** Each lost race is another writer's success; a template has few. */
const maxTries = 20;

/**
 * Writes what upstream says of a template, and with it, on the same record, what is to be told. Compare-and-set on what is told, so that of
 * two nodes that learn of one change one tells it. Nothing is done to a template that is removed, or outside the range.
 */
export async function changeWatched(
  templates: Records<StoredTemplate>,
  found: StoredTemplate,
  { range, set, at }: { range: Patch<StoredTemplate>['range']; set: Partial<StoredTemplate>; at: number },
): Promise<void> {
  let known: StoredTemplate | null = found;
  for (let tries = 0; known !== null && tries < maxTries; tries += 1) {
    const { id, status, category, quality, version }: StoredTemplate = known;
    const which = { id, removedAt: null, status, category, quality, version };
    const change = { set: { ...set, ...tellingOf(known, set, at) } };
    const inRange = range === undefined ? {} : { range };
    if ((await templates.patch({ which, ...inRange, change })) !== null) return;
    const now: StoredTemplate | null = await templates.one({ id, removedAt: null });
    // As it was: so the range left it out.
    const isSame = now !== null && templateParts.every((part) => now[part] === known?.[part]);
    known = isSame && now.version === version ? null : now;
  }
}

function tellingOf(known: StoredTemplate, set: Partial<StoredTemplate>, at: number): Partial<StoredTemplate> {
  const version = (known.version ?? 0) + 1;
  const changes = templateChanges(known, set, { version, at, reason: set.rejectedReason ?? null });
  if (changes.length === 0) return {};
  return { version, untold: withUntold(known.untold, changes), tellAt: known.tellAt ?? atOnce };
}

export function untoldIn(templates: Records<StoredTemplate>) {
  return {
    /** Templates with changes to tell now, the longest due first. */
    untold: (now: number, limit: number): Promise<StoredTemplate[]> =>
      templates.list({ by: 'untold', range: { on: 'tellAt', from: 0, upTo: now }, limit }),
    /** Takes what was told off the record. */
    async told(id: string, ids: ReadonlySet<string>): Promise<void> {
      for (let tries = 0; tries < maxTries; tries += 1) {
        const known = await templates.one({ id });
        if (known === null) return;
        const { version } = known;
        const left = (known.untold ?? []).filter((change) => !ids.has(change.id));
        const set =
          left.length === 0
            ? { untold: null, tellAt: null, version: (version ?? 0) + 1 }
            : { untold: left, version: (version ?? 0) + 1 };
        if ((await templates.patch({ which: { id, version }, change: { set } })) !== null) return;
      }
    },
    /** They could not be told: again at `tellAt`. */
    tellLater: (id: string, tellAt: number): Promise<void> =>
      templates.patchEach([{ which: { id }, range: { on: 'tellAt', from: 0 }, change: { set: { tellAt } } }]),
  };
}
