/** Actions of an operator on an account, from its page. */
import { addressIn } from '../../domain/accounts/email.ts';
import { tiers } from '../../domain/licences/subscription.ts';
import { sendRedirect } from '../../http/answers.ts';
import { fault } from '../../kernel/faults.ts';
import { readForm } from '../forms/read-form.ts';
import { Copyable, When } from '../parts.tsx';
import { idIn } from '../session/pages.ts';
import type { PageContext } from '../session/pages.ts';
import { operatorPage } from './session.ts';
import { accountPath, accountsPath, answerConsole, answerConsoleQuestion } from './shell.tsx';

const path = accountPath('{account_id}');

function askSuspend(context: PageContext): void {
  const id = idIn(context, 'account_id');
  answerConsoleQuestion(context, {
    title: 'Suspend this account',
    at: accountsPath,
    children: (
      <p>
        Its sends answer 402 and say why, on every node within 5 seconds. Events are received and delivered as
        before, what waits in its queues is sent, and its people can sign in. You can resume it at any time.
      </p>
    ),
    action: `${accountPath(id)}/suspend`,
    yes: 'Suspend it',
    back: accountPath(id),
  });
}

const suspending = (suspended: boolean) => async (context: PageContext) => {
  await readForm(context);
  const id = idIn(context, 'account_id');
  await context.useCases.suspendAccount(id, { suspended });
  sendRedirect(context.response, accountPath(id));
};

async function grant(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const tier = tiers.find((each) => each === form.text('tier'));
  if (tier === undefined) throw fault('bad_request', { why: 'Choose a tier' });
  const id = idIn(context, 'account_id');
  const request = { tier, source: 'enterprise', expiresAt: null, autoRenew: false } as const;
  await context.useCases.createSubscription(id, request);
  sendRedirect(context.response, `${accountPath(id)}#licences`);
}

/** The link is shown once: the page is the answer to the form, and nobody stores it. */
async function makeLink(context: PageContext): Promise<void> {
  await readForm(context);
  const id = idIn(context, 'account_id');
  const { account } = await context.useCases.inspectAccount(id);
  // Not by the account's address: an unverified address may be that of another account's person.
  const { link, expiresAt } = await context.useCases.makeAccountResetLink(id);
  answerConsole(context, {
    title: 'A link for a new password',
    at: accountsPath,
    children: (
      <>
        <p>
          For {addressIn(account.email)}. Hand it to whom you know: whoever opens it is in. It works once, and
          ends <When at={expiresAt} now={context.clock.now()} />. It is not shown again.
        </p>
        <p class="secret">
          <Copyable text={link} label="the link" />
        </p>
        <a class="button" href={accountPath(id)}>
          I have handed it over
        </a>
      </>
    ),
  });
}

export const accountDeeds = [
  operatorPage({ get: `${path}/suspend`, name: 'askSuspend', open: askSuspend }),
  operatorPage({ post: `${path}/suspend`, name: 'consoleSuspend', open: suspending(true) }),
  operatorPage({ post: `${path}/resume`, name: 'consoleResume', open: suspending(false) }),
  operatorPage({ post: `${path}/licences`, name: 'consoleGrant', open: grant }),
  operatorPage({ post: `${path}/reset-link`, name: 'consoleResetLink', open: makeLink }),
];
