import type { SealedText } from '../../kernel/sealed.ts';
import type { UnparsedItem } from '../../rules/messages/facts.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, text, textOrNull } from '../../storage/entities/fields.ts';

/**
 * Items of upstream that no parser could turn into a fact, one entry per shape and place; and messages whose files
 * crashed the nodes that fetched them (`ended_node`).
 */
export interface QuarantinedItem extends Omit<UnparsedItem, 'reason'> {
  reason: UnparsedItem['reason'] | 'ended_node';
  /** JSON of the retryable item, under `sealContext.quarantined`; null: only its shape is kept. */
  sealed: SealedText | null;
  /** Derived from the item: a repeated item adds to the same entry. */
  id: string;
  /** null: unknown, or no channel has that identity. */
  channelId: string | null;
  accountId: string | null;
  /** Time of the first such item. */
  createdAt: number;
  lastSeenAt: number;
}

export const quarantine = entity<QuarantinedItem>('quarantine', {
  fields: {
    id: text(),
    reason: text(),
    channelType: textOrNull(),
    channelId: textOrNull(),
    accountId: textOrNull(),
    identity: textOrNull(),
    kind: text(),
    shape: text(),
    times: integer(),
    lastSeenAt: integer(),
    createdAt: integer(),
    sealed: textOrNull(),
  },
  indexes: {
    byAge: { on: ['createdAt', 'id'], file: 'quarantine_by_age', database: 'by_age' },
    seen: { on: ['lastSeenAt'], file: 'quarantine_seen', database: 'seen' },
  },
});
