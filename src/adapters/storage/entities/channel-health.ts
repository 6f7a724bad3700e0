import type { ChannelHealth } from '../../../domain/channels/health.ts';
import { entityBy } from './entity.ts';
import { flagOrNull, integerOrNull, text, textOrNull } from './fields.ts';

export const channelHealth = entityBy<ChannelHealth>('channel_health', ['channelId'], {
  fields: {
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
  indexes: {
    failing: {
      on: ['failingSince', 'channelId'],
      where: { present: 'failingSince' },
      file: 'failing_channels',
      database: 'failing',
    },
    byToken: {
      on: ['token', 'channelId'],
      where: { present: 'token' },
      file: 'channels_by_token',
      database: 'by_token',
    },
  },
});
