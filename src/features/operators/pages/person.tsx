/** One of an account's people, for an operator: role, second step, a link. Who has lost all owners has nobody else who can. [faults: 209] */
import type { PageContext } from '../../route.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import { accountPath, accountsPath, ActionForm, answerConsole } from './shell.tsx';
import { listPeople, resetSecondStep, setRole, ChangedRole, changedRoleIn } from '../../people/index.ts';
import type { Member } from '../../people/index.ts';

const path = `${accountPath('{account_id}')}/people/{person_id}/role`;

/** `typed`: a role that was refused. */
async function ask(context: PageContext, problems = noProblems, typed = ''): Promise<void> {
  const accountId = idIn(context, 'account_id');
  const { id, email, role, hasJoined, hasSecondStep } = await personAt(context);
  const own = `${accountPath(accountId)}/people/${id}`;
  answerConsole(context, {
    title: email,
    at: accountsPath,
    back: <a href={`${accountPath(accountId)}#people`}>The account</a>,
    status: problems.status,
    children: (
      <>
        <Alert problems={problems} />
        <h2>Role</h2>
        <p>
          {email} has the new role from the next page on
          {hasJoined ? '' : ', but has not joined yet and needs a link to join'}. An owner manages the people
          of the account: make somebody an owner only if you know the person.
        </p>
        <Form action={`${own}/role`} csrf={context.csrf} class="narrow">
          <ChangedRole stored={role} typed={typed} />
          <button>Save</button>
          <a class="button quiet" href={accountPath(accountId)}>
            Go back
          </a>
        </Form>
        {hasSecondStep ? (
          <>
            <h2>Second step</h2>
            <p>Who has lost the phone and the recovery codes signs in with the password alone.</p>
            <ActionForm context={context} action={`${own}/one-step`} word="Switch the second step off" />
          </>
        ) : null}
        {
          // Of the first person the account's own button makes the link.
          id === accountId ? null : (
            <>
              <h2>Link</h2>
              <ActionForm
                context={context}
                action={`${own}/link`}
                word={hasJoined ? 'Make a password link' : 'Make a link to join'}
              />
            </>
          )
        }
      </>
    ),
  });
}

async function change(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const { id } = await personAt(context);
  const asked = changedRoleIn(form);
  const tried = await trying(() => setRole(context.world, context.by, id, asked));
  if ('problems' in tried) await ask(context, tried.problems, asked.role);
  else sendRedirect(context.response, `${accountPath(idIn(context, 'account_id'))}#people`);
}

async function personAt(context: PageContext): Promise<Member> {
  const people = await listPeople(context.world, { accountId: idIn(context, 'account_id') });
  const person = people.find(({ id }) => id === idIn(context, 'person_id'));
  if (person === undefined) throw fault('not_found', { what: 'Person' });
  return person;
}

async function switchOff(context: PageContext): Promise<void> {
  await readForm(context);
  const { id } = await personAt(context);
  await resetSecondStep(context.world, context.by, id);
  sendRedirect(context.response, `${accountPath(idIn(context, 'account_id'))}#people`);
}

const oneStep = `${accountPath('{account_id}')}/people/{person_id}/one-step`;

export const personPages = [
  operatorPage({ post: oneStep, name: 'consoleOneStep', open: switchOff }),
  leadBackInConsole(oneStep, (context) => accountPath(idIn(context, 'account_id'))),
  operatorPage({ get: path, name: 'askRole', open: ask }),
  operatorPage({ post: path, name: 'consoleRole', open: change }),
];
