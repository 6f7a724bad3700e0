/** Targets of links in mails: they only show a button, because mail programs open links by themselves. */
import { openPage } from '../../route.ts';
import type { PageContext } from '../../route.ts';
import { isResetLink, resetPassword } from '../new-password.ts';
import { confirming, confirmEmail } from '../confirm.ts';
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import type { Confirming } from '../types.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { readCookie } from '../../../pages/session/cookies.ts';
import { clientAddressIn } from '../../../pages/session/pages.ts';
import { ChosenPassword, PasswordField } from './fields.tsx';
import { answerFormPage } from './form-page.tsx';
import { confirmPath, resetPath } from '../../../pages/paths.ts';
import { olderKeysPath } from '../../accounts/index.ts';
import { agentIn } from './agent-in.ts';
import { goOn } from './sign-in-code.tsx';

export const tokenIn = (context: PageContext): string => context.query.get('token')?.slice(0, 100) ?? '';

export function Token({ token }: { token: string }): VNode {
  return <input type="hidden" name="token" value={token} />;
}

function showReset(context: PageContext, problems: Problems, token: string): void {
  answerFormPage(context, {
    title: 'Set a new password',
    status: problems.status,
    children: (
      <Form action={resetPath} csrf={context.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <ChosenPassword label="New password" problems={problems} />
        <p>Setting it ends your sessions everywhere.</p>
        <button>Set the password</button>
      </Form>
    ),
  });
}

export function showUsedUp(context: PageContext, again: VNode): void {
  answerFormPage(context, {
    title: 'This link no longer works',
    status: 410,
    children: (
      <>
        <p>It was used already, or its time is over. Nothing was changed.</p>
        {again}
      </>
    ),
  });
}

async function openReset(context: PageContext): Promise<void> {
  const token = tokenIn(context);
  if (await isResetLink(context.world, token)) showReset(context, noProblems, token);
  else showUsedUp(context, anotherReset);
}

const anotherReset = <a href="/portal/forgot">Ask for another link</a>;
const anotherConfirmation = <a href="/portal/account">Ask for another link</a>;

async function reset(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [token, password] = [form.text('token'), form.exact('password')];
  const tried = await trying(() =>
    resetPassword(context.world, context.by, { token, password, agent: agentIn(context) }),
  );
  if ('problems' in tried) return showReset(context, tried.problems, token);
  if (tried.done === null) return showUsedUp(context, anotherReset);
  const { olderKeysUntil: until } = tried.done;
  goOn(context, tried.done, until === null ? '/portal' : `${olderKeysPath}?until=${until}`);
}

function showConfirm(context: PageContext, token: string, needs: Confirming, problems: Problems): void {
  if (needs === 'used_up') return showUsedUp(context, anotherConfirmation);
  answerFormPage(context, {
    title: 'Confirm your address',
    status: problems.status,
    children: (
      <Form action={confirmPath} csrf={context.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <p>This tells us that e-mails to this address reach you, and that it was you who signed up.</p>
        {needs === 'password' ? (
          <PasswordField
            hint="The one you chose when you signed up. If you did not sign up, close this page."
            problems={problems}
          />
        ) : null}
        <button>Confirm</button>
      </Form>
    ),
  });
}

async function openConfirm(context: PageContext): Promise<void> {
  const token = tokenIn(context);
  const session = readCookie(context.request, context.baseUrl, 'session');
  showConfirm(context, token, await confirming(context.world, { token, session }), noProblems);
}

const notThePassword: Problems = {
  status: 401,
  fields: { password: 'This is not the password that was chosen at sign-up.' },
  all: null,
};

async function confirm(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [token, password, address] = [form.text('token'), form.exact('password'), clientAddressIn(context)];
  const session = readCookie(context.request, context.baseUrl, 'session');
  const tried = await trying(() =>
    confirmEmail(context.world, context.by, { token, session, password, address }),
  );
  if ('problems' in tried) return showConfirm(context, token, 'password', tried.problems);
  if (tried.done !== 'confirmed') return showConfirm(context, token, tried.done, notThePassword);
  sendRedirect(context.response, '/portal');
}

export const linkRoutes = [
  openPage({ get: resetPath, name: 'resetPage', open: openReset }),
  openPage({ post: resetPath, name: 'reset', open: reset }),
  openPage({ get: confirmPath, name: 'confirmPage', open: openConfirm }),
  openPage({ post: confirmPath, name: 'confirm', open: confirm }),
];
