import type { LoggedRequest } from './port.ts';
import { entity } from '../../storage/entities/entity.ts';
import { flag, integer, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

export const requestLog = entity<LoggedRequest>('request_log', {
  fields: {
    id: text(),
    accountId: text(),
    apiKeyId: text(),
    method: text(),
    route: text(),
    status: integer(),
    isFailed: flag(),
    code: textOrNull(),
    requestId: text(),
    durationMs: integer(),
    leftOut: jsonOrNull(),
    createdAt: integer(),
  },
  indexes: {
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'request_log_of_account',
      database: 'of_account',
    },
  },
});
