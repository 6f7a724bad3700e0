import { sendRedirect } from '../../http/answers.ts';
import { noProblems, trying } from '../forms/problems.ts';
import { Alert } from '../forms/field.tsx';
import { readForm } from '../forms/read-form.ts';
import { answerConfirmation } from '../confirmation-page.tsx';
import { setCookie } from '../session/cookies.ts';
import { signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { peoplePath } from './people.tsx';

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
  const { visitor, useCases, response, baseUrl } = context;
  const tried = await trying(() => useCases.removePerson(visitor, visitor.personId));
  if ('problems' in tried) return ask(context, tried.problems);
  setCookie(response, baseUrl, 'session', null);
  setCookie(response, baseUrl, 'live', null);
  sendRedirect(response, '/portal/sign-in');
}

export const leavePages = [
  signedInPage({ get: path, name: 'leavePage', open: ask }),
  signedInPage({ post: path, may: 'viewer', name: 'leave', open: leave }),
];
