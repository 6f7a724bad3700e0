import type { SetupSession } from '../../upstream/connecting-port.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';
import { dayMs } from '../../kernel/clock.ts';

export const setupSessions = entity<SetupSession>('setup_sessions', {
  fields: {
    id: text(),
    accountId: text(),
    apiKeyId: text(),
    channelType: text(),
    redirectUri: text(),
    tokenHash: text(),
    expiresAt: integer({ isDate: true }),
    finishedAt: integerOrNull(),
    channelId: textOrNull(),
    choice: textOrNull(),
    origin: jsonOrNull(),
  },
  indexes: {
    // A day late on purpose: queries compare the time themselves, and housekeeping erases expired sessions within a minute; the index
    // cleans up where no node has run for a while.
    byExpiry: {
      on: ['expiresAt'],
      file: 'setup_sessions_by_expiry',
      database: 'expiry',
      expiresAfterMs: dayMs,
    },
    ofAccount: {
      on: ['accountId', 'expiresAt', 'id'],
      file: 'setup_sessions_of_account',
      database: 'of_account',
    },
  },
});
