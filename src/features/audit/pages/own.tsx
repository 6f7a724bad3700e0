/** The audit log of an account, for its owners. */
import type { World } from '../../world.ts';
import type { AuditFilter } from '../store.ts';
import type { AuditEntry } from '../entity.ts';
import { mostAudited } from '../entity.ts';
import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { pageOwnAudit } from '../log.ts';
import type { VNode } from 'preact';
import { addressIn } from '../../../rules/email.ts';
import { showKey } from '../../../rules/api-key.ts';
import { twoWayPageIn, When } from '../../../pages/components.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { filterIn, readFilter, AuditList, Change } from './list.tsx';
import type { AuditFilters } from './list.tsx';
import { exportAudit } from './export.ts';
import { peoplePath, channelPath } from '../../../pages/paths.ts';

const path = '/portal/audit';
const filters: AuditFilters = {
  path,
  fields: ['actor', 'action', 'since', 'until'],
  actors: [
    ['person', 'people'],
    ['key', 'API keys'],
    ['operator', 'operators of the service'],
  ],
};

/** null: the typed values are no valid filter. */
function askedFor(query: URLSearchParams): Omit<AuditFilter, 'accountId'> | null {
  return readFilter(filterIn(query, filters.fields));
}

async function show(context: SignedInContext): Promise<void> {
  const { query, caller, world, clock } = context;
  const filter = askedFor(query);
  const [found, keys] = await Promise.all([
    pageOwnAudit(world, caller, filter ?? nothing, twoWayPageIn(query)),
    world.stores.keys.page(caller.accountId, everyKey),
  ]);
  answerShell(context, {
    title: 'Who changed what',
    at: peoplePath,
    status: filter === null ? 422 : 200,
    children: (
      <>
        <p>
          Each change in this account is listed here for a year: by your keys, and by your people, the newest{' '}
          {mostAudited.toLocaleString('en')} each. Message content, keys and secrets are not in it.
        </p>
        <AuditList
          filters={filters}
          asked={filterIn(query, filters.fields)}
          isFilter={filter !== null}
          found={found}
          heads={['When', 'Who', 'What', 'From']}
          row={(entry) => row(entry, keys.items, clock.now())}
        />
      </>
    ),
  });
}

type NamedKey = Awaited<ReturnType<World['stores']['keys']['page']>>['items'][number];

/** Matches no entry: all are later. */
const nothing = { until: 0 };
/** 50 is the most keys of an account. */
const everyKey = { limit: 50, cursor: null };

function row(entry: AuditEntry, keys: readonly NamedKey[], now: number) {
  const { createdAt, action, subject, address } = entry;
  return [
    <When at={createdAt} now={now} />,
    <Who entry={entry} keys={keys} />,
    <Change entry={entry}>{subject === null ? null : <Subject action={action} id={subject} />}</Change>,
    <span class="nowrap">{address ?? ''}</span>,
  ];
}

function Who({ entry: { actor, actorName }, keys }: { entry: AuditEntry; keys: readonly NamedKey[] }): VNode {
  if (actor === 'person') return <>{addressIn(actorName ?? '') || 'somebody who was not signed in'}</>;
  if (actor !== 'key') return <>{actor === 'operator' ? 'an operator of the service' : 'the service'}</>;
  const key = keys.find(({ id }) => id === actorName);
  return <div>{key === undefined ? 'a key that is revoked' : <Key of={key} />}</div>;
}

function Key({ of: key }: { of: NamedKey }): VNode {
  return (
    <>
      key {key.name} <code>{showKey(key)}</code>
    </>
  );
}

function Subject({ action, id }: { action: string; id: string }): VNode {
  const isChannel = action.startsWith('channel.');
  return <code>{isChannel ? <a href={channelPath(id)}>{id}</a> : id}</code>;
}

async function download(context: SignedInContext): Promise<void> {
  const { caller, world } = context;
  const filter = askedFor(context.query);
  const read = (asked: NonNullable<typeof filter>) => (cursor: Cursor, limit: number) =>
    pageOwnAudit(world, caller, asked, { limit, cursor, isBack: false });
  await exportAudit(context, caller.accountId, filter === null ? null : read(filter));
}

type Cursor = Parameters<typeof pageOwnAudit>[3]['cursor'];

export const ownAuditPages = [
  signedInPage({ get: path, name: 'auditPage', may: 'owner', open: show }),
  signedInPage({ get: `${path}/export`, name: 'exportOwnAudit', may: 'owner', open: download }),
];
