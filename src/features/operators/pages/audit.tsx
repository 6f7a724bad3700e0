import { accountsOf } from '../accounts.ts';
import type { PageContext } from '../../route.ts';
import {
  listAudit,
  mostAudited,
  pageAudit,
  filterIn,
  readFilter,
  AuditList,
  Change,
  exportAudit,
} from '../../audit/index.ts';
import { actorKinds } from '../../../rules/caller.ts';
import type { AuditEntry, AuditFilters } from '../../audit/index.ts';
import { twoWayPageIn, When } from '../../../pages/components.tsx';
import { operatorPage } from './session.ts';
import { accountPath, answerConsole, auditPath, nameAccount } from './shell.tsx';
import type { Account } from '../../accounts/index.ts';

const filters: AuditFilters = {
  path: auditPath,
  fields: ['actor', 'account_id', 'action', 'since', 'until'],
  actors: actorKinds.map((kind) => [kind, kind] as const),
};

async function show(context: PageContext): Promise<void> {
  const asked = filterIn(context.query, filters.fields);
  const filter = readFilter(asked);
  const found = await pageAudit(context.world, filter ?? nothing, twoWayPageIn(context.query));
  const accounts = await accountsOf(
    context.world,
    found.items.map(({ accountId }) => accountId),
  );
  answerConsole(context, {
    title: 'Audit',
    heading: 'Who changed what',
    at: auditPath,
    status: filter === null ? 422 : 200,
    children: (
      <>
        <p>
          Each change by a person, a key or an operator stands here for a year; of an account’s keys, and of
          its people, the newest {mostAudited.toLocaleString('en')} each.
        </p>
        <AuditList
          filters={filters}
          asked={asked}
          isFilter={filter !== null}
          found={found}
          heads={['When', 'Who', 'What', 'Account', 'From']}
          row={(entry) => row(entry, accounts, context.clock.now())}
        />
      </>
    ),
  });
}

/** Matches no entry: all are later. */
const nothing = { until: 0 };

function row(entry: AuditEntry, accounts: ReadonlyMap<string, Account>, now: number) {
  const { createdAt, actor, actorName, subject, accountId, address } = entry;
  return [
    <When at={createdAt} now={now} />,
    actorName === null ? (
      actor
    ) : (
      <div>
        {actor} {actor === 'key' ? <code>{actorName}</code> : actorName}
      </div>
    ),
    <Change entry={entry}>{subject === null ? null : <code>{subject}</code>}</Change>,
    accountId === null ? (
      <span class="nowrap">the service</span>
    ) : (
      <a href={accountPath(accountId)}>{nameAccount(accounts.get(accountId))}</a>
    ),
    <span class="nowrap">{address ?? ''}</span>,
  ];
}

async function download(context: PageContext): Promise<void> {
  const filter = readFilter(filterIn(context.query, filters.fields));
  await exportAudit(
    context,
    'operators',
    filter === null ? null : (cursor, limit) => listAudit(context.world, filter, { limit, cursor }),
  );
}

export const auditPages = [
  operatorPage({ get: auditPath, name: 'consoleAudit', open: show }),
  operatorPage({ get: `${auditPath}/export`, name: 'exportAudit', open: download }),
];
