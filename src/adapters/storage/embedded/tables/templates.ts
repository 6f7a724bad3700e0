import type { Use } from '../../../../domain/templates/limits.ts';
import type { Template } from '../../../../domain/templates/template.ts';
import type { TemplateSync } from '../../../../use-cases/ports/templates.ts';
import { id, integer, integerOrNull, json, jsonReadOften, text, textOrNull } from './fields.ts';
import type { Fields } from './fields.ts';
import { Table } from './table.ts';

/** Times of ours, except `statusAt`. */
export interface TemplateTimes {
  /** Last change of any kind. */
  changedAt: number;
  /** Upstream's time of the status that a webhook told last. */
  statusAt: number;
  /** Deleted: kept for a while, so that a list which is on its way does not bring it back. */
  removedAt: number | null;
}

/** A few thousand templates; what they say takes some times as much memory as their text. */
const componentsKept = 2_000_000;

const templateFields: Fields<Template> = {
  id: id(),
  accountId: text(),
  businessAccountId: text(),
  upstreamId: text(),
  name: text(),
  language: text(),
  category: text(),
  status: text(),
  components: jsonReadOften(componentsKept),
  parameterFormat: text(),
  quality: textOrNull(),
  rejectedReason: textOrNull(),
  syncedAt: integerOrNull(),
  createdAt: integer(),
};

export const templates = new Table<Template & TemplateTimes>(
  'templates',
  { ...templateFields, changedAt: integer(), statusAt: integer(), removedAt: integerOrNull() },
  {
    indexes: {
      templates_of_owner: '(account_id, business_account_id, created_at, id) where removed_at is null',
      templates_by_name: '(account_id, business_account_id, name) where removed_at is null',
      templates_upstream: '(business_account_id, upstream_id)',
      templates_removed: '(removed_at) where removed_at is not null',
    },
  },
);

/** A template without its times. */
export const ownTemplate = templates.part(templateFields);

export const templateSyncs = new Table<TemplateSync>(
  'template_syncs',
  {
    accountId: text(),
    businessAccountId: text(),
    syncedAt: integerOrNull(),
    dueAt: integerOrNull(),
    failures: integer(),
  },
  {
    key: ['account_id', 'business_account_id'],
    indexes: { template_syncs_due: '(due_at) where due_at is not null' },
  },
);

/** Uses of one counter. */
export interface TemplateUses {
  key: string;
  uses: readonly Use[];
  usedAt: number;
}

export const templateUses = new Table<TemplateUses>(
  'template_uses',
  { key: text(), uses: json(), usedAt: integer() },
  { key: ['key'], indexes: { template_uses_by_age: '(used_at)' } },
);
