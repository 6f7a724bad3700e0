import type { ChannelHealth } from '../../../../domain/channels/health.ts';
import { integerOrNull, text, textOrNull } from './fields.ts';
import type { Field } from './fields.ts';
import { Table } from './table.ts';

/** null, no or yes. */
function flagOrNull(): Field<boolean | null> {
  return {
    sql: 'integer',
    toColumn: (value) => (value === null ? null : Number(value)),
    fromColumn: (column) => (column === null ? null : column === 1),
  };
}

export const channelHealth = new Table<ChannelHealth>(
  'channel_health',
  {
    channelId: text(),
    token: textOrNull(),
    isSubscribed: flagOrNull(),
    qualityRating: textOrNull(),
    checkedAt: integerOrNull(),
    inboundAt: integerOrNull(),
    statusAt: integerOrNull(),
    deliveredAt: integerOrNull(),
    deliveryFailedAt: integerOrNull(),
    failingSince: integerOrNull(),
    warnedAt: integerOrNull(),
    lastFailure: textOrNull(),
  },
  {
    key: ['channel_id'],
    indexes: { failing_channels: '(failing_since, channel_id) where failing_since is not null' },
  },
);
