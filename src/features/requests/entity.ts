/** What is kept of each request, for 7 days: neither its body nor its query. */
import type { EndedRequest } from '../../http/options.ts';
import { entity } from '../../storage/entities/entity.ts';
import { flag, integer, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

export interface LoggedRequest extends EndedRequest {
  id: string;
  isFailed: boolean;
  /** Set on an entry that is no request but counts omitted requests before it. */
  leftOut: LeftOutRequests | null;
  createdAt: number;
}

export interface LeftOutRequests {
  succeeded: number;
  failed: number;
}

/** The compiler holds the fields to the type; each index is named, and the lists of `store.ts` follow it. */
export const loggedRequests = entity<LoggedRequest>('request_log', {
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
