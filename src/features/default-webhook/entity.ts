import { entityBy } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';
import type { SealedText } from '../../kernel/sealed.ts';

/** What new channels of an account start with. */
export interface DefaultWebhook {
  accountId: string;
  webhookUrl: string | null;
  webhookSecret: SealedText | null;
  /** Of all channel types: a channel takes those that its type has. */
  webhookEvents: string[] | null;
  /** null: not chosen. */
  failedRetentionDays: number | null;
  /** Number of changes. */
  version: number;
}

export const defaultWebhooks = entityBy<DefaultWebhook>('default_webhooks', ['accountId'], {
  fields: {
    accountId: text(),
    webhookUrl: textOrNull(),
    webhookSecret: textOrNull(),
    webhookEvents: jsonOrNull(),
    failedRetentionDays: integerOrNull(),
    version: integer(),
  },
  indexes: {
    // The primary key.
    byAccount: { on: ['accountId'] },
  },
});
