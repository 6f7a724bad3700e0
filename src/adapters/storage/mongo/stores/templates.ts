/** Templates, and when they were read from upstream. */
import { isGone } from '../../../../domain/templates/template.ts';
import type { Template } from '../../../../domain/templates/template.ts';
import type { Json } from '../../../../kernel/json.ts';
import type {
  TemplateChange,
  TemplateOwner,
  TemplateStore,
  TemplateSync,
} from '../../../../use-cases/ports/templates.ts';
import type { MongoContext, TemplateDocument, TemplateSyncDocument } from '../collections.ts';
import { stored } from '../documents.ts';
import { DuplicateKey } from '../errors.ts';
import { pageOf } from './paging.ts';

const standing = { removedAt: { $exists: false } };

export function templateStore(context: MongoContext): TemplateStore {
  return { ...reads(context), ...changes(context), ...news(context), ...syncs(context) };
}

type Reads = 'list' | 'byId' | 'byName';

function reads({ templates, retryPolicy }: MongoContext): Pick<TemplateStore, Reads> {
  return {
    list: ({ accountId, businessAccountId }, status, page) => {
      const filter = { accountId, businessAccountId, ...standing, ...(status === null ? {} : { status }) };
      return retryPolicy.run('list templates', () => pageOf(templates, filter, page, 1, templateOf));
    },
    async byId({ accountId, businessAccountId }, templateId) {
      const found = await retryPolicy.run('read a template', () =>
        templates.findOne({ _id: templateId, accountId, businessAccountId, ...standing }),
      );
      return found === null ? null : templateOf(found);
    },
    async byName({ accountId, businessAccountId }, name) {
      const found = await retryPolicy.run('read templates', () =>
        templates.find({ accountId, businessAccountId, name, ...standing }).toArray(),
      );
      return found.map(templateOf).toSorted((a, b) => a.createdAt - b.createdAt);
    },
  };
}

type Changes = 'put' | 'edited' | 'remove' | 'dropRemoved';

/** Each says the same when it is repeated. */
function changes({ templates, retryPolicy }: MongoContext): Pick<TemplateStore, Changes> {
  return {
    async put(template, now) {
      const document = documentOf(template, { changedAt: now, statusAt: 0 });
      await retryPolicy.run('put a template', () =>
        templates.replaceOne({ _id: template.id }, document, { upsert: true }),
      );
    },
    async edited({ accountId, businessAccountId }, templateId, { status, category, components }, now) {
      const set = { status, category, components: JSON.stringify(components), changedAt: now };
      await retryPolicy.run('edit a template', () =>
        templates.updateOne(
          { _id: templateId, accountId, businessAccountId, ...standing },
          { $set: set, $unset: { rejectedReason: '' } },
        ),
      );
    },
    async remove({ accountId, businessAccountId }, templateIds, now) {
      await retryPolicy.run('remove templates', () =>
        templates.updateMany(
          { _id: { $in: [...templateIds] }, accountId, businessAccountId, ...standing },
          { $set: { removedAt: now, changedAt: now } },
        ),
      );
    },
    async dropRemoved(before) {
      const { deletedCount } = await retryPolicy.run('drop templates', () =>
        templates.deleteMany({ removedAt: { $lt: before } }),
      );
      return deletedCount;
    },
  };
}

function news({ templates, retryPolicy }: MongoContext): Pick<TemplateStore, 'apply'> {
  return {
    async apply({ businessAccountId, upstreamId, at, change }, now) {
      const named = { businessAccountId, upstreamId };
      const isLate = 'status' in change ? { statusAt: { $lte: at } } : {};
      await retryPolicy.run('apply to templates', () =>
        templates.updateMany({ ...named, ...standing, ...isLate }, updateBy(change, at, now)),
      );
      const found = await retryPolicy.run('read templates', () =>
        templates.find(named, { projection: { accountId: 1 } }).toArray(),
      );
      return found.map(({ accountId }) => accountId);
    },
  };
}

function updateBy(change: TemplateChange['change'], at: number, now: number) {
  if (!('status' in change)) return { $set: { ...change, changedAt: now } };
  const { status, reason } = change;
  const gone = isGone(status) ? { removedAt: now } : {};
  const set = { status, statusAt: at, changedAt: now, ...gone };
  return reason === null
    ? { $set: set, $unset: { rejectedReason: '' as const } }
    : { $set: { ...set, rejectedReason: reason } };
}

/** How many writes of a sync are out at a time. */
const writesAtOnce = 20;

type Syncs = 'synced' | 'sync' | 'askForSync' | 'syncFailed' | 'dueSyncs';

function syncs(context: MongoContext): Pick<TemplateStore, Syncs> {
  const { templates, templateSyncs, retryPolicy } = context;
  const read = (owner: TemplateOwner) =>
    retryPolicy.run('read a sync', () => templateSyncs.findOne({ _id: syncId(owner) }));
  return {
    async synced(owner, { changed, goneIds }, startedAt, dueAt) {
      const last = await read(owner);
      if (last?.syncedAt !== undefined && last.syncedAt > startedAt) return;
      for (let from = 0; from < changed.length; from += writesAtOnce) {
        const part = changed.slice(from, from + writesAtOnce);
        await Promise.all(part.map((template) => take(context, template, startedAt)));
      }
      const { accountId, businessAccountId } = owner;
      await retryPolicy.run('remove templates', () =>
        templates.updateMany(
          {
            _id: { $in: [...goneIds] },
            accountId,
            businessAccountId,
            changedAt: { $lt: startedAt },
            ...standing,
          },
          { $set: { removedAt: startedAt, changedAt: startedAt } },
        ),
      );
      await done(context, owner, startedAt, dueAt);
    },
    async sync(owner) {
      const found = await read(owner);
      return found === null ? null : syncOf(found);
    },
    async askForSync({ accountId, businessAccountId }, at) {
      const _id = syncId({ accountId, businessAccountId });
      await retryPolicy.run('ask for a sync', () =>
        templateSyncs.updateOne(
          { _id },
          { $min: { dueAt: at }, $setOnInsert: { accountId, businessAccountId } },
          { upsert: true },
        ),
      );
    },
    async syncFailed(owner, dueAt) {
      const change = dueAt === null ? { $unset: { dueAt: '' as const } } : { $set: { dueAt } };
      await retryPolicy.run('note a failed sync', () =>
        templateSyncs.updateOne({ _id: syncId(owner) }, { ...change, $inc: { failures: 1 } }),
      );
    },
    async dueSyncs(now, limit) {
      const found = await retryPolicy.run('read due syncs', () =>
        templateSyncs
          .find({ dueAt: { $gte: 0, $lte: now } })
          .sort({ dueAt: 1 })
          .limit(limit)
          .toArray(),
      );
      return found.map(syncOf);
    },
  };
}

/** Replaces what is older than the list; what is newer makes the upsert meet its id, and stays. */
async function take(
  { templates, retryPolicy }: MongoContext,
  template: Template,
  startedAt: number,
): Promise<void> {
  const document = documentOf(template, { changedAt: startedAt, statusAt: 0 });
  try {
    await retryPolicy.run('take a template', async () => {
      const known = await templates.findOne({ _id: template.id }, { projection: { statusAt: 1 } });
      const { _id, ...rest } = { ...document, statusAt: known?.statusAt ?? 0 };
      await templates.replaceOne({ _id, changedAt: { $lt: startedAt } }, rest, { upsert: true });
    });
  } catch (error) {
    if (!(error instanceof DuplicateKey)) throw error;
  }
}

/** A sync that was asked for after the list was stays due. */
async function done(
  { templateSyncs, retryPolicy }: MongoContext,
  { accountId, businessAccountId }: TemplateOwner,
  startedAt: number,
  dueAt: number,
): Promise<void> {
  const _id = syncId({ accountId, businessAccountId });
  await retryPolicy.run('note a sync', () =>
    templateSyncs.updateOne(
      { _id },
      {
        $max: { syncedAt: startedAt },
        $unset: { failures: '' },
        $setOnInsert: { accountId, businessAccountId },
      },
      { upsert: true },
    ),
  );
  const isOpen = {
    $or: [{ dueAt: { $lt: startedAt } }, { dueAt: { $gt: dueAt } }, { dueAt: { $exists: false } }],
  };
  await retryPolicy.run('note the next sync', () =>
    templateSyncs.updateOne({ _id, ...isOpen }, { $set: { dueAt } }),
  );
}

/** Account ids have no colon: no two pairs share an id. */
function syncId({ accountId, businessAccountId }: TemplateOwner): string {
  return `${accountId}:${businessAccountId}`;
}

function syncOf({
  accountId,
  businessAccountId,
  syncedAt,
  dueAt,
  failures,
}: TemplateSyncDocument): TemplateSync {
  return {
    accountId,
    businessAccountId,
    syncedAt: syncedAt ?? null,
    dueAt: dueAt ?? null,
    failures: failures ?? 0,
  };
}

function documentOf(template: Template, times: { changedAt: number; statusAt: number }): TemplateDocument {
  return { ...stored(template), components: JSON.stringify(template.components), ...times };
}

function templateOf(d: TemplateDocument): Template {
  const { _id: id, accountId, businessAccountId, upstreamId, name, language, category, status } = d;
  const components: Json[] = JSON.parse(d.components);
  const { parameterFormat, quality = null, rejectedReason = null, syncedAt = null, createdAt } = d;
  return {
    id, accountId, businessAccountId, upstreamId, name, language, category, status, components,
    parameterFormat, quality, rejectedReason, syncedAt, createdAt,
  }; // prettier-ignore
}
