/** Writes to templates, to when they were read from upstream, and to the counters of upstream's limits. */
import { freeAt, stillCounting } from '../../../../domain/templates/limits.ts';
import type { Use, Window } from '../../../../domain/templates/limits.ts';
import { isGone } from '../../../../domain/templates/template.ts';
import type { Template } from '../../../../domain/templates/template.ts';
import type { TemplateChange, TemplateNews, TemplateOwner } from '../../../../use-cases/ports/templates.ts';
import { changed, prepareNamed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { templates, templateUses } from '../tables.ts';
import type { TemplateUses } from '../../entities/template-uses.ts';
import type { Row } from '../table.ts';

export function templateOperations(db: Database) {
  return { ...changes(db), ...upstreamNews(db), ...syncs(db), ...uses(db) };
}

const owned = 'account_id = :accountId and business_account_id = :businessAccountId';

function changes(db: Database) {
  const put = templates.put(db);
  const edit = prepareNamed(
    db,
    `update templates set status = :status, category = :category, components = :components,
      rejected_reason = null, changed_at = :now
    where id = :id and ${owned} and removed_at is null`,
  );
  const remove = prepareNamed(
    db,
    `update templates set removed_at = :now, changed_at = :now where id = :id and ${owned} and removed_at is null`,
  );
  const drop = db.prepare('delete from templates where removed_at < ?');
  return {
    putTemplate(template: Template, now: number): void {
      put({ ...template, changedAt: now, statusAt: 0, removedAt: null });
    },
    editTemplate(
      { accountId, businessAccountId }: TemplateOwner,
      id: string,
      change: Pick<Template, 'status' | 'category' | 'components'>,
      now: number,
    ): void {
      const { status, category } = change;
      const components = JSON.stringify(change.components);
      edit.run({ accountId, businessAccountId, id, status, category, components, now });
    },
    removeTemplates(owner: TemplateOwner, ids: readonly string[], now: number): void {
      const { accountId, businessAccountId } = owner;
      for (const id of ids) remove.run({ accountId, businessAccountId, id, now });
    },
    dropRemovedTemplates: (before: number): number => changed(drop.run(before)),
  };
}

/** What a webhook says, for every account on the business account. */
function upstreamNews(db: Database) {
  const at = 'business_account_id = :businessAccountId and upstream_id = :upstreamId';
  const knowing = db.prepare<{ account_id: string }>(
    'select account_id from templates where business_account_id = ? and upstream_id = ?',
  );
  const setStatus = prepareNamed(
    db,
    `update templates set status = :status, rejected_reason = :reason, status_at = :at, changed_at = :now,
      removed_at = case when :isGone then :now else removed_at end
    where ${at} and removed_at is null and status_at <= :at`,
  );
  const setCategory = prepareNamed(
    db,
    `update templates set category = :category, changed_at = :now where ${at} and removed_at is null`,
  );
  const setQuality = prepareNamed(
    db,
    `update templates set quality = :quality, changed_at = :now where ${at} and removed_at is null`,
  );
  return {
    applyTemplateChange(
      { businessAccountId, upstreamId, at, change }: TemplateChange,
      now: number,
    ): string[] {
      const where = { businessAccountId, upstreamId, now };
      if ('status' in change) {
        const { status, reason } = change;
        setStatus.run({ ...where, at, status, reason, isGone: isGone(status) ? 1 : 0 });
      } else if ('category' in change) setCategory.run({ ...where, category: change.category });
      else setQuality.run({ ...where, quality: change.quality });
      return knowing.all(businessAccountId, upstreamId).map((row) => row.account_id);
    },
  };
}

function syncs(db: Database) {
  const put = templates.put(db);
  const changedAt = db.prepare<{ changed_at: number; status_at: number }>(
    'select changed_at, status_at from templates where id = ?',
  );
  const gone = prepareNamed(
    db,
    `update templates set removed_at = :startedAt, changed_at = :startedAt
    where id = :id and ${owned} and changed_at < :startedAt and removed_at is null`,
  );
  const syncedAt = db.prepare<{ synced_at: number | null }>(
    'select synced_at from template_syncs where account_id = ? and business_account_id = ?',
  );
  const begin = prepareNamed(
    db,
    `insert into template_syncs (account_id, business_account_id, synced_at, due_at, failures)
    values (:accountId, :businessAccountId, null, :dueAt, 0)
    on conflict (account_id, business_account_id) do update set due_at = min(coalesce(due_at, :dueAt), :dueAt)`,
  );
  const done = prepareNamed(
    db,
    `insert into template_syncs (account_id, business_account_id, synced_at, due_at, failures)
    values (:accountId, :businessAccountId, :startedAt, :dueAt, 0)
    on conflict (account_id, business_account_id) do update set synced_at = max(coalesce(synced_at, 0), :startedAt), failures = 0,
      due_at = case when due_at >= :startedAt and due_at < :dueAt then due_at else :dueAt end`,
  );
  const failed = prepareNamed(
    db,
    `update template_syncs set due_at = :dueAt, failures = failures + 1 where ${owned}`,
  );

  function take(template: Template, startedAt: number): void {
    const known = changedAt.get(template.id);
    if (known !== undefined && known.changed_at >= startedAt) return;
    put({ ...template, changedAt: startedAt, statusAt: known?.status_at ?? 0, removedAt: null });
  }

  return {
    takeTemplateNews(
      { accountId, businessAccountId }: TemplateOwner,
      { changed: news, goneIds }: TemplateNews,
      startedAt: number,
    ): void {
      const last = syncedAt.get(accountId, businessAccountId)?.synced_at ?? null;
      if (last !== null && last > startedAt) return;
      for (const template of news) take(template, startedAt);
      for (const id of goneIds) gone.run({ accountId, businessAccountId, id, startedAt });
    },
    templatesSynced(owner: TemplateOwner, startedAt: number, dueAt: number): void {
      const { accountId, businessAccountId } = owner;
      done.run({ accountId, businessAccountId, startedAt, dueAt });
    },
    askForTemplateSync({ accountId, businessAccountId }: TemplateOwner, dueAt: number): void {
      begin.run({ accountId, businessAccountId, dueAt });
    },
    templateSyncFailed({ accountId, businessAccountId }: TemplateOwner, dueAt: number | null): void {
      failed.run({ accountId, businessAccountId, dueAt });
    },
  };
}

/** One writing thread: reading and writing in one call is atomic. */
function uses(db: Database) {
  const one = db.prepare<Row<TemplateUses>>(`select ${templateUses.list} from template_uses where key = ?`);
  const put = templateUses.put(db);
  const drop = db.prepare('delete from template_uses where used_at < ?');

  function usesOf(key: string): readonly Use[] {
    const row = one.get(key);
    return row === undefined ? [] : templateUses.of(row).uses;
  }

  return {
    takeTemplateUse(key: string, use: Use, windows: readonly Window[]): number | null {
      const standing = usesOf(key);
      const free = freeAt(standing, windows, use.at);
      if (free > use.at) return free;
      put({ key, uses: [...stillCounting(standing, windows, use.at), use], usedAt: use.at, version: 0 });
      return null;
    },
    giveBackTemplateUse(key: string, useId: string): void {
      const standing = usesOf(key);
      const left = standing.filter(({ id }) => id !== useId);
      const usedAt = Math.max(0, ...left.map(({ at }) => at));
      if (left.length < standing.length) put({ key, uses: left, usedAt, version: 0 });
    },
    dropTemplateUses: (than: number): number => changed(drop.run(than)),
  };
}
