/** The person's sessions, on the page of their own account. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { When } from '../../../pages/time.tsx';
import { ownAccountPath } from '../../../pages/paths.ts';
import { readCookie } from '../../../pages/session/cookies.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { endOtherSessions, endSession } from '../sessions.ts';
import type { Session } from '../sessions.ts';

const path = `${ownAccountPath}/sessions`;

export const secretOf = ({ request, baseUrl }: SignedInContext): string =>
  readCookie(request, baseUrl, 'session');

export function Sessions({ context, sessions }: { context: SignedInContext; sessions: Session[] }): VNode {
  const now = context.clock.now();
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Where you are signed in</h2>
      <Rows
        heads={['Browser', 'Address', 'Signed in', 'Last used', '']}
        rows={sessions.map((session) => [
          session.agent ?? 'Not known',
          session.address ?? 'Not kept',
          <When at={session.createdAt} now={now} />,
          <When at={session.seenAt} now={now} />,
          session.isCurrent ? <span class="dim">this browser</span> : <End context={context} of={session} />,
        ])}
      />
      {sessions.length < 2 ? null : (
        <Form action={`${path}/end-others`} csrf={context.csrf} may="viewer">
          <button class="quiet">End all other sessions</button>
        </Form>
      )}
    </section>
  );
}

function End({ context, of }: { context: SignedInContext; of: Session }): VNode {
  return (
    <Form action={`${path}/${of.id}/end`} csrf={context.csrf} may="viewer">
      <button class="quiet">
        End<span class="unseen"> the session of {of.agent ?? 'an unknown browser'}</span>
      </button>
    </Form>
  );
}

async function end(context: SignedInContext): Promise<void> {
  await readForm(context);
  await endSession(context.world, context.visitor, idIn(context, 'session_id'));
  sendRedirect(context.response, `${ownAccountPath}?ended`);
}

async function endOthers(context: SignedInContext): Promise<void> {
  await readForm(context);
  await endOtherSessions(context.world, context.visitor, secretOf(context));
  sendRedirect(context.response, `${ownAccountPath}?ended`);
}

const [one, others] = [`${path}/{session_id}/end`, `${path}/end-others`];

export const sessionPages = [
  signedInPage({ post: others, may: 'viewer', name: 'endOtherSessions', open: endOthers }),
  leadBack(others, () => ownAccountPath),
  signedInPage({ post: one, may: 'viewer', name: 'endSession', open: end }),
  leadBack(one, () => ownAccountPath),
];
