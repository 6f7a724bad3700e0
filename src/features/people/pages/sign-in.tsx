import { portalTerms } from '../../portal-terms.ts';
import { leadBack, openPage, signedInPage } from '../../route.ts';
import type { PageContext, SignedInContext } from '../../route.ts';
import { signIn, signOut } from '../sign-in.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, problem, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Done } from '../../../pages/components.tsx';
import { readCookie, setCookie } from '../../../pages/session/cookies.ts';
import {
  clientAddressIn,
  isSignedIn,
  nextIn,
  rememberBrowser,
  signOutPath,
} from '../../../pages/session/pages.ts';
import { EmailField } from './fields.tsx';
import { answerFormPage } from './form-page.tsx';
import { signInPath as path } from '../../../pages/paths.ts';
import { agentIn } from './agent-in.ts';
import { goOn, signInCodeRoutes } from './sign-in-code.tsx';

/** The same for an unknown address and for a wrong password. */
const notRight = problem(401, 'The address or the password is wrong.');

/** After a form that was posted without a session. */
const endedWords = {
  ended:
    'You were signed out, so what you sent was not done. Sign in, and send it again: going back finds what you typed.',
};

function show(context: PageContext, problems: Problems, typed: { email: string; next: string | null }): void {
  const { signup } = portalTerms(context.world);
  const below = (
    <>
      <p>
        <a href="/portal/forgot">Forgot the password?</a>
      </p>
      {signup ? (
        <p>
          New here? <a href="/portal/sign-up">Sign up</a>
        </p>
      ) : null}
    </>
  );
  answerFormPage(context, {
    title: 'Sign in',
    status: problems.status,
    below,
    children: (
      <Form action={path} csrf={context.csrf}>
        <Alert problems={problems} />
        <Done words={endedWords} query={context.query} isWarning />
        {typed.next === null ? null : <input type="hidden" name="next" value={typed.next} />}
        <EmailField autocomplete="username" value={typed.email} problems={problems} />
        <Field
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          problems={problems}
        />
        <button>Sign in</button>
      </Form>
    ),
  });
}

async function open(context: PageContext): Promise<void> {
  const next = nextIn(context.query.get('next'));
  if (await isSignedIn(context)) sendRedirect(context.response, next ?? '/portal');
  else show(context, noProblems, { email: '', next });
}

async function takeCredentials(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const next = nextIn(form.text('next'));
  const [email, password, address] = [form.text('email'), form.exact('password'), clientAddressIn(context)];
  const browser = readCookie(context.request, context.baseUrl, 'known');
  const tried = await trying(() =>
    signIn(context.world, { email, password, address, browser, agent: agentIn(context) }),
  );
  if ('problems' in tried) return show(context, tried.problems, { email, next });
  if (tried.done === null) return show(context, notRight, { email, next });
  rememberBrowser(context, tried.done);
  goOn(context, tried.done, next ?? '/portal');
}

async function leave(context: SignedInContext): Promise<void> {
  await readForm(context);
  await signOut(context.world, readCookie(context.request, context.baseUrl, 'session'));
  setCookie(context.response, context.baseUrl, 'session', null);
  sendRedirect(context.response, path);
}

export const signInRoutes = [
  ...signInCodeRoutes,
  openPage({ get: path, name: 'signInPage', open }),
  openPage({ post: path, name: 'signIn', open: takeCredentials }),
  signedInPage({ post: signOutPath, may: 'viewer', name: 'signOut', open: leave }),
  leadBack(signOutPath, () => '/portal'),
];
