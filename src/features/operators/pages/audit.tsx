import { accountsOf } from '../accounts.ts';
import type { VNode } from 'preact';
import type { PageContext } from '../../route.ts';
import {
  accountField,
  auditFilter,
  auditFilterIn,
  auditFilterOf,
  auditParts,
  Change,
  auditExport,
  exportAudit,
  listAudit,
  mostAudited,
  noEntry,
  pageAudit,
} from '../../audit/index.ts';
import type { AuditEntry } from '../../audit/index.ts';
import { actorKinds } from '../../../rules/caller.ts';
import { When } from '../../../pages/time.tsx';
import { operatorListPage, operatorPage } from './session.ts';
import { AccountLink, auditPath } from './shell.tsx';

const { actor, ...others } = auditFilter(actorKinds.map((kind) => [kind, kind] as const));
const filter = { actor, account_id: accountField, ...others };

const list = operatorListPage({
  path: auditPath,
  name: 'consoleAudit',
  title: 'Audit',
  filter,
  intro: () => (
    <p>
      Each change by a person, a key or an operator stands here for a year; of an account’s keys, and of its
      people, the newest {mostAudited.toLocaleString('en')} each.
    </p>
  ),
  read: async (context, asked, page) => {
    const { world } = context;
    const found = await pageAudit(world, auditFilterOf(context, asked) ?? noEntry, page);
    const ids = found.items.map(({ accountId }) => accountId);
    return { ...found, accounts: await accountsOf(world, ids) };
  },
  columns: [
    ['When', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second']],
    ['Who', (entry) => (entry.actorName === null ? entry.actor : <Who entry={entry} />), ['second']],
    [
      'What',
      (entry) => (
        <Change entry={entry}>{entry.subject === null ? null : <code>{entry.subject}</code>}</Change>
      ),
      ['read-by'],
    ],
    [
      'Account',
      ({ accountId }, { found }) => (
        <AccountLink
          id={accountId}
          accounts={found.accounts}
          none={<span class="nowrap">the service</span>}
        />
      ),
      ['p3', 'second'],
    ],
    ['From', ({ address }) => <span class="nowrap">{address ?? ''}</span>, ['p4']],
  ],
  ...auditParts(auditPath, 'An account’s id, an'),
});

function Who({ entry: { actor: kind, actorName } }: { entry: AuditEntry }): VNode {
  return (
    <div>
      {kind} {kind === 'key' ? <code>{actorName}</code> : actorName}
    </div>
  );
}

async function download(context: PageContext): Promise<void> {
  const asked = auditFilterIn(filter, context);
  const { world, by } = context;
  await exportAudit(context, 'operators', {
    read: asked === null ? null : (cursor, limit) => listAudit(world, asked, { limit, cursor }),
    began: () => auditExport(world, by, { accountId: null, list: 'audit', asked: { ...asked } }),
  });
}

export const auditPages = [
  list,
  operatorPage({ get: `${auditPath}/export`, name: 'exportAudit', open: download }),
];
