import type { VNode } from 'preact';
import { maxEmail } from '../../domain/accounts/email.ts';
import { Alert, Field } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { noProblems, trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { addressOf, openPage } from '../session/pages.ts';
import type { Desk } from '../session/pages.ts';
import { answerDoor } from './frame.tsx';

const path = '/portal/forgot';

const below = (
  <p>
    <a href="/portal/sign-in">Back to sign-in</a>
  </p>
);

function show(desk: Desk, problems: Problems, email = ''): void {
  answerDoor(desk, {
    title: 'Set a new password',
    status: problems.status,
    below,
    children: (
      <>
        <p>
          Tell us the address of your account.{' '}
          {desk.useCases.portalTerms().sendsMail
            ? 'A link to set a new password goes there.'
            : 'This service has no mail server: its operators make a link to set a new password, and hand it to you.'}
        </p>
        {desk.useCases.portalTerms().sendsMail ? null : <ByOperators />}
        <Form action={path} csrf={desk.csrf}>
          <Alert problems={problems} />
          <Field
            name="email"
            label="E-mail address"
            type="email"
            autocomplete="username"
            value={email}
            problems={problems}
          />
          <button>{desk.useCases.portalTerms().sendsMail ? 'Send the link' : 'Ask for a link'}</button>
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

/** The same whether the address is known or not. */
function showAsked(desk: Desk): void {
  const { sendsMail } = desk.useCases.portalTerms();
  answerDoor(desk, {
    title: sendsMail ? 'Look into your mail' : 'Ask the operators',
    below,
    children: sendsMail ? (
      <p>If there is an account for this address, a link is on its way. It works for one hour, and once.</p>
    ) : (
      <>
        <p>
          If there is an account for this address, its operators see that you asked. They make a link once
          they know that it is you; it works for one hour, and once.
        </p>
        <ByOperators />
      </>
    ),
  });
}

async function ask(desk: Desk): Promise<void> {
  const form = await readForm(desk);
  const [email, address] = [form.text('email').slice(0, maxEmail), addressOf(desk)];
  const tried = await trying(() => desk.useCases.askReset({ email, address }));
  if ('problems' in tried) show(desk, tried.problems, email);
  else showAsked(desk);
}

export const forgotRoutes = [
  openPage({
    method: 'get',
    path,
    name: 'forgotPage',
    summary: 'Asks for a new password',
    open: (desk) => show(desk, noProblems),
  }),
  openPage({ method: 'post', path, name: 'askReset', summary: 'Mails a link', open: ask }),
];
