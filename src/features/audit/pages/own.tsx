/** The audit log of an account, for its owners. */
import type { World } from '../../world.ts';
import type { AuditEntry } from '../entity.ts';
import { mostAudited } from '../entity.ts';
import { listPage, signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { pageOwnAudit } from '../log.ts';
import type { VNode } from 'preact';
import { addressIn } from '../../../rules/email.ts';
import { showKey } from '../../../rules/api-key.ts';
import { Whole } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { auditFilter, auditFilterIn, auditFilterOf, auditParts, Change, noEntry } from './list.tsx';
import { auditExport } from '../audit.ts';
import { exportAudit } from './export.ts';
import { FirstStep } from '../../../pages/list/empty.tsx';
import { channelPath, keysPath } from '../../../pages/paths.ts';

const path = '/portal/audit';
const filter = auditFilter([
  ['person', 'people'],
  ['key', 'API keys'],
  ['operator', 'operators of the service'],
]);

const list = listPage({
  path,
  name: 'auditPage',
  may: 'owner',
  title: 'Audit',
  filter,
  intro: () => (
    <p>
      Each change in this account is listed here for a year: by your keys, and by your people, the newest{' '}
      {mostAudited.toLocaleString('en')} each. Message content, keys and secrets are not in it.
    </p>
  ),
  read: async (context, asked, page) => {
    const { world, caller } = context;
    const [found, keys] = await Promise.all([
      pageOwnAudit(world, caller, auditFilterOf(context, asked) ?? noEntry, page),
      world.stores.keys.page(caller.accountId, everyKey),
    ]);
    return { ...found, keys: keys.items };
  },
  columns: [
    ['When', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second']],
    ['Who', (entry, { found }) => <Who entry={entry} keys={found.keys} />, ['second']],
    [
      'What',
      (entry) => (
        <Change entry={entry}>
          {entry.subject === null ? null : <Subject action={entry.action} id={entry.subject} />}
        </Change>
      ),
      ['read-by'],
    ],
    ['From', ({ address }) => <span class="nowrap">{address ?? ''}</span>, ['p4']],
  ],
  ...auditParts(path, 'An'),
  empty: () => (
    <FirstStep path={keysPath} word="Make a key">
      Nothing was changed yet. Each change of a key, a channel, a webhook or a person appears here at once,
      with who made it.
    </FirstStep>
  ),
});

/** 50 is the most keys of an account. */
const everyKey = { limit: 50, cursor: null };

type NamedKey = Awaited<ReturnType<World['stores']['keys']['page']>>['items'][number];

function Who({ entry: { actor, actorName }, keys }: { entry: AuditEntry; keys: readonly NamedKey[] }): VNode {
  if (actor === 'person') return <>{addressIn(actorName ?? '') || 'somebody who was not signed in'}</>;
  if (actor !== 'key') return <>{actor === 'operator' ? 'an operator of the service' : 'the service'}</>;
  const key = keys.find(({ id }) => id === actorName);
  return <div>{key === undefined ? 'a key that is revoked' : <Key of={key} />}</div>;
}

function Key({ of: key }: { of: NamedKey }): VNode {
  return (
    <>
      key {key.name}{' '}
      <code>
        <Whole text={showKey(key)} />
      </code>
    </>
  );
}

function Subject({ action, id }: { action: string; id: string }): VNode {
  const isChannel = action.startsWith('channel.');
  return <code>{isChannel ? <a href={channelPath(id)}>{id}</a> : id}</code>;
}

async function download(context: SignedInContext): Promise<void> {
  const { caller, world } = context;
  const asked = auditFilterIn(filter, context);
  const read = (found: NonNullable<typeof asked>) => (cursor: Cursor, limit: number) =>
    pageOwnAudit(world, caller, found, { limit, cursor, isBack: false });
  const { accountId } = caller;
  await exportAudit(context, accountId, {
    read: asked === null ? null : read(asked),
    began: () => auditExport(world, caller.by, { accountId, list: 'audit', asked: { ...asked } }),
  });
}

type Cursor = Parameters<typeof pageOwnAudit>[3]['cursor'];

export const ownAuditPages: FeaturePages = {
  routes: [
    list,
    signedInPage({ get: `${path}/export`, name: 'exportOwnAudit', may: 'owner', open: download }),
  ],
  place: { path, name: 'Audit', icon: 'list', group: 'Account', may: 'owner' },
};
