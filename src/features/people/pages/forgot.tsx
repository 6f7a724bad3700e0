import { portalTerms } from '../../portal-terms.ts';
import { openPage } from '../../route.ts';
import type { PageContext } from '../../route.ts';
import { askReset } from '../new-password.ts';
import type { VNode } from 'preact';
import { maxEmail } from '../../../rules/email.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { clientAddressIn } from '../../../pages/session/pages.ts';
import { EmailField } from './fields.tsx';
import { answerFormPage } from './form-page.tsx';
import { forgotPath as path } from '../../../pages/paths.ts';

const below = (
  <p>
    <a href="/portal/sign-in">Back to sign-in</a>
  </p>
);

function show(context: PageContext, problems = noProblems, email = ''): void {
  answerFormPage(context, {
    title: 'Set a new password',
    status: problems.status,
    below,
    children: (
      <>
        <p>
          Tell us the address of your account.{' '}
          {portalTerms(context.world).sendsMail
            ? 'A link to set a new password goes there.'
            : 'This service has no mail server: its operators make a link to set a new password, and hand it to you.'}
        </p>
        {portalTerms(context.world).sendsMail ? null : <ByOperators />}
        <Form action={path} csrf={context.csrf}>
          <Alert problems={problems} />
          <EmailField autocomplete="username" value={email} problems={problems} />
          <button>{portalTerms(context.world).sendsMail ? 'Send the link' : 'Ask for a link'}</button>
        </Form>
      </>
    ),
  });
}

function ByOperators(): VNode {
  return (
    <p>
      For operators: <code>npm run admin -- reset-link EMAIL</code>
    </p>
  );
}

/** The same answer whether the address is known or not. */
function showAsked(context: PageContext): void {
  const { sendsMail } = portalTerms(context.world);
  answerFormPage(context, {
    title: sendsMail ? 'Look into your e-mail' : 'Ask the operators',
    below,
    children: sendsMail ? (
      <p>If there is an account for this address, a link is on its way. It works for one hour, and once.</p>
    ) : (
      <>
        <p>
          If there is an account for this address, the operators see your request. They make a link once they
          have verified that it is you; it works once, within one hour.
        </p>
        <ByOperators />
      </>
    ),
  });
}

async function ask(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [email, address] = [form.text('email').slice(0, maxEmail), clientAddressIn(context)];
  const tried = await trying(() => askReset(context.world, { email, address }));
  if ('problems' in tried) show(context, tried.problems, email);
  else showAsked(context);
}

export const forgotRoutes = [
  openPage({ get: path, name: 'forgotPage', open: show }),
  openPage({ post: path, name: 'askReset', open: ask }),
];
