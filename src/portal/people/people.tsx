import type { ComponentChildren, VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import { isRole } from '../../domain/accounts/person.ts';
import type { Member } from '../../use-cases/index.ts';
import { Alert } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { noProblems, trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { Maybe, News, Rows, State } from '../components.tsx';
import { signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import { EmailField } from './email-field.tsx';
import { RoleChoice } from './role-choice.tsx';

export const peoplePath = '/portal/people';

const nothingTyped = { email: '', role: 'developer' };

async function show(context: SignedInContext, problems = noProblems, typed = nothingTyped): Promise<void> {
  const people = await context.useCases.listPeople(context.caller);
  const isOwner = context.visitor.role === 'owner';
  answerShell(context, {
    title: 'People',
    at: peoplePath,
    status: problems.status,
    children: (
      <>
        {context.query.has('invited') ? <Invited context={context} /> : null}
        <p>Whoever signs in for this account, and what each may do here.</p>
        <Rows
          heads={['Address', 'Role', 'Last seen', '']}
          rows={people.map((person) => row(context, person))}
        />
        {isOwner ? (
          <p>
            <a href="/portal/audit">Who changed what in this account</a>
          </p>
        ) : null}
        {isOwner ? <Invite context={context} problems={problems} typed={typed} /> : null}
      </>
    ),
  });
}

function row({ visitor, clock }: SignedInContext, person: Member): ComponentChildren[] {
  const isMe = person.id === visitor.personId;
  return [
    <>
      {person.email} {isMe ? <span class="dim">(you)</span> : null}
    </>,
    person.role,
    person.hasJoined ? (
      <Maybe at={person.lastSeenAt} now={clock.now()} />
    ) : (
      <State tone="idle">invited</State>
    ),
    isMe ? (
      <a class="button quiet" href={`${peoplePath}/leave`}>
        Leave
      </a>
    ) : visitor.role === 'owner' ? (
      <a class="button quiet" href={`${peoplePath}/${person.id}`}>
        Change<span class="unseen"> {person.email}</span>
      </a>
    ) : null,
  ];
}

function Invited({ context }: { context: SignedInContext }): VNode {
  return (
    <News by={['invited']}>
      {context.useCases.portalTerms().sendsMail
        ? 'A mail with a link is on its way; it works for three days, and once. If the address has an account of its own, the mail says so: an address has one account.'
        : 'This service has no mail server: its operators make the link and hand it over. They see that you asked.'}
    </News>
  );
}

interface InviteProps {
  context: SignedInContext;
  problems: Problems;
  typed: typeof nothingTyped;
}

function Invite({ context, problems, typed }: InviteProps): VNode {
  return (
    <>
      <h2>Invite somebody</h2>
      <Form action={peoplePath} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <EmailField autocomplete="off" value={typed.email} problems={problems} />
        <RoleChoice chosen={isRole(typed.role) ? typed.role : 'developer'} />
        <button>Invite</button>
      </Form>
    </>
  );
}

async function invite(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  context.actor();
  const typed = { email: form.text('email'), role: form.text('role') };
  const tried = await trying(() => context.useCases.invite(context.visitor, typed));
  if ('problems' in tried) await show(context, tried.problems, typed);
  else sendRedirect(context.response, `${peoplePath}?invited`);
}

/** [operator-interface §4, people of an account] */
export const peoplePages = [
  signedInPage({ get: peoplePath, name: 'peoplePage', open: show }),
  signedInPage({ post: peoplePath, may: 'owner', name: 'invite', open: invite }),
];
