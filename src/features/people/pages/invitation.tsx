/** Target of the link in an invitation. */
import { openPage } from '../../route.ts';
import type { PageContext } from '../../route.ts';
import { readInvitation, acceptInvitation } from '../invite.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import type { Invitation } from '../types.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { startSession } from '../../../pages/session/pages.ts';
import { WhosePassword, ChosenPassword } from './fields.tsx';
import { answerFormPage } from './form-page.tsx';
import { showUsedUp, Token, tokenIn } from './links.tsx';
import { invitationPath as path } from '../../../pages/paths.ts';
import { agentIn } from './agent-in.ts';

interface Shown {
  token: string;
  invited: Invitation;
  problems: Problems;
}

function show(context: PageContext, { token, invited, problems }: Shown): void {
  answerFormPage(context, {
    title: 'Join the account',
    status: problems.status,
    children: (
      <Form action={path} csrf={context.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <p>
          The account of{' '}
          <b>
            <bdi>{invited.account}</bdi>
          </b>
          . You sign in as <b>{invited.email}</b> and are{' '}
          {invited.role === 'owner' ? 'an owner' : `a ${invited.role}`} of the account.
        </p>
        <WhosePassword email={invited.email} />
        <ChosenPassword label="Password" problems={problems} />
        <button>Join</button>
      </Form>
    ),
  });
}

const askAgain: VNode = (
  <>
    <p>If you have joined, sign in with your password. If not, ask whoever invited you for another link.</p>
    <a href="/portal/sign-in">Sign in</a>
  </>
);

async function open(context: PageContext): Promise<void> {
  const token = tokenIn(context);
  const invited = await readInvitation(context.world, token);
  if (invited === null) showUsedUp(context, askAgain);
  else show(context, { token, invited, problems: noProblems });
}

async function join(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [token, password] = [form.text('token'), form.exact('password')];
  const invited = await readInvitation(context.world, token);
  if (invited === null) return showUsedUp(context, askAgain);
  const tried = await trying(() =>
    acceptInvitation(context.world, context.by, { token, password, agent: agentIn(context) }),
  );
  if ('problems' in tried) return show(context, { token, invited, problems: tried.problems });
  if (tried.done === null) return showUsedUp(context, askAgain);
  startSession(context, tried.done);
  sendRedirect(context.response, '/portal');
}

export const invitationRoutes = [
  openPage({ get: path, name: 'invitationPage', open }),
  openPage({ post: path, name: 'join', open: join }),
];
