import { listAccounts } from '../accounts.ts';
import { findAccounts } from '../find-accounts.ts';
import { addressIn } from '../../../rules/email.ts';
import type { VNode } from 'preact';
import { Badge } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { textField } from '../../../pages/list/filter.tsx';
import { operatorListPage } from './session.ts';
import { accountPath, accountsPath } from './shell.tsx';

const maxSearch = 320;

const accounts = operatorListPage({
  path: accountsPath,
  name: 'consoleAccounts',
  title: 'Accounts',
  filter: { q: textField('', { maxLength: maxSearch }) },
  read: async ({ world }, { q }, page) =>
    q === null
      ? { ...(await listAccounts(world, null, page)), isCut: false }
      : { ...(await findAccounts(world, q)), nextCursor: null },
  form: ({ asked }) => <Search text={asked.q ?? ''} />,
  columns: [
    ['Account', ({ id, email }) => <a href={accountPath(id)}>{addressIn(email)}</a>, ['read-by']],
    ['Name', ({ name }) => name ?? '', ['p2', 'second']],
    [
      'State',
      ({ suspendedAt }) =>
        suspendedAt === null ? <Badge tone="good">runs</Badge> : <Badge tone="bad">suspended</Badge>,
      ['state'],
    ],
    ['Made', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second', 'named']],
  ],
  empty: () =>
    'No account yet. A person signs up at the portal, or you make one: npm run admin -- create-account.',
  noMatch: () =>
    'No account found. Names and addresses are found by the beginning of their words, phone numbers with their country code.',
  note: ({ found }) => (found.isCut ? <p class="note">There may be more: type more of the name.</p> : null),
});

function Search({ text }: { text: string }): VNode {
  return (
    <form method="get" action={accountsPath} class="inline">
      <label for="q">Address, name, phone number, handle, or an id</label>
      <input type="search" id="q" name="q" value={text} maxLength={maxSearch} />
      <button>Find</button>
    </form>
  );
}

export const accountListPages = [accounts];
