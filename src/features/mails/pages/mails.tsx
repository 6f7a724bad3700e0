import { hasAccessLink } from '../access-links.ts';
import { portalTerms } from '../../portal-terms.ts';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { listMails } from '../list-mails.ts';
import type { VNode } from 'preact';
import { fault } from '../../../kernel/faults.ts';
import { Empty } from '../../../pages/list/empty.tsx';
import { More, pageIn } from '../../../pages/list/paging.tsx';
import { When } from '../../../pages/time.tsx';
import { answerShell } from '../../../pages/shell.tsx';

const path = '/portal/mails';
/** Of one e-mail: one about many events has a line for each, and the list of deliveries has them all. */
const mostLines = 20;

/**
 * Mails with links that prove more than a session are only for the operators: a stolen session must not become a password. [faults: 135]
 */
async function show(context: SignedInContext): Promise<void> {
  if (portalTerms(context.world).sendsMail) throw fault('unknown_path');
  const page = pageIn(context.query);
  const found = await listMails(context.world, context.caller.accountId, page);
  const shown = found.items.filter((mail) => !hasAccessLink(mail));
  answerShell(context, {
    title: 'E-mails',
    at: path,
    children: (
      <>
        <p>This service has no mail server. The e-mails that it would have sent to you are listed here.</p>
        {shown.length === 0 ? (
          <Empty>
            <p>No e-mail yet. One comes when a webhook keeps failing, or a message could not be sent.</p>
          </Empty>
        ) : (
          shown.map((mail) => (
            <article class="card">
              <h2>{mail.subject}</h2>
              <p class="dim">
                <When at={mail.createdAt} now={context.clock.now()} />
              </p>
              {mail.lines.slice(0, mostLines).map((line) => (
                <p>
                  <Linked line={line} baseUrl={context.baseUrl} />
                </p>
              ))}
              {mail.lines.length <= mostLines ? null : (
                <p class="dim">And {mail.lines.length - mostLines} more lines.</p>
              )}
            </article>
          ))
        )}
        <More path={path} page={page} next={found.nextCursor} />
      </>
    ),
  });
}

/** Makes URLs of this service links. Any other URL stays text, because a receiver or a name may have brought it. */
function Linked({ line, baseUrl }: { line: string; baseUrl: string }): VNode {
  const [before = '', ...rest] = line.split(`${baseUrl}/`);
  if (rest.length === 0) return <>{line}</>;
  // A second slash would begin a host name.
  const [, own = '', after = ''] =
    /^((?:[\w?=&%#.-][\w/?=&%#.-]*)?)([^]*)$/.exec(rest.join(`${baseUrl}/`)) ?? [];
  return (
    <>
      {before}
      <a href={`/${own}`}>{`${baseUrl}/${own}`}</a>
      {after}
    </>
  );
}

/** [operator-interface §2 SMTP_URL] */
export const mailPages: FeaturePages = {
  routes: [signedInPage({ get: path, name: 'mailsPage', open: show })],
  place: { path, name: 'E-mails', icon: 'mail', group: 'Account', onlyWithoutMail: true },
};
