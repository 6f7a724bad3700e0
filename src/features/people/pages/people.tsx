import { portalTerms } from '../../portal-terms.ts';
import { signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { listPeople, removePerson } from '../members.ts';
import { invite } from '../invite.ts';
import type { ComponentChildren, VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { isRole } from '../../../rules/person.ts';
import type { ListedMember } from '../types.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Announcement, Badge, Done } from '../../../pages/components.tsx';
import { Maybe } from '../../../pages/time.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import { accountPages } from './account.tsx';
import { EmailField, RoleChoice } from './fields.tsx';
import { personPages } from './person.tsx';
import { answerConfirmation } from '../../../pages/confirmation-page.tsx';
import { setCookie } from '../../../pages/session/cookies.ts';
import { peoplePath, signInPath } from '../../../pages/paths.ts';

const nothingTyped = { email: '', role: 'developer' };

async function show(context: SignedInContext, problems = noProblems, typed = nothingTyped): Promise<void> {
  const people = await listPeople(context.world, context.caller);
  const isOwner = context.visitor.role === 'owner';
  const { sendsMail } = portalTerms(context.world);
  answerShell(context, {
    title: 'People',
    at: peoplePath,
    status: problems.status,
    children: (
      <>
        {context.query.has('invited') ? <Invited context={context} /> : null}
        <Done words={doneWords} query={context.query} />
        <p>Whoever signs in for this account, and what each may do here.</p>
        <Rows
          heads={['Address', 'Role', 'Two steps', ...(sendsMail ? ['E-mails about'] : []), 'Last seen', '']}
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

const doneWords = { saved: 'Saved.', removed: 'Removed.' };

/** The security of the person's own sign-in goes without saying. */
function mailsOf({ mailTopics }: ListedMember): ComponentChildren {
  return mailTopics.length === 0 ? <span class="dim">nothing</span> : mailTopics.join(', ');
}

function row({ visitor, clock, world }: SignedInContext, person: ListedMember): ComponentChildren[] {
  const isMe = person.id === visitor.personId;
  return [
    <>
      {person.email} {isMe ? <span class="dim">(you)</span> : null}
    </>,
    person.role,
    person.hasSecondStep ? 'on' : <span class="dim">off</span>,
    ...(portalTerms(world).sendsMail ? [mailsOf(person)] : []),
    person.hasJoined ? (
      <Maybe at={person.lastSeenAt} now={clock.now()} />
    ) : (
      <Badge tone="idle">invited</Badge>
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
    <Announcement by={['invited']}>
      {portalTerms(context.world).sendsMail
        ? 'An e-mail with a link is on its way; it works for three days, and once. If the address has an account of its own, the e-mail says so: an address has one account.'
        : 'This service has no mail server: its operators make the link and hand it over. They see that you asked.'}
    </Announcement>
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

async function takeInvitation(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  context.actor();
  const typed = { email: form.text('email'), role: form.text('role') };
  const tried = await trying(() => invite(context.world, context.visitor, typed));
  if ('problems' in tried) await show(context, tried.problems, typed);
  else sendRedirect(context.response, `${peoplePath}?invited`);
}

const path = `${peoplePath}/leave`;

function ask(context: SignedInContext, problems = noProblems): void {
  answerConfirmation(context, {
    title: 'Leave the account',
    at: peoplePath,
    question: 'Leave this account?',
    status: problems.status,
    children: (
      <>
        <Alert problems={problems} />
        <p>
          You are signed out everywhere at once, and can come back only if an owner invites you. Your address
          can then have an account of its own. API keys that you made still work.
        </p>
      </>
    ),
    action: path,
    yes: 'Leave the account',
    no: { path: peoplePath, word: 'Stay' },
    may: 'viewer',
  });
}

async function leave(context: SignedInContext): Promise<void> {
  await readForm(context);
  const { visitor, world, response, baseUrl } = context;
  const tried = await trying(() => removePerson(world, visitor, visitor.personId));
  if ('problems' in tried) return ask(context, tried.problems);
  setCookie(response, baseUrl, 'session', null);
  sendRedirect(response, signInPath);
}

/** [operator-interface §4, people of an account] */
export const peoplePages: FeaturePages = {
  routes: [
    ...accountPages,
    signedInPage({ get: path, name: 'leavePage', open: ask }),
    signedInPage({ post: path, may: 'viewer', name: 'leave', open: leave }),
    signedInPage({ get: peoplePath, name: 'peoplePage', open: show }),
    signedInPage({ post: peoplePath, may: 'owner', name: 'invite', open: takeInvitation }),
    ...personPages,
  ],
  place: { path: peoplePath, name: 'People', icon: 'users', group: 'Account' },
  samples: ['/portal/account', '/portal/account/address', '/portal/account/second-step'],
};
