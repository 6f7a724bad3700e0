import type { SetupSession } from '../../../use-cases/ports/connecting.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';
import { dayMs } from '../../../kernel/clock.ts';

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
    // A day late on purpose: the index only cleans up, queries compare the time themselves.
    byExpiry: {
      on: ['expiresAt'],
      file: 'setup_sessions_by_expiry',
      database: 'expiry',
      expiresAfterMs: dayMs,
    },
  },
});
