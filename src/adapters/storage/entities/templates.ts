import type { Template } from '../../../domain/templates/template.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, json, text, textOrNull } from './fields.ts';

/** Times of ours, except `statusAt`. */
interface TemplateTimes {
  /** Last change of any kind. */
  changedAt: number;
  /** Upstream's time of the status that a webhook told last. */
  statusAt: number;
  /** Deleted: kept for a while, so that a list which is on its way does not bring it back. */
  removedAt: number | null;
}

/** A few thousand templates; what they say takes some times as much memory as their text. */
const componentsKept = 2_000_000;

export type KeptTemplate = Template & TemplateTimes;

export const templates = entity<KeptTemplate>('templates', {
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
    removed: {
      on: ['removedAt'],
      where: { present: 'removedAt' },
      file: 'templates_removed',
      database: 'removed',
    },
  },
});
