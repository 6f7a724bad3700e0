import type { PageContext } from '../../route.ts';
import { accountsOf } from '../accounts.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Empty, More, pageIn, Rows, When } from '../../../pages/components.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import {
  accountPath,
  answerConsole,
  answerConsoleConfirmation,
  quarantinePath,
  channelsPath,
  ActionForm,
  nameAccount,
} from './shell.tsx';
import type { Account } from '../../accounts/index.ts';
import { listQuarantine, dropQuarantined, retryQuarantined } from '../../quarantine/index.ts';
import type { QuarantinedItem } from '../../quarantine/index.ts';

const reasons: Record<QuarantinedItem['reason'], string> = {
  malformed: 'malformed',
  unknown: 'of an unknown kind',
  unreadable: 'could not be read',
  ended_node: 'crashed the nodes that processed it',
};

async function show(context: PageContext): Promise<void> {
  const page = pageIn(context.query);
  const { items, nextCursor } = await listQuarantine(context.world, page);
  const accounts = await accountsOf(
    context.world,
    items.map(({ accountId }) => accountId),
  );
  answerConsole(context, {
    title: 'Put aside',
    at: quarantinePath,
    children: (
      <>
        <p>
          Items of the platform’s webhooks that could not be processed: one row per shape, without content.
        </p>
        {items.length === 0 ? (
          <Empty>
            <p>Nothing. Items of the platform that cannot be parsed are listed here for 30 days.</p>
          </Empty>
        ) : (
          <Rows
            heads={['What', 'Why', 'Times', 'Last seen', 'Whose', 'Channel', '', '']}
            rows={items.map((item) => row(context, item, accounts))}
          />
        )}
        <More path={quarantinePath} page={page} next={nextCursor} />
      </>
    ),
  });
}

function row(context: PageContext, item: QuarantinedItem, accounts: ReadonlyMap<string, Account>) {
  const { id, kind, shape, reason, times, lastSeenAt, accountId, channelId, sealed } = item;
  return [
    <>
      {kind} <code>{shape.slice(0, 200)}</code>
    </>,
    reasons[reason],
    times,
    <When at={lastSeenAt} now={context.clock.now()} />,
    accountId === null ? (
      'not known'
    ) : (
      <a href={accountPath(accountId)}>{nameAccount(accounts.get(accountId))}</a>
    ),
    channelId === null ? 'not known' : <a href={`${channelsPath}/${channelId}`}>its channel</a>,
    sealed === null ? (
      ''
    ) : (
      <ActionForm context={context} action={`${quarantinePath}/${id}/retry`} word="Try again" />
    ),
    <a class="button quiet" href={`${quarantinePath}/${id}/drop`}>
      Drop
    </a>,
  ];
}

function askDrop(context: PageContext): void {
  answerConsoleConfirmation(context, {
    title: 'Drop this item',
    at: quarantinePath,
    children: (
      <p>
        The item is deleted; if it is a message with files, they are never delivered. This can’t be undone.
      </p>
    ),
    action: `${quarantinePath}/${idIn(context, 'item_id')}/drop`,
    yes: 'Drop it',
    back: quarantinePath,
  });
}

const doing = (work: (context: PageContext, id: string) => Promise<void>) => async (context: PageContext) => {
  await readForm(context);
  await work(context, idIn(context, 'item_id'));
  sendRedirect(context.response, quarantinePath);
};

const path = `${quarantinePath}/{item_id}`;

export const quarantinePages = [
  operatorPage({ get: quarantinePath, name: 'consoleAside', open: show }),
  operatorPage({ get: `${path}/drop`, name: 'askDrop', open: askDrop }),
  operatorPage({
    post: `${path}/drop`,
    name: 'consoleDrop',
    open: doing(({ world, by }, id) => dropQuarantined(world, by, id)),
  }),
  operatorPage({
    post: `${path}/retry`,
    name: 'consoleRetry',
    open: doing(({ world, by }, id) => retryQuarantined(world, by, id)),
  }),
  leadBackInConsole(`${path}/retry`, () => quarantinePath),
];
