import type { PageContext } from '../../route.ts';
import { accountsOf } from '../accounts.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { When } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorListPage, operatorPage } from './session.ts';
import {
  AccountLink,
  answerConsoleConfirmation,
  quarantinePath,
  channelsPath,
  ActionForm,
} from './shell.tsx';
import { listQuarantine, dropQuarantined, retryQuarantined } from '../../quarantine/index.ts';
import type { QuarantinedItem } from '../../quarantine/index.ts';

const reasons: Record<QuarantinedItem['reason'], string> = {
  malformed: 'malformed',
  unknown: 'of an unknown kind',
  unreadable: 'could not be read',
  ended_node: 'crashed the nodes that processed it',
};

const list = operatorListPage({
  path: quarantinePath,
  name: 'consoleAside',
  title: 'Quarantined',
  intro: () => (
    <p>Items of the platform’s webhooks that could not be processed: one row per shape, without content.</p>
  ),
  read: async ({ world }, _asked, page) => {
    const found = await listQuarantine(world, page);
    const ids = found.items.map(({ accountId }) => accountId);
    return { ...found, accounts: await accountsOf(world, ids) };
  },
  columns: [
    [
      'What',
      ({ kind, shape }) => (
        <>
          {kind} <code>{shape.slice(0, 200)}</code>
        </>
      ),
    ],
    ['Why', ({ reason }) => reasons[reason]],
    ['Times', ({ times }) => times],
    ['Last seen', ({ lastSeenAt }, { now }) => <When at={lastSeenAt} now={now} />],
    [
      'Whose',
      ({ accountId }, { found }) => <AccountLink id={accountId} accounts={found.accounts} none="not known" />,
    ],
    [
      'Channel',
      ({ channelId }) =>
        channelId === null ? 'not known' : <a href={`${channelsPath}/${channelId}`}>its channel</a>,
    ],
    [
      '',
      ({ id, sealed }, { context }) =>
        sealed === null ? (
          ''
        ) : (
          <ActionForm context={context} action={`${quarantinePath}/${id}/retry`} word="Try again" />
        ),
    ],
    [
      '',
      ({ id }) => (
        <a class="button quiet" href={`${quarantinePath}/${id}/drop`}>
          Drop
        </a>
      ),
    ],
  ],
  empty: () => 'Nothing. Items of the platform that cannot be parsed are listed here for 30 days.',
});

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
  list,
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
