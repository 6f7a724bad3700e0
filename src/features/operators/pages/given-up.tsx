/** Events that the receivers of an account did not accept, newest first: those whose content is kept can be retried. */
import type { PageContext } from '../../route.ts';
import { fault } from '../../../kernel/faults.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { Caller } from '../../../rules/caller.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Done } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { answerConsoleList, leadBackInConsole, operatorPage } from './session.ts';
import { accountPath, accountsPath, channelsPath, ActionForm, nameAccount } from './shell.tsx';
import { retryDelivery, listAccountDeliveries, Bars, DeliveryBadge } from '../../deliveries/index.ts';

export const givenUpPath = (accountId: string): string => `${accountPath(accountId)}/given-up`;

const path = givenUpPath('{account_id}');
const asked = { channelId: null, event: null, state: 'failed', since: null, until: null } as const;
const doneWords = { again: 'It is being sent again, with all attempts.' };

const callerIn = (context: PageContext): Caller => ({
  accountId: idIn(context, 'account_id'),
  apiKeyId: 'operator',
  by: context.by,
});

async function show(context: PageContext): Promise<void> {
  const { world, query } = context;
  const caller = callerIn(context);
  const account = await world.stores.accounts.byId(caller.accountId);
  if (account === null) throw fault('not_found', { what: 'Account' });
  const here = givenUpPath(account.id);
  await answerConsoleList(context, {
    path: here,
    title: 'Given up',
    heading: `Given up: ${nameAccount(account)}`,
    at: accountsPath,
    back: <a href={accountPath(account.id)}>The account</a>,
    intro: () => <Done words={doneWords} query={query} />,
    read: (_context, _asked, page) => listAccountDeliveries(world, caller, asked, page),
    columns: [
      ['Time', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second']],
      ['Event', ({ event }) => <code class="nowrap">{event}</code>, ['read-by']],
      [
        'Channel',
        ({ channelId }, { found }) => (
          <a href={`${channelsPath}/${channelId}`}>{found.channels.get(channelId)?.name ?? channelId}</a>
        ),
        ['p3', 'second', 'one-line'],
      ],
      ['State', (delivery) => <DeliveryBadge delivery={delivery} />, ['state']],
      ['Attempts', ({ attemptLog }) => <Bars log={attemptLog} />, ['p2']],
      [
        '',
        ({ id, channelId, keptUntil }) =>
          keptUntil === null ? (
            <span class="dim">erased</span>
          ) : (
            <ActionForm context={context} action={`${here}/${channelId}/${id}`} word="Try again" />
          ),
        ['end', 'second'],
      ],
    ],
    empty: () => 'Nothing. Events that failed at all of their attempts are listed here.',
  });
}

async function tryAgain(context: PageContext): Promise<void> {
  await readForm(context);
  const caller = callerIn(context);
  const [channelId, deliveryId] = [idIn(context, 'channel_id'), idIn(context, 'delivery_id')];
  await retryDelivery(context.world, caller, channelId, deliveryId);
  sendRedirect(context.response, `${givenUpPath(caller.accountId)}?again`);
}

export const givenUpPages = [
  operatorPage({ get: path, name: 'consoleGivenUp', open: show }),
  operatorPage({ post: `${path}/{channel_id}/{delivery_id}`, name: 'consoleTryAgain', open: tryAgain }),
  leadBackInConsole(`${path}/{channel_id}/{delivery_id}`, (context) =>
    givenUpPath(idIn(context, 'account_id')),
  ),
];
