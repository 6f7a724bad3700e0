import type { Template, TemplateOwner } from '../../rules/templates/template.ts';
import type { Change } from '../../rules/events/changes.ts';
import type { Use } from '../../rules/templates/limits.ts';
import { entity, entityBy } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, json, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

/** Times by our clock; `statusAt` also by upstream's. */
interface TemplateTimes {
  /** Time of the last change of any kind. */
  changedAt: number;
  /** Upstream's time of the last status that a webhook reported, or our time of a later edit. */
  statusAt: number;
  /** Changes that the owners of the channels do not have yet, and when they are told; null: none. */
  untold: readonly Change[] | null;
  tellAt: number | null;
  /** Number of changes of `untold`; null: none. */
  version: number | null;
  /** Time of deletion. The item is kept for a while, so that a list requested earlier does not bring it back. */
  removedAt: number | null;
}

/** Characters of JSON of a few thousand templates; parsed, they take several times that memory. */
const componentsKept = 2_000_000;

export type StoredTemplate = Template & TemplateTimes;

export const templates = entity<StoredTemplate>('templates', {
  fields: {
    id: text(),
    accountId: text(),
    businessAccountId: text(),
    upstreamId: text(),
    name: text(),
    language: text(),
    category: text(),
    status: text(),
    components: json({ readOften: componentsKept, isForeign: true }),
    parameterFormat: text(),
    quality: textOrNull(),
    rejectedReason: textOrNull(),
    syncedAt: integerOrNull(),
    createdAt: integer(),
    changedAt: integer(),
    statusAt: integer(),
    removedAt: integerOrNull(),
    untold: jsonOrNull(),
    tellAt: integerOrNull(),
    version: integerOrNull(),
  },
  indexes: {
    ofOwner: {
      on: ['accountId', 'businessAccountId', 'createdAt', 'id'],
      where: { absent: 'removedAt' },
      file: 'templates_of_owner',
      database: 'of_owner',
    },
    byName: {
      on: ['accountId', 'businessAccountId', 'name'],
      where: { absent: 'removedAt' },
      file: 'templates_by_name',
      database: 'by_name',
    },
    upstream: {
      on: ['businessAccountId', 'upstreamId'],
      file: 'templates_upstream',
      database: 'upstream',
    },
    untold: {
      on: ['tellAt', 'id'],
      where: { present: 'tellAt' },
      file: 'untold_templates',
      database: 'untold',
    },
    removed: {
      on: ['removedAt'],
      where: { present: 'removedAt' },
      file: 'templates_removed',
      database: 'removed',
    },
  },
});

export const templateSyncs = entityBy<TemplateSync>('template_syncs', ['accountId', 'businessAccountId'], {
  fields: {
    accountId: text(),
    businessAccountId: text(),
    syncedAt: integerOrNull(),
    dueAt: integerOrNull(),
    failures: integer({ before: 0 }),
  },
  indexes: {
    due: {
      on: ['dueAt'],
      where: { present: 'dueAt' },
      filter: { dueAt: { $gte: 0 } },
      file: 'template_syncs_due',
      database: 'due',
    },
  },
});

/** Uses of one counter; `version` makes its writes compare-and-set. */
export interface TemplateUses {
  key: string;
  uses: readonly Use[];
  usedAt: number;
  version: number;
}

export const templateUses = entityBy<TemplateUses>('template_uses', ['key'], {
  fields: { key: text(), uses: json(), usedAt: integer(), version: integer({ before: 0 }) },
  indexes: { byAge: { on: ['usedAt'], file: 'template_uses_by_age', database: 'age' } },
});

/** Times of the last and the next sync of an owner's templates from upstream. */
export interface TemplateSync extends TemplateOwner {
  /** null: never. */
  syncedAt: number | null;
  /** null: no sync is scheduled. */
  dueAt: number | null;
  /** Failed attempts since the last success. */
  failures: number;
}
