/** Templates, with the times of their syncs. */
import { latestMeant } from '../../rules/messages/facts.ts';
import { isGone } from '../../rules/templates/template.ts';
import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import { oldestFirst } from '../../kernel/paging.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import { readPage } from '../../storage/records.ts';
import type { RecordsOf, Records } from '../../storage/records.ts';
import { changeWatched, toldAll, untoldIn } from './watched.ts';
import { templateSyncs, templates as templatesEntity } from './entity.ts';
import type { StoredTemplate } from './entity.ts';
import { templateSyncStore } from './sync-store.ts';

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
    /** Stores a template that upstream accepted. False: it has replaced one that a sync had found under its id, and that may have been newer. */
    async put(template: Template, now: number): Promise<boolean> {
      const item = { ...template, changedAt: now, statusAt: 0, removedAt: null, ...toldAll };
      if (await templates.insert(item)) return true;
      await templates.replace(item);
      return false;
    },
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
