/** Templates, with the times of their syncs. */
import { latestMeant } from '../../rules/messages/facts.ts';
import { templateParts } from '../../rules/templates/changes.ts';
import { isGone } from '../../rules/templates/template.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import { oldestFirst } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { readPage } from '../../storage/records.ts';
import type { RecordsOf, Records } from '../../storage/records.ts';
import { changeWatched, toldAll, unchangedSince, untoldIn } from './watched.ts';
import { templateSyncs, templates as templatesEntity } from './entity.ts';
import type { StoredTemplate, TemplateSync } from './entity.ts';

/** A change of one template, reported by a webhook; `at` is upstream's time. */
interface TemplateChange {
  businessAccountId: string;
  upstreamId: string;
  at: number;
  change: { status: string; reason: string | null } | { category: string } | { quality: string };
}

const named = ['id', 'businessAccountId', 'name', 'language'] as const;
export type NamedTemplate = Pick<Template, (typeof named)[number]>;

/** What is read of a template, without the times of `TemplateTimes`. */
const templateFields = [
  'id', 'accountId', 'businessAccountId', 'upstreamId', 'name', 'language', 'category', 'status', 'components', 'parameterFormat',
  'quality', 'rejectedReason', 'syncedAt', 'createdAt',
] as const satisfies (keyof Template)[]; // oxfmt-ignore

export function templateStore(recordsOf: RecordsOf) {
  const templates = recordsOf(templatesEntity);
  const shown = templates.only(...templateFields);
  return {
    /** In order of creation; `status` null: every status. */
    async list(
      { accountId, businessAccountId }: TemplateOwner,
      status: string | null,
      page: PageRequest,
    ): Promise<Page<Template>> {
      const equal = { accountId, businessAccountId, ...(status === null ? {} : { status }) };
      return readPage(shown, { by: 'ofOwner', equal }, page);
    },
    async byId({ accountId, businessAccountId }: TemplateOwner, id: string): Promise<Template | null> {
      return shown.one({ id, accountId, businessAccountId, removedAt: null });
    },
    /** Every language of the name. */
    async byName({ accountId, businessAccountId }: TemplateOwner, name: string): Promise<Template[]> {
      const equal = { accountId, businessAccountId, name };
      const found = await shown.list({ by: 'byName', equal, limit: null });
      return found.toSorted(oldestFirst);
    },
    /** The first `limit` of the account, by business account and name, in every language; their texts are not read. */
    names: (accountId: string, limit: number): Promise<NamedTemplate[]> =>
      templates.only(...named).list({ by: 'byName', equal: { accountId }, limit }),
    /** Stores a template that upstream accepted; replaces one that a sync found under its id meanwhile. */
    put: (template: Template, now: number): Promise<void> =>
      templates.replace({ ...template, changedAt: now, statusAt: 0, removedAt: null, ...toldAll }),
    ...changesOf(templates),
    ...untoldIn(templates),

    /** Forgets templates removed before this. Returns their number. */
    dropRemoved: (before: number, stopping?: AbortSignal): Promise<number> =>
      templates.sweep({ on: 'removedAt', below: before }, stopping),
    ...templateSyncStore(templates, recordsOf(templateSyncs)),
  };
}

function changesOf(templates: Records<StoredTemplate>) {
  return {
    /**
     * Stores the fields that an edit changed; no earlier status undoes them. The template before and after this very write; null, and
     * nothing is done, if it is absent.
     */
    async edited(
      { accountId, businessAccountId }: TemplateOwner,
      id: string,
      { status, category, components }: Pick<Template, 'status' | 'category' | 'components'>,
      now: number,
    ): Promise<{ before: Template; after: Template } | null> {
      const set = { status, category, components, rejectedReason: null, changedAt: now, statusAt: now };
      const which = { id, accountId, businessAccountId, removedAt: null };
      const changed = await templates.patchBoth({ which, change: { set } });
      return changed === null
        ? null
        : { before: toTemplate(changed.before), after: toTemplate(changed.after) };
    },
    /** Removes the templates; a sync that began before does not bring them back. Returns those that no other call had removed. */
    async remove(
      { accountId, businessAccountId }: TemplateOwner,
      ids: readonly string[],
      now: number,
    ): Promise<Template[]> {
      const set = { removedAt: now, changedAt: now };
      const removing = ids.map((id) =>
        templates.patch({ which: { id, accountId, businessAccountId, removedAt: null }, change: { set } }),
      );
      return (await Promise.all(removing)).flatMap((removed) =>
        removed === null ? [] : toTemplate(removed),
      );
    },
    /**
     * Applies the change for every account on the business account; a status only if it is not older, by upstream's time, than the
     * last status and edit. Returns the accounts that have the template, or had it before they deleted it; for a status, only those
     * whose template was not changed after that time.
     */
    async apply(
      { businessAccountId, upstreamId, at, change }: TemplateChange,
      now: number,
    ): Promise<string[]> {
      const equal = { businessAccountId, upstreamId };
      const known = await templates.list({ by: 'upstream', equal, limit: null });
      const isStatus = 'status' in change;
      const latest = latestMeant(at);
      const range = isStatus ? ({ on: 'statusAt', upTo: latest } as const) : undefined;
      for (const template of known)
        await changeWatched(templates, template, { range, set: changeBy(change, at, now), at });
      const certain = isStatus ? known.filter(({ changedAt }) => changedAt <= latest) : known;
      return certain.map(({ accountId }) => accountId);
    },
  };
}

export type TemplateStore = ReturnType<typeof templateStore>;

function changeBy(change: TemplateChange['change'], at: number, now: number): Partial<StoredTemplate> {
  if (!('status' in change)) return { ...change, changedAt: now };
  const { status, reason } = change;
  const gone = isGone(status) ? { removedAt: now } : {};
  return { status, rejectedReason: reason, statusAt: at, changedAt: now, ...gone };
}

function toTemplate(kept: StoredTemplate): Template {
  const {
    changedAt: _changed,
    statusAt: _status,
    removedAt: _removed,
    untold: _untold,
    tellAt: _tellAt,
    version: _version,
    ...template
  } = kept;
  return template;
}

/** Templates per write; takes about 10 ms of a writer. */
const perCall = 100;

function templateSyncStore(templates: Records<StoredTemplate>, syncs: Records<TemplateSync>) {
  const findSync = ({ accountId, businessAccountId }: TemplateOwner) =>
    syncs.one({ accountId, businessAccountId });

  const take = takerInto(templates);
  const done = makeDone(syncs);

  return {
    sync: findSync,
    /**
     * Stores the news of a list that was requested from upstream at `startedAt`. Templates changed here since then are kept, and a
     * list older than the last one is ignored. The next sync is due at `dueAt`, or earlier if `askForSync` was called meanwhile.
     */
    async synced(
      owner: TemplateOwner,
      { changed, goneIds }: TemplateNews,
      startedAt: number,
      dueAt: number,
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
      await done(owner, startedAt, dueAt);
    },
    /** Schedules a sync at `at`, the present time: it stays due until a list that was requested later is stored. */
    askForSync: ({ accountId, businessAccountId }: TemplateOwner, at: number): Promise<void> =>
      syncs.upsertEach([{ accountId, businessAccountId, syncedAt: null, dueAt: at, failures: 0 }], {
        dueAt: 'put', // the latest wins: a list that is being read may lack the change that caused the request
      }),
    ...intendedSyncs(syncs),
    /** Counts a failed attempt. `dueAt` null: do not retry. */
    syncFailed: ({ accountId, businessAccountId }: TemplateOwner, dueAt: number | null): Promise<void> =>
      syncs.patchEach([
        { which: { accountId, businessAccountId }, change: { set: { dueAt }, add: { failures: 1 } } },
      ]),
    /** Longest due first. */
    dueSyncs: (now: number, limit: number): Promise<TemplateSync[]> =>
      syncs.list({ by: 'due', range: { on: 'dueAt', from: 0, upTo: now }, limit }),
  };
}

function intendedSyncs(syncs: Records<TemplateSync>) {
  return {
    /** As `askForSync`, for a time that lies ahead. Returns when the sync was due before. */
    async intendSync({ accountId, businessAccountId }: TemplateOwner, at: number): Promise<number | null> {
      const before = (await syncs.one({ accountId, businessAccountId }))?.dueAt ?? null;
      await syncs.upsertEach([{ accountId, businessAccountId, syncedAt: null, dueAt: at, failures: 0 }], {
        dueAt: 'put',
      });
      return before;
    },
    /** Takes an intended sync back, unless another one was asked for meanwhile. */
    async forgetSync(
      { accountId, businessAccountId }: TemplateOwner,
      { at, before }: { at: number; before: number | null },
    ): Promise<void> {
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
  return async function done(owner: TemplateOwner, startedAt: number, dueAt: number): Promise<void> {
    const { accountId, businessAccountId } = owner;
    const sync = { accountId, businessAccountId, syncedAt: startedAt, dueAt: null, failures: 0 };
    await syncs.upsertEach([sync], { syncedAt: 'max', failures: 'put' });
    for (;;) {
      const standing = (await syncs.one({ accountId, businessAccountId }))?.dueAt ?? null;
      if (standing !== null && standing >= startedAt && standing < dueAt) return;
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
