/** Templates, and the counters of upstream's limits: reads here, writes through the line. */
import type { Template } from '../../../../domain/templates/template.ts';
import type {
  TemplateLimitStore,
  TemplateNews,
  TemplateStore,
  TemplateSync,
} from '../../../../use-cases/ports/templates.ts';
import type { Reader } from '../reader.ts';
import type { Row } from '../table.ts';
import { ownTemplate, templateSyncs, templateUses } from '../tables.ts';
import type { TemplateUses } from '../../entities/template-uses.ts';
import type { WriterThread } from '../writer-thread.ts';
import { beforeAll, pageOf } from './paging.ts';

/** Half a millisecond of the writing thread, which has sends to write too. */
const newsPerWrite = 50;

const owned = 'account_id = ? and business_account_id = ? and removed_at is null';

export function templateStore(reader: Reader, writer: WriterThread): TemplateStore {
  return { ...templateReads(reader), ...templateWrites(writer) };
}

type Reads = 'list' | 'byId' | 'byName' | 'sync' | 'dueSyncs';

function templateReads(reader: Reader): Pick<TemplateStore, Reads> {
  const select = `select ${ownTemplate.list} from templates`;
  const listed = `and (created_at, id) > (?, ?) order by created_at, id limit ?`;
  const all = reader.query<Row<Template>>(`${select} where ${owned} ${listed}`);
  const ofStatus = reader.query<Row<Template>>(`${select} where ${owned} and status = ? ${listed}`);
  const one = reader.query<Row<Template>>(`${select} where id = ? and ${owned}`);
  const named = reader.query<Row<Template>>(`${select} where ${owned} and name = ? order by created_at, id`);
  const sync = reader.query<Row<TemplateSync>>(
    `select ${templateSyncs.list} from template_syncs where account_id = ? and business_account_id = ?`,
  );
  const due = reader.query<Row<TemplateSync>>(
    `select ${templateSyncs.list} from template_syncs where due_at <= ? order by due_at limit ?`,
  );
  return {
    list: ({ accountId, businessAccountId }, status, page) =>
      pageOf(page, beforeAll, ({ createdAt, id }, limit) => {
        const found =
          status === null
            ? all.all(accountId, businessAccountId, createdAt, id, limit)
            : ofStatus.all(accountId, businessAccountId, status, createdAt, id, limit);
        return found.map(ownTemplate.of);
      }),
    async byId({ accountId, businessAccountId }, templateId) {
      const row = one.get(templateId, accountId, businessAccountId);
      return row === undefined ? null : ownTemplate.of(row);
    },
    byName: async ({ accountId, businessAccountId }, name) =>
      named.all(accountId, businessAccountId, name).map(ownTemplate.of),
    async sync({ accountId, businessAccountId }) {
      const row = sync.get(accountId, businessAccountId);
      return row === undefined ? null : templateSyncs.of(row);
    },
    dueSyncs: async (now, limit) => due.all(now, limit).map(templateSyncs.of),
  };
}

function templateWrites(writer: WriterThread): Omit<TemplateStore, Reads> {
  return {
    put: (template, now) => writer.call('putTemplate', template, now),
    edited: ({ accountId, businessAccountId }, templateId, change, now) =>
      writer.call('editTemplate', { accountId, businessAccountId }, templateId, change, now),
    remove: (owner, templateIds, now) => writer.call('removeTemplates', owner, templateIds, now),
    async synced(owner, news, startedAt, dueAt) {
      for (const part of partsOf(news)) await writer.call('takeTemplateNews', owner, part, startedAt);
      // Last: a crash before it leaves a list that was not read.
      await writer.call('templatesSynced', owner, startedAt, dueAt);
    },
    apply: (change, now) => writer.call('applyTemplateChange', change, now),
    askForSync: (owner, at) => writer.call('askForTemplateSync', owner, at),
    syncFailed: (owner, dueAt) => writer.call('templateSyncFailed', owner, dueAt),
    dropRemoved: (before) => writer.call('dropRemovedTemplates', before),
  };
}

function partsOf({ changed, goneIds }: TemplateNews): TemplateNews[] {
  const count = Math.ceil(Math.max(changed.length, goneIds.length) / newsPerWrite);
  return Array.from({ length: count }, (_, part) => {
    const [from, to] = [part * newsPerWrite, (part + 1) * newsPerWrite];
    return { changed: changed.slice(from, to), goneIds: goneIds.slice(from, to) };
  });
}

export function templateLimitStore(reader: Reader, writer: WriterThread): TemplateLimitStore {
  const one = reader.query<Row<TemplateUses>>(`select ${templateUses.list} from template_uses where key = ?`);
  return {
    take: (key, use, windows) => writer.call('takeTemplateUse', key, use, windows),
    giveBack: (key, useId) => writer.call('giveBackTemplateUse', key, useId),
    async lastUse(key) {
      const row = one.get(key);
      const last = row === undefined ? undefined : templateUses.of(row).uses.at(-1);
      return last?.at ?? null;
    },
    dropOlder: (than) => writer.call('dropTemplateUses', than),
  };
}
