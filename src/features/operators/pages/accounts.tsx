import type { PageContext } from '../../route.ts';
import { listAccounts, findAccounts } from '../accounts.ts';
import { addressIn } from '../../../rules/email.ts';
import { Empty, More, pageIn, Rows, State, When } from '../../../pages/components.tsx';
import { operatorPage } from './session.ts';
import { accountPath, accountsPath, answerConsole } from './shell.tsx';
import type { Account } from '../../accounts/index.ts';

const maxSearch = 320;

async function show(context: PageContext): Promise<void> {
  const text = (context.query.get('q') ?? '').trim().slice(0, maxSearch);
  const page = pageIn(context.query);
  const found =
    text === ''
      ? await listAccounts(context.world, null, page)
      : { ...(await findAccounts(context.world, text)), nextCursor: null };
  const now = context.clock.now();
  answerConsole(context, {
    title: 'Accounts',
    at: accountsPath,
    children: (
      <>
        <form method="get" action={accountsPath} class="inline">
          <label for="q">Address, name, phone number, handle, or an id</label>
          <input type="search" id="q" name="q" value={text} maxLength={maxSearch} />
          <button>Find</button>
        </form>
        {found.items.length === 0 ? (
          <Empty>
            <p>
              {text === ''
                ? 'No account yet. A person signs up at the portal, or you make one: npm run admin -- create-account.'
                : 'No account found. Names and addresses are found by the beginning of their words, phone numbers with their country code.'}
            </p>
          </Empty>
        ) : (
          <Rows
            heads={['Account', 'Name', 'State', 'Made']}
            rows={found.items.map((each) => row(each, now))}
          />
        )}
        {'isCut' in found && found.isCut ? (
          <p class="note">There may be more: type more of the name.</p>
        ) : null}
        {text === '' ? <More path={accountsPath} page={page} next={found.nextCursor} /> : null}
      </>
    ),
  });
}

function row({ id, email, name, suspendedAt, createdAt }: Account, now: number) {
  return [
    <a href={accountPath(id)}>{addressIn(email)}</a>,
    name ?? '',
    <State tone={suspendedAt === null ? 'good' : 'bad'}>{suspendedAt === null ? 'runs' : 'suspended'}</State>,
    <When at={createdAt} now={now} />,
  ];
}

export const accountListPages = [operatorPage({ get: accountsPath, name: 'consoleAccounts', open: show })];
