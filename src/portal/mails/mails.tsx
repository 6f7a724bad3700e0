import { fault } from '../../kernel/faults.ts';
import { Empty, More, pageIn, When } from '../parts.tsx';
import { signedInPage } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';

const path = '/portal/mails';

/** Where there is a mail server, a session must not read links that only the address' owner may have. */
async function show(desk: SignedInDesk): Promise<void> {
  if (desk.useCases.portalTerms().sendsMail) throw fault('unknown_path');
  const page = pageIn(desk.query);
  const found = await desk.useCases.listMails(desk.caller.accountId, page);
  answerShell(desk, {
    title: 'Mails',
    at: path,
    children: (
      <>
        <h1>Mails</h1>
        <p>This service has no mail server. What it would have sent to you stands here.</p>
        {found.items.length === 0 ? (
          <Empty>
            <p>No mail yet. One comes when a webhook keeps failing, or a message could not be sent.</p>
          </Empty>
        ) : (
          found.items.map((mail) => (
            <article class="card">
              <h2>{mail.subject}</h2>
              <p class="dim">
                <When at={mail.createdAt} now={desk.clock.now()} />
              </p>
              {mail.lines.map((line) => (
                <p class="line">{line}</p>
              ))}
            </article>
          ))
        )}
        <More path={path} page={page} next={found.nextCursor} />
      </>
    ),
  });
}

/** [operator-interface §2 SMTP_URL] */
export const mailPages = [
  signedInPage({ method: 'get', path, name: 'mailsPage', summary: 'Mails that were not sent', open: show }),
];
