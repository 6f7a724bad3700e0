import type { SetupSession } from '../../../../use-cases/ports/connecting.ts';
import { id, integer, integerOrNull, jsonOrNull, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

export const setupSessions = new Table<SetupSession>(
  'setup_sessions',
  {
    id: id(),
    accountId: text(),
    apiKeyId: text(),
    channelType: text(),
    redirectUri: text(),
    tokenHash: text(),
    expiresAt: integer(),
    finishedAt: integerOrNull(),
    channelId: textOrNull(),
    choice: textOrNull(),
    origin: jsonOrNull(),
  },
  { indexes: { setup_sessions_by_expiry: '(expires_at)' } },
);
