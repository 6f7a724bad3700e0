/** The admin API of the audit log: its routes, filters and answers. [operator-interface §3] */
import type { AuditFilter } from './store.ts';
import type { AuditEntry } from './entity.ts';
import { adminRoute } from '../route.ts';
import { listAudit } from './log.ts';
import { actorKinds } from '../../rules/caller.ts';
import { toIso } from '../../kernel/clock.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';
import type { Parameter } from '../../http/route.ts';
import {
  count,
  oneOfWords,
  timestamp,
  listOf,
  openObject,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
} from '../../http/validation/json-schema.ts';
import type { JsonSchema } from '../../http/validation/json-schema.ts';
import { cursorFields, readChoices, readId, readText, readTime } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { nextCursor } from '../../http/schemas/common.ts';
import { answer } from '../../http/validation/response-body.ts';

const shownValues: JsonSchema = {
  ...openObject,
  description:
    'Values of the changed fields, without secrets; null: the object did not exist, or none of its changed fields can be shown',
};

export const auditEntry = answer<AuditEntry>('AuditEntry', {
  id: [ourId, 'id'],
  at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  account_id: [{ ...orNull(ourId), description: 'null: the change concerns the whole service' }, 'accountId'],
  actor: [
    {
      ...openWords(actorKinds),
      description:
        'Who made the change: `operator`, `person` (in the portal), `key` (by API), or `service` (no request led to it)',
    },
    'actor',
  ],
  actor_name: [
    { ...orNull(string), description: 'E-mail address of the person, or id of the API key' },
    'actorName',
  ],
  action: [{ ...string, description: 'What was done, e.g. `channel.updated`' }, 'action'],
  subject: [
    { ...orNull(string), description: 'Id of the changed object; null: several, or one without an id' },
    'subject',
  ],
  before: [orNull(shownValues), 'before'],
  after: [orNull(shownValues), 'after'],
  address: [{ ...orNull(string), description: 'IP address of the client' }, 'address'],
  request_id: [orNull(string), 'requestId'],
  times: [
    {
      ...count,
      description:
        'How many changes the entry stands for: equal ones of a day, or, without `subject` and values, more than are listed one by one',
    },
    'times',
  ],
  last_at: [
    { ...orNull(timestamp), description: 'When the last of them was made; `at` is the first' },
    ({ lastAt }) => (lastAt === null ? null : toIso(lastAt)),
  ],
});

const auditList = responseObject('AuditList', { entries: listOf(auditEntry.schema) }, nextCursor);

const maxAction = 60;

const filters: readonly Parameter[] = [
  inQuery('account_id', { type: 'string' }, 'Only changes in this account'),
  inQuery('actor', oneOfWords(actorKinds), 'Only changes by this kind of actor'),
  inQuery(
    'action',
    { type: 'string', maxLength: maxAction, examples: ['channel.updated'] },
    'Only changes with this action',
  ),
  inQuery('since', timestamp, 'Only changes at or after this time'),
  inQuery('until', timestamp, 'Only changes before this time'),
];

/** Throws Fault 422 for a malformed value, and 404 for an `account_id` that is not an id. */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const accountId = readId(query, 'account_id');
  const { actor } = readChoices(query, { actor: actorKinds });
  const action = readText(query, 'action', maxAction);
  const [since, until] = [readTime(query, 'since'), readTime(query, 'until')];
  return {
    ...(accountId === null ? {} : { accountId }),
    ...(actor === null ? {} : { actor }),
    ...(action === null ? {} : { action }),
    ...(since === null ? {} : { since }),
    ...(until === null ? {} : { until }),
  };
}

/** [operator-interface §3, Admin API] */
export const auditRoutes = [
  adminRoute({
    get: '/admin/v1/audit',
    name: 'listAudit',
    tag: 'Operators: accounts',
    summary: 'Lists the audit log: who changed what, when and from where, newest first',
    description:
      'Entries are kept for 365 days; per account the newest 10,000 by its API keys and the newest 10,000 by its people. They have no secrets and no message content. Without `limit` a page has at most 100 entries.',
    errors: [404],
    parameters: [...filters, ...pageParameters],
    body: noBody,
    success: { status: 200, schema: auditList },
    async answer({ query, page }, { world }) {
      const found = await listAudit(world, readAuditFilter(query), page);
      return { entries: found.items.map(auditEntry.of), ...cursorFields(found.nextCursor) };
    },
  }),
];
