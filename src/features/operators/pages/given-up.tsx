/** Events that the receivers of an account did not accept, newest first: those whose content is kept can be retried. */
import type { PageContext } from '../../route.ts';
import { inspectAccount } from '../accounts.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { Caller } from '../../../rules/caller.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Done, Empty, Rows, Pager, twoWayPageIn, When } from '../../../pages/components.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import { accountPath, accountsPath, answerConsole, channelsPath, ActionForm, nameAccount } from './shell.tsx';
import { retryDelivery, listAccountDeliveries, Dots, Result } from '../../deliveries/index.ts';
import type { ShownDelivery } from '../../deliveries/index.ts';

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
  const { account, channels } = await inspectAccount(world, caller.accountId);
  const page = await listAccountDeliveries(world, caller, asked, twoWayPageIn(query));
  const names = new Map(channels.map(({ channel }) => [channel.id, channel.name ?? channel.id]));
  answerConsole(context, {
    title: 'Given up',
    heading: `Given up: ${nameAccount(account)}`,
    at: accountsPath,
    back: <a href={accountPath(account.id)}>The account</a>,
    children: (
      <>
        <Done words={doneWords} query={query} />
        {page.items.length === 0 ? (
          <Empty>
            <p>Nothing. Events that failed at all of their attempts are listed here.</p>
          </Empty>
        ) : (
          <Rows
            heads={['Time', 'Event', 'Channel', 'Answer', 'Attempts', '']}
            rows={page.items.map((each) => row(context, each, names))}
          />
        )}
        <Pager path={givenUpPath(account.id)} page={page} />
      </>
    ),
  });
}

function row(context: PageContext, delivery: ShownDelivery, names: ReadonlyMap<string, string>) {
  const { id, channelId, event, lastResult, attemptLog, createdAt, keptUntil } = delivery;
  return [
    <When at={createdAt} now={context.clock.now()} />,
    <code class="nowrap">{event}</code>,
    <a href={`${channelsPath}/${channelId}`}>{names.get(channelId) ?? channelId}</a>,
    <Result result={lastResult} />,
    <Dots log={attemptLog} />,
    keptUntil === null ? (
      <span class="dim">erased</span>
    ) : (
      <ActionForm
        context={context}
        action={`${givenUpPath(idIn(context, 'account_id'))}/${channelId}/${id}`}
        word="Try again"
      />
    ),
  ];
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
