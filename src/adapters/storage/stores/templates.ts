/** Templates, with the times of their syncs. */
import { isGone } from '../../../domain/templates/template.ts';
import type { Template } from '../../../domain/templates/template.ts';
import { oldestFirst } from '../../../use-cases/ports/paging.ts';
import type { TemplateChange, TemplateStore } from '../../../use-cases/ports/templates.ts';
import type { KeptTemplate } from '../entities/templates.ts';
import { readPage } from '../records.ts';
import type { Change, RecordsOf } from '../records.ts';
import { templateSyncStore } from './template-syncs.ts';

export function templateStore(recordsOf: RecordsOf): TemplateStore {
  const templates = recordsOf('templates');
  return {
    async list({ accountId, businessAccountId }, status, page) {
      const equal = { accountId, businessAccountId, ...(status === null ? {} : { status }) };
      const { items, nextCursor } = await readPage(templates, { by: 'ofOwner', equal }, page);
      return { items: items.map(toTemplate), nextCursor };
    },
    async byId({ accountId, businessAccountId }, id) {
      const found = await templates.one({ id, accountId, businessAccountId, removedAt: null });
      return found === null ? null : toTemplate(found);
    },
    async byName({ accountId, businessAccountId }, name) {
      const equal = { accountId, businessAccountId, name };
      const found = await templates.list({ by: 'byName', equal, limit: null });
      return found.map(toTemplate).toSorted(oldestFirst);
    },
    put: (template, now) => templates.replace({ ...template, changedAt: now, statusAt: 0, removedAt: null }),
    edited: ({ accountId, businessAccountId }, id, { status, category, components }, now) =>
      templates.patchEach([
        {
          which: { id, accountId, businessAccountId, removedAt: null },
          change: { set: { status, category, components, rejectedReason: null, changedAt: now } },
        },
      ]),
    remove: ({ accountId, businessAccountId }, ids, now) =>
      templates.patchEach(
        ids.map((id) => ({
          which: { id, accountId, businessAccountId, removedAt: null },
          change: { set: { removedAt: now, changedAt: now } },
        })),
      ),
    async apply({ businessAccountId, upstreamId, at, change }, now) {
      const equal = { businessAccountId, upstreamId };
      const known = await templates.list({ by: 'upstream', equal, limit: null });
      const isNews = 'status' in change ? { range: { on: 'statusAt', upTo: at } as const } : {};
      await templates.patchEach(
        known.map(({ id }) => ({
          which: { id, removedAt: null },
          ...isNews,
          change: changeBy(change, at, now),
        })),
      );
      return known.map(({ accountId }) => accountId);
    },
    dropRemoved: (before) => templates.sweep({ on: 'removedAt', below: before }),
    ...templateSyncStore(recordsOf),
  };
}

function changeBy(change: TemplateChange['change'], at: number, now: number): Change<KeptTemplate> {
  if (!('status' in change)) return { set: { ...change, changedAt: now } };
  const { status, reason } = change;
  const gone = isGone(status) ? { removedAt: now } : {};
  return { set: { status, rejectedReason: reason, statusAt: at, changedAt: now, ...gone } };
}

function toTemplate(kept: KeptTemplate): Template {
  const { changedAt: _changed, statusAt: _status, removedAt: _removed, ...template } = kept;
  return template;
}
