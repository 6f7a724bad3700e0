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
  description:
    'Values of the changed fields, without secrets; null: the object did not exist, or none of its changed fields can be shown',
};

export const auditEntry = answer<AuditEntry>('AuditEntry', {
  id: [ourId, ({ id }) => id],
  at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  account_id: [
    { ...orNull(ourId), description: 'null: the change concerns the whole service' },
    ({ accountId }) => accountId,
  ],
  actor: [
    {
      ...openWords(actorKinds),
      description:
        'Who made the change: `operator`, `person` (in the portal), `key` (by API), or `service` (no request led to it)',
    },
    ({ actor }) => actor,
  ],
  actor_name: [
    { ...orNull(string), description: 'E-mail address of the person, or id of the API key' },
    ({ actorName }) => actorName,
  ],
  action: [{ ...string, description: 'What was done, e.g. `channel.updated`' }, ({ action }) => action],
  subject: [
    { ...orNull(string), description: 'Id of the changed object; null: several, or one without an id' },
    ({ subject }) => subject,
  ],
  before: [orNull(shownValues), ({ before }) => before],
  after: [orNull(shownValues), ({ after }) => after],
  address: [{ ...orNull(string), description: 'IP address of the client' }, ({ address }) => address],
  request_id: [orNull(string), ({ requestId }) => requestId],
});

export const auditList = responseObject('AuditList', { entries: listOf(auditEntry.schema) }, nextCursor);
