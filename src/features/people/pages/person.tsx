/** One person of the account, as an owner sees it. */
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { readPerson, changeRole, removePerson } from '../members.ts';
import { inviteAgain } from '../invite.ts';
import { showKeyName } from '../../../rules/api-key.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { Member } from '../types.ts';
import { Destroying } from '../../../pages/components.tsx';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { When } from '../../../pages/time.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import type { VNode } from 'preact';
import { ChangedRole, changedRoleIn } from './fields.tsx';
import { peoplePath } from '../../../pages/paths.ts';
import { listKeys } from '../../accounts/index.ts';
import type { ApiKey } from '../../accounts/index.ts';

const path = `${peoplePath}/{person_id}`;
const makePath = (personId: string): string => `${peoplePath}/${personId}`;

/** `typed`: a role that was refused. */
async function show(context: SignedInContext, problems = noProblems, typed = ''): Promise<void> {
  const person = await readPerson(context.world, context.visitor, idIn(context, 'person_id'));
  answerShell(context, {
    title: person.email,
    back: <a href={peoplePath}>All people</a>,
    at: peoplePath,
    status: problems.status,
    children: (
      <>
        <Alert problems={problems} />
        {person.hasJoined ? null : <Invitation context={context} person={person} />}
        <Form action={makePath(person.id)} csrf={context.csrf} class="narrow">
          <ChangedRole stored={person.role} typed={typed} />
          <button>Save</button>
        </Form>
        <Destroying title="Remove">
          <a class="button danger" href={`${makePath(person.id)}/remove`}>
            {person.hasJoined ? 'Remove from the account' : 'Take the invitation back'}
          </a>
        </Destroying>
      </>
    ),
  });
}

function Invitation({ context, person }: { context: SignedInContext; person: Member }): VNode {
  return (
    <>
      <p>
        Invited <When at={person.createdAt} now={context.clock.now()} />. The link of an invitation works for
        three days, and once.
      </p>
      <Form action={`${makePath(person.id)}/invitation`} csrf={context.csrf}>
        <button class="quiet">Invite again</button>
      </Form>
    </>
  );
}

async function change(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const asked = { personId: idIn(context, 'person_id'), ...changedRoleIn(form) };
  const tried = await trying(() => changeRole(context.world, context.visitor, asked));
  if ('problems' in tried) await show(context, tried.problems, asked.role);
  else sendRedirect(context.response, `${peoplePath}?saved`);
}

async function sendInvitationAgain(context: SignedInContext): Promise<void> {
  await readForm(context);
  context.actor();
  const personId = idIn(context, 'person_id');
  const tried = await trying(() => inviteAgain(context.world, context.visitor, personId));
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, `${peoplePath}?invited`);
}

async function askRemove(context: SignedInContext): Promise<void> {
  const person = await readPerson(context.world, context.visitor, idIn(context, 'person_id'));
  const keys = await keysMadeBy(context, person.email);
  answerConfirmation(context, {
    title: 'Remove somebody',
    at: peoplePath,
    question: `Remove ${person.email}?`,
    children: (
      <>
        <p>
          {person.hasJoined
            ? 'They are signed out everywhere at once, and can be invited again.'
            : 'The link in the e-mail ends at once. They can be invited again.'}
        </p>
        <KeysLeft keys={keys} />
      </>
    ),
    action: `${makePath(person.id)}/remove`,
    yes: 'Remove',
    no: { path: peoplePath, word: 'Keep' },
  });
}

async function remove(context: SignedInContext): Promise<void> {
  await readForm(context);
  const personId = idIn(context, 'person_id');
  const tried = await trying(() => removePerson(context.world, context.visitor, personId));
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, `${peoplePath}?removed`);
}

export const personPages = [
  signedInPage({ get: path, may: 'owner', name: 'personPage', open: show }),
  signedInPage({ post: path, may: 'owner', name: 'changeRole', open: change }),
  signedInPage({ post: `${path}/invitation`, may: 'owner', name: 'inviteAgain', open: sendInvitationAgain }),
  leadBack(`${path}/invitation`, (context) => makePath(idIn(context, 'person_id'))),
  signedInPage({ get: `${path}/remove`, may: 'owner', name: 'removePersonPage', open: askRemove }),
  signedInPage({ post: `${path}/remove`, may: 'owner', name: 'removePerson', open: remove }),
];

async function keysMadeBy(context: SignedInContext, email: string): Promise<ApiKey[]> {
  const { items } = await listKeys(context.world, context.caller, { limit: null, cursor: null });
  return items.filter(({ madeBy }) => madeBy === email);
}

/** Keys belong to the account: they outlive the person who made them. */
function KeysLeft({ keys }: { keys: readonly ApiKey[] }): VNode | null {
  if (keys.length === 0) return null;
  return (
    <p>
      API keys that they made still work: {keys.map((key) => `“${showKeyName(key)}”`).join(', ')}. Whoever
      knows one can use it until it is <a href="/portal/keys">revoked</a>.
    </p>
  );
}
