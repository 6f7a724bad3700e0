import { portalTerms } from '../../portal-terms.ts';
import { signUpPath } from '../../../pages/paths.ts';
import { openPage } from '../../route.ts';
import type { PageContext } from '../../route.ts';
import { signUp } from '../sign-up.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { clientAddressIn, isSignedIn, startSession } from '../../../pages/session/pages.ts';
import { EmailField, ChosenPassword } from './fields.tsx';
import { agentIn } from './agent-in.ts';
import { answerFormPage } from './form-page.tsx';
import { maxAccountName } from '../../accounts/index.ts';

const path = signUpPath;

function show(context: PageContext, problems = noProblems, typed = { email: '', name: '' }): void {
  const { signup, trialDays, trialTier, sendsMail } = portalTerms(context.world);
  if (!signup) return showClosed(context);
  const below = (
    <p>
      Have an account? <a href="/portal/sign-in">Sign in</a>
    </p>
  );
  answerFormPage(context, {
    title: 'Sign up',
    status: problems.status,
    below,
    children: (
      <>
        <p>
          You get a trial of {trialDays} days: one channel of each kind on the {trialTier} tier, all of the
          API, no payment details.
        </p>
        <Form action={path} csrf={context.csrf}>
          <Alert problems={problems} />
          <EmailField
            autocomplete="username"
            value={typed.email}
            hint={sendsMail ? 'We send a link there to confirm it.' : undefined}
            problems={problems}
          />
          <Field
            name="name"
            label="Name of your business (optional)"
            autocomplete="organization"
            value={typed.name}
            required={false}
            maxLength={maxAccountName}
            hint="Whoever connects a channel for you sees this name."
            problems={problems}
          />
          <ChosenPassword label="Password" problems={problems} />
          <button>Sign up</button>
        </Form>
      </>
    ),
  });
}

/** [operator-interface §2] SIGNUP=0 */
function showClosed(context: PageContext): void {
  answerFormPage(context, {
    title: 'Sign-up is closed',
    status: 404,
    below: (
      <p>
        <a href="/portal/sign-in">Sign in</a>
      </p>
    ),
    children: (
      <p>
        Accounts of this service are made by its operators. Once they have made one for your address,{' '}
        <a href="/portal/forgot">set its password</a>.
      </p>
    ),
  });
}

async function open(context: PageContext): Promise<void> {
  if (await isSignedIn(context)) sendRedirect(context.response, '/portal');
  else show(context);
}

async function takeAccount(context: PageContext): Promise<void> {
  if (!portalTerms(context.world).signup) throw fault('unknown_path');
  const form = await readForm(context);
  const typed = { email: form.text('email'), name: form.text('name') };
  const asked = {
    ...typed,
    password: form.exact('password'),
    address: clientAddressIn(context),
    agent: agentIn(context),
  };
  const tried = await trying(() => signUp(context.world, context.by, asked));
  if ('problems' in tried) return show(context, tried.problems, typed);
  startSession(context, tried.done);
  sendRedirect(context.response, '/portal');
}

/** [operator-interface §4, sign-up] */
export const signUpRoutes = [
  openPage({ get: path, name: 'signUpPage', open }),
  openPage({ post: path, name: 'signUp', open: takeAccount }),
];
