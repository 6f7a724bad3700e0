/** The syncs of an owner's templates with upstream's list, and the templates that a list brings. */
import { templateParts } from '../../rules/templates/changes.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Records } from '../../storage/records.ts';
import { changeWatched, toldAll, unchangedSince } from './watched.ts';
import type { StoredTemplate, TemplateSync } from './entity.ts';

/** Templates per write; takes about 10 ms of a writer. */
const perCall = 100;

export function templateSyncStore(templates: Records<StoredTemplate>, syncs: Records<TemplateSync>) {
  const findSync = ({ accountId, businessAccountId }: TemplateOwner) =>
    syncs.one({ accountId, businessAccountId });

  const take = takerInto(templates);
  const done = makeDone(syncs);

  return {
    sync: findSync,
    /**
     * Stores the news of a list that was requested from upstream at `startedAt`. Templates changed here since then are kept, and a
     * list older than the last one is ignored. The next sync is due at `dueAt`, or earlier if `askForSync` was called after `askedAt`.
     */
    async synced(
      owner: TemplateOwner,
      { changed, goneIds }: TemplateNews,
      startedAt: number,
      dueAt: number,
      askedAt = startedAt,
    ): Promise<void> {
      const last = (await findSync(owner))?.syncedAt ?? null;
      if (last !== null && last > startedAt) return;
      for (let from = 0; from < changed.length; from += perCall)
        await take(changed.slice(from, from + perCall), startedAt);
      const gone = { removedAt: startedAt, changedAt: startedAt, status: 'DELETED' };
      for (let from = 0; from < goneIds.length; from += perCall)
        for (const template of await templates.some(goneIds.slice(from, from + perCall), owner))
          await changeWatched(templates, template, {
            range: unchangedSince(startedAt),
            set: gone,
            at: startedAt,
          });
      // Last, so that after a crash the sync counts as not done.
      await done(owner, { startedAt, dueAt, askedAt });
    },
    /** Schedules a sync at `at`, the present time: it stays due until a list that was requested later is stored. */
    askForSync: ({ accountId, businessAccountId }: TemplateOwner, at: number): Promise<void> =>
      syncs.upsertEach([{ accountId, businessAccountId, syncedAt: null, dueAt: at, failures: 0 }], {
        dueAt: 'put', // the latest wins: a list that is being read may lack the change that caused the request
      }),
    ...intendedSyncs(syncs),
    /** Counts a failed attempt of a sync that was found due. `dueAt` null: do not retry. One that was asked for meanwhile stays due. */
    syncFailed: (
      { accountId, businessAccountId, dueAt: foundDueAt }: TemplateOwner & Pick<TemplateSync, 'dueAt'>,
      dueAt: number | null,
    ): Promise<void> =>
      syncs.patchEach([
        { which: { accountId, businessAccountId }, change: { add: { failures: 1 } } },
        { which: { accountId, businessAccountId, dueAt: foundDueAt }, change: { set: { dueAt } } },
      ]),
    /** Longest due first. */
    dueSyncs: (due: { from: number; upTo: number }, limit: number): Promise<TemplateSync[]> =>
      syncs.list({ by: 'due', range: { on: 'dueAt', ...due }, limit }),
  };
}

function intendedSyncs(syncs: Records<TemplateSync>) {
  return {
    /**
     * As `askForSync`, for a time that lies ahead. Returns when the sync was due before. Compare-and-set: one that is asked for meanwhile is
     * what was due before.
     */
    async intendSync({ accountId, businessAccountId }: TemplateOwner, at: number): Promise<number | null> {
      for (;;) {
        const known = await syncs.one({ accountId, businessAccountId });
        const intended = { accountId, businessAccountId, syncedAt: null, dueAt: at, failures: 0 };
        if (known === null && (await syncs.insert(intended))) return null;
        if (known === null) continue;
        const which = { accountId, businessAccountId, dueAt: known.dueAt };
        if ((await syncs.patch({ which, change: { set: { dueAt: at } } })) !== null) return known.dueAt;
      }
    },
    /**
     * Takes an intended sync back, unless another one was asked for meanwhile. If none was due before, it stays: a first sync that ran
     * meanwhile has left the next one to it.
     */
    async forgetSync(
      { accountId, businessAccountId }: TemplateOwner,
      { at, before }: { at: number; before: number | null },
    ): Promise<void> {
      if (before === null) return;
      const which = { accountId, businessAccountId, dueAt: at };
      await syncs.patch({ which, change: { set: { dueAt: before } } });
    },
  };
}

/** Writes templates, except where the stored one changed after the list was requested. */
function takerInto(templates: Records<StoredTemplate>) {
  return async function take(changed: readonly Template[], startedAt: number): Promise<void> {
    const listed = { changedAt: startedAt, removedAt: null };
    const known = await templates.some(changed.map(({ id }) => id));
    await templates.insertEach(
      changed.map((template) => ({ ...template, ...listed, statusAt: 0, ...toldAll })),
    );
    const left = new Map(changed.map((template) => [template.id, template]));
    for (const template of known.filter(({ removedAt }) => removedAt === null)) {
      const { id: _id, ...rest } = left.get(template.id) ?? template;
      const set = { ...rest, ...listed };
      if (templateParts.every((part) => template[part] === set[part])) continue;
      left.delete(template.id);
      await changeWatched(templates, template, { range: unchangedSince(startedAt), set, at: startedAt });
    }
    await templates.patchEach(
      [...left.values()].map(({ id, ...rest }) => ({
        which: { id },
        range: unchangedSince(startedAt),
        change: { set: { ...rest, ...listed } },
      })),
    );
  };
}

/** Records the sync. A sync that was requested after the list remains due. */
function makeDone(syncs: Records<TemplateSync>) {
  return async function done(
    owner: TemplateOwner,
    { startedAt, dueAt, askedAt }: { startedAt: number; dueAt: number; askedAt: number },
  ): Promise<void> {
    const { accountId, businessAccountId } = owner;
    const sync = { accountId, businessAccountId, syncedAt: startedAt, dueAt: null, failures: 0 };
    await syncs.upsertEach([sync], { syncedAt: 'max', failures: 'put' });
    for (;;) {
      const standing = (await syncs.one({ accountId, businessAccountId }))?.dueAt ?? null;
      if (standing !== null && standing >= askedAt && standing < dueAt) return;
      const which = { accountId, businessAccountId, dueAt: standing };
      if ((await syncs.patch({ which, change: { set: { dueAt } } })) !== null) return;
    }
  };
}

/** Differences between upstream's list and the stored templates. */
interface TemplateNews {
  changed: readonly Template[];
  goneIds: readonly string[];
}
