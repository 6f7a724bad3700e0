/** Actions of an operator on an account, from its page. */
import type { PageContext } from '../../route.ts';
import { findAccount, noteAccount, suspendAccount } from '../accounts.ts';
import { addressIn } from '../../../rules/email.ts';
import { tiers } from '../../../rules/licences/subscription.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import { idFrom, newId } from '../../../kernel/ids.ts';
import { maxNote, maxReason } from '../../accounts/index.ts';
import { Field } from '../../../pages/forms/field.tsx';
import { readForm } from '../../../pages/forms/form.tsx';
import { wasField } from '../../../pages/forms/was.ts';
import { noProblems } from '../../../pages/forms/problems.ts';
import { Copyable } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import {
  accountPath,
  accountsPath,
  answerConsole,
  answerConsoleConfirmation,
  nameAccount,
} from './shell.tsx';
import { createSubscription } from '../../licences/index.ts';
import { makeAccountResetLink, makeResetLink, listPeople, makeInvitationLink } from '../../people/index.ts';

const path = accountPath('{account_id}');

async function askSuspend(context: PageContext): Promise<void> {
  const id = idIn(context, 'account_id');
  const account = await findAccount(context.world, id);
  answerConsoleConfirmation(context, {
    title: `Suspend ${nameAccount(account)}`,
    at: accountsPath,
    children: (
      <p>
        The account of <b>{addressIn(account.email)}</b>: its sends are refused with 402, on every node within
        5 seconds. Events are still received and delivered, queued messages are sent, and its people can sign
        in. You can resume it at any time.
      </p>
    ),
    fields: (
      <Field
        name="reason"
        label="Reason"
        hint="Its people read it on each page of the portal. Empty: none is told."
        required={false}
        maxLength={maxReason}
        problems={noProblems}
      />
    ),
    action: `${accountPath(id)}/suspend`,
    yes: 'Suspend it',
    back: accountPath(id),
  });
}

const suspending = (suspended: boolean) => async (context: PageContext) => {
  const form = await readForm(context);
  const id = idIn(context, 'account_id');
  const reason = suspended ? shortText(form.text('reason'), maxReason) : null;
  await suspendAccount(context.world, context.by, id, { suspended, reason });
  sendRedirect(context.response, accountPath(id));
};

async function keepNote(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const id = idIn(context, 'account_id');
  const [was] = form.all(wasField('note'));
  const seen = was === undefined ? {} : { note: shortText(was, maxNote) };
  await noteAccount(context.world, context.by, id, shortText(form.text('note'), maxNote), seen);
  sendRedirect(context.response, `${accountPath(id)}#note`);
}

/** null: nothing was typed. Throws 400 `bad_request` for more than the field takes, which counts an end of line once. */
function shortText(given: string, max: number): string | null {
  const typed = given.replaceAll('\r\n', '\n');
  if (typed.length > max) throw fault('bad_request', { why: `Use at most ${max} characters` });
  return typed === '' ? null : typed;
}

async function grant(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const tier = tiers.find((each) => each === form.text('tier'));
  if (tier === undefined) throw fault('bad_request', { why: 'Choose a tier' });
  const id = idIn(context, 'account_id');
  const request = { tier, source: 'enterprise', expiresAt: null, autoRenew: false } as const;
  const once = form.text('once');
  // Posted twice, the form grants one.
  const licenceId = once === '' ? newId() : idFrom('licence', id, once);
  await createSubscription(context.world, context.by, id, request, licenceId);
  sendRedirect(context.response, `${accountPath(id)}#licences`);
}

/** Not by the account's address: an unverified address may be that of another account's person. */
async function makeLink(context: PageContext): Promise<void> {
  await readForm(context);
  const id = idIn(context, 'account_id');
  const account = await findAccount(context.world, id);
  const made = await makeAccountResetLink(context.world, context.by, id);
  showLink(context, { ...made, title: 'A link for a new password', email: addressIn(account.email) });
}

/** For one of the account's people: to join, or for a new password. */
async function makePersonLink(context: PageContext): Promise<void> {
  await readForm(context);
  const [id, personId] = [idIn(context, 'account_id'), idIn(context, 'person_id')];
  const people = await listPeople(context.world, { accountId: id });
  const person = people.find((each) => each.id === personId && each.id !== id);
  if (person === undefined) throw fault('not_found', { what: 'Person' });
  const { email, hasJoined } = person;
  const made = await (hasJoined
    ? makeResetLink(context.world, context.by, email)
    : makeInvitationLink(context.world, context.by, personId));
  const title = hasJoined ? 'A link for a new password' : 'A link to join the account';
  showLink(context, { ...made, title, email });
}

interface MadeLink {
  title: string;
  email: string;
  link: string;
  expiresAt: number;
}

/** The link is shown once: the page is the answer to the form, and nobody stores it. */
function showLink(context: PageContext, { title, email, link, expiresAt }: MadeLink): void {
  answerConsole(context, {
    title,
    at: accountsPath,
    children: (
      <>
        <p>
          For {email}. Give it only to that person: whoever opens it can choose the password. It works once,
          and expires <When at={expiresAt} now={context.clock.now()} />. It is not shown again.
        </p>
        <p class="secret">
          <Copyable text={link} label="the link" />
        </p>
        <a class="button" href={accountPath(idIn(context, 'account_id'))}>
          I have handed it over
        </a>
      </>
    ),
  });
}

export const accountActions = [
  operatorPage({ get: `${path}/suspend`, name: 'askSuspend', open: askSuspend }),
  operatorPage({ post: `${path}/suspend`, name: 'consoleSuspend', open: suspending(true) }),
  operatorPage({ post: `${path}/resume`, name: 'consoleResume', open: suspending(false) }),
  operatorPage({ post: `${path}/note`, name: 'consoleNote', open: keepNote }),
  operatorPage({ post: `${path}/licences`, name: 'consoleGrant', open: grant }),
  operatorPage({ post: `${path}/reset-link`, name: 'consoleResetLink', open: makeLink }),
  operatorPage({ post: `${path}/people/{person_id}/link`, name: 'consolePersonLink', open: makePersonLink }),
  ...['resume', 'note', 'licences', 'reset-link', 'people/{person_id}/link'].map((action) =>
    leadBackInConsole(`${path}/${action}`, (context) => accountPath(idIn(context, 'account_id'))),
  ),
];
