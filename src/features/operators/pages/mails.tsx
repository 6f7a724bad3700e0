import { portalTerms } from '../../portal-terms.ts';
import type { PageContext } from '../../route.ts';
import { accountsOf } from '../accounts.ts';
import { addressIn } from '../../../rules/email.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { readForm } from '../../../pages/forms/form.tsx';
import { Empty, More, pageIn, Rows, State, When } from '../../../pages/components.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import { accountPath, answerConsole, ActionForm, mailsPath } from './shell.tsx';
import type { StoredMail } from '../../../storage/entities/mails.ts';
import type { Account } from '../../accounts/index.ts';
import { listMails, sendMailNow } from '../../mails/index.ts';

async function show(context: PageContext): Promise<void> {
  const page = pageIn(context.query);
  const { items, nextCursor } = await listMails(context.world, null, page);
  const accounts = await accountsOf(
    context.world,
    items.map(({ accountId }) => accountId),
  );
  const { sendsMail } = portalTerms(context.world);
  answerConsole(context, {
    title: 'Mails',
    at: mailsPath,
    children: (
      <>
        {sendsMail ? null : (
          <p class="note">
            This service has no mail server (SMTP_URL): people read their mails at the portal.
          </p>
        )}
        {items.length === 0 ? (
          <Empty>
            <p>No mail was written in the last days.</p>
          </Empty>
        ) : (
          <Rows
            heads={['To', 'Subject', 'Why', 'Written', 'Sent', '']}
            rows={items.map((mail) => row(context, mail, accounts.get(mail.accountId), sendsMail))}
          />
        )}
        <More path={mailsPath} page={page} next={nextCursor} />
      </>
    ),
  });
}

function row(context: PageContext, mail: StoredMail, account: Account | undefined, sendsMail: boolean) {
  const now = context.clock.now();
  const { id, accountId, recipient, subject, kind, createdAt } = mail;
  const waits = mail.sentAt === null && sendsMail;
  return [
    <a href={accountPath(accountId)}>
      {recipient ?? (account === undefined ? 'its account' : addressIn(account.email))}
    </a>,
    subject,
    kind,
    <When at={createdAt} now={now} />,
    <Sent mail={mail} waits={waits} now={now} />,
    waits ? <ActionForm context={context} action={`${mailsPath}/${id}/send`} word="Send now" /> : '',
  ];
}

function Sent({ mail, waits, now }: { mail: StoredMail; waits: boolean; now: number }) {
  const { sentAt, givenUp, sendAfter } = mail;
  if (sentAt !== null && givenUp === null) return <When at={sentAt} now={now} />;
  if (sentAt !== null)
    return (
      <>
        <State tone="bad">given up</State> <code>{givenUp}</code> <When at={sentAt} now={now} />
      </>
    );
  return (
    <>
      <State tone={waits ? 'bad' : 'idle'}>not yet</State>{' '}
      {waits ? (
        <>
          next try <When at={sendAfter} now={now} />
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
  operatorPage({ get: mailsPath, name: 'consoleMails', open: show }),
  operatorPage({ post: `${mailsPath}/{mail_id}/send`, name: 'consoleSendMail', open: sendNow }),
  leadBackInConsole(`${mailsPath}/{mail_id}/send`, () => mailsPath),
];
