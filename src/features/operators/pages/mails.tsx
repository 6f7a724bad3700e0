import type { PageContext } from '../../route.ts';
import { accountsOf } from '../accounts.ts';
import { sendMailNow } from '../send-mail-now.ts';
import { addressIn } from '../../../rules/email.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Badge, Whole } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorListPage, operatorPage } from './session.ts';
import { accountPath, ActionForm, mailsPath } from './shell.tsx';
import type { StoredMail } from '../../../storage/entities/mails.ts';
import type { Account } from '../../accounts/index.ts';
import { listMails } from '../../mails/index.ts';

const list = operatorListPage({
  path: mailsPath,
  name: 'consoleMails',
  title: 'E-mails',
  read: async ({ world }, _asked, page) => {
    const found = await listMails(world, null, page);
    const ids = found.items.map(({ accountId }) => accountId);
    return { ...found, accounts: await accountsOf(world, ids) };
  },
  intro: ({ context }) =>
    context.sendsMail ? null : (
      <p class="note">This service has no mail server (SMTP_URL): people read their e-mails at the portal.</p>
    ),
  columns: [
    [
      'To',
      ({ accountId, recipient }, { found }) => (
        <a href={accountPath(accountId)}>
          <Whole text={recipient ?? ownerOf(found.accounts.get(accountId))} />
        </a>
      ),
      ['read-by'],
    ],
    ['Subject', ({ subject }) => subject, ['second']],
    ['Why', ({ kind }) => kind, ['p4']],
    ['Written', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['p2', 'second']],
    [
      'Sent',
      (mail, { context, now }) => (
        <Sent mail={mail} waits={isWaiting(mail, context)} gathers={isGathering(mail, context)} now={now} />
      ),
      ['state'],
    ],
    [
      '',
      (mail, { context }) =>
        isWaiting(mail, context) && !isGathering(mail, context) ? (
          <ActionForm context={context} action={`${mailsPath}/${mail.id}/send`} word="Send now" />
        ) : (
          ''
        ),
      ['end', 'second'],
    ],
  ],
  empty: () =>
    'No e-mail was written in the last days. The service writes one when somebody signs up, is invited or asks for a new password, when events are given up, and before a licence, key or token ends.',
});

const isWaiting = ({ sentAt }: StoredMail, { sendsMail }: PageContext): boolean =>
  sentAt === null && sendsMail;

const isGathering = ({ gathersUntil }: StoredMail, { clock }: PageContext): boolean =>
  gathersUntil > clock.now();

const ownerOf = (account: Account | undefined): string =>
  account === undefined ? 'its account' : addressIn(account.email);

interface SentProps {
  mail: StoredMail;
  waits: boolean;
  gathers: boolean;
  now: number;
}

function Sent({ mail, waits, gathers, now }: SentProps) {
  const { sentAt, givenUp, sendAfter } = mail;
  if (sentAt !== null && givenUp === null) return <When at={sentAt} now={now} />;
  if (sentAt !== null)
    return (
      <>
        <Badge tone="bad">given up</Badge> <code>{givenUp}</code> <When at={sentAt} now={now} />
      </>
    );
  return (
    <>
      <Badge tone={waits && !gathers ? 'bad' : 'idle'}>not yet</Badge>{' '}
      {waits ? (
        <>
          {gathers ? 'gathers until' : 'next try'} <When at={sendAfter} now={now} />
        </>
      ) : null}
    </>
  );
}

async function sendNow(context: PageContext): Promise<void> {
  await readForm(context);
  await sendMailNow(context.world, context.by, idIn(context, 'mail_id'));
  sendRedirect(context.response, mailsPath);
}

export const operatorMailPages = [
  list,
  operatorPage({ post: `${mailsPath}/{mail_id}/send`, name: 'consoleSendMail', open: sendNow }),
  leadBackInConsole(`${mailsPath}/{mail_id}/send`, () => mailsPath),
];
