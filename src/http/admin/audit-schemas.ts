/** Responses of the admin API about the audit log. [operator-interface §3] */
import { toIso } from '../../kernel/clock.ts';
import { actorKinds } from '../../use-cases/ports/audit.ts';
import type { AuditEntry } from '../../use-cases/ports/audit.ts';
import { nextCursor } from '../api/schemas/common.ts';
import { answer } from '../validation/answer.ts';
import {
  listOf,
  openObject,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../validation/json-schema.ts';
import type { JsonSchema } from '../validation/json-schema.ts';

const shownValues: JsonSchema = {
  ...openObject,
  description: 'The values that differ, without secrets; null: it was not there, or has nothing to show',
};

export const auditEntry = answer<AuditEntry>('AuditEntry', {
  id: [ourId, ({ id }) => id],
  at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  account_id: [
    { ...orNull(ourId), description: 'null: it belongs to the whole service' },
    ({ accountId }) => accountId,
  ],
  actor: [openWords(actorKinds), ({ actor }) => actor],
  actor_name: [
    { ...orNull(string), description: "A person's address, a key's id" },
    ({ actorName }) => actorName,
  ],
  action: [string, ({ action }) => action],
  subject: [{ ...orNull(string), description: 'Id of what was changed' }, ({ subject }) => subject],
  before: [orNull(shownValues), ({ before }) => before],
  after: [orNull(shownValues), ({ after }) => after],
  address: [{ ...orNull(string), description: 'Of the client' }, ({ address }) => address],
  request_id: [orNull(string), ({ requestId }) => requestId],
});

export const auditList = responseObject('AuditList', { entries: listOf(auditEntry.schema) }, nextCursor);
