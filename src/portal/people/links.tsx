/** Where links in mails lead: to a button, because mail programs open links by themselves. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import type { Confirming } from '../../use-cases/index.ts';
import { Alert, Field } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { noProblems, trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { readCookie } from '../session/cookies.ts';
import { addressOf, openPage, startSession } from '../session/pages.ts';
import type { Desk } from '../session/pages.ts';
import { olderKeysPath } from '../keys/older.tsx';
import { ChosenPassword } from './chosen-password.tsx';
import { answerDoor } from './frame.tsx';

const resetPath = '/portal/reset';
const confirmPath = '/portal/confirm';

const tokenIn = (desk: Desk): string => desk.query.get('token')?.slice(0, 100) ?? '';

function Token({ token }: { token: string }): VNode {
  return <input type="hidden" name="token" value={token} />;
}

function showReset(desk: Desk, problems: Problems, token: string): void {
  answerDoor(desk, {
    title: 'Set a new password',
    status: problems.status,
    children: (
      <Form action={resetPath} csrf={desk.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <ChosenPassword label="New password" problems={problems} />
        <p>Setting it ends every session of this account.</p>
        <button>Set the password</button>
      </Form>
    ),
  });
}

function showUsedUp(desk: Desk, again: VNode): void {
  answerDoor(desk, {
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

async function openReset(desk: Desk): Promise<void> {
  const token = tokenIn(desk);
  if (await desk.useCases.isResetLink(token)) showReset(desk, noProblems, token);
  else showUsedUp(desk, anotherReset);
}

const anotherReset = <a href="/portal/forgot">Ask for another link</a>;
const anotherConfirmation = <a href="/portal/account">Ask for another link</a>;

async function reset(desk: Desk): Promise<void> {
  const form = await readForm(desk);
  const [token, password] = [form.text('token'), form.exact('password')];
  const tried = await trying(() => desk.useCases.resetPassword({ token, password }));
  if ('problems' in tried) return showReset(desk, tried.problems, token);
  if (tried.done === null) return showUsedUp(desk, anotherReset);
  const { olderKeysUntil: until } = tried.done;
  startSession(desk, tried.done);
  sendRedirect(desk.response, until === null ? '/portal' : `${olderKeysPath}?until=${until}`);
}

function showConfirm(desk: Desk, token: string, needs: Confirming, problems: Problems): void {
  if (needs === 'used_up') return showUsedUp(desk, anotherConfirmation);
  answerDoor(desk, {
    title: 'Confirm your address',
    status: problems.status,
    children: (
      <Form action={confirmPath} csrf={desk.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <p>This tells us that mails to this address reach you, and that it was you who signed up.</p>
        {needs === 'password' ? (
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete="current-password"
            hint="The one you chose when you signed up. If you did not sign up, close this page."
            problems={problems}
          />
        ) : null}
        <button>Confirm</button>
      </Form>
    ),
  });
}

async function openConfirm(desk: Desk): Promise<void> {
  const token = tokenIn(desk);
  const session = readCookie(desk.request, desk.baseUrl, 'session');
  showConfirm(desk, token, await desk.useCases.confirming({ token, session }), noProblems);
}

const notThePassword: Problems = {
  status: 401,
  fields: { password: 'This is not the password of who signed up.' },
  all: null,
};

async function confirm(desk: Desk): Promise<void> {
  const form = await readForm(desk);
  const [token, password, address] = [form.text('token'), form.exact('password'), addressOf(desk)];
  const session = readCookie(desk.request, desk.baseUrl, 'session');
  const tried = await trying(() => desk.useCases.confirmEmail({ token, session, password, address }));
  if ('problems' in tried) return showConfirm(desk, token, 'password', tried.problems);
  if (tried.done !== 'confirmed') return showConfirm(desk, token, tried.done, notThePassword);
  sendRedirect(desk.response, '/portal');
}

export const linkRoutes = [
  openPage({
    method: 'get',
    path: resetPath,
    name: 'resetPage',
    summary: 'Where the mailed link leads',
    open: openReset,
  }),
  openPage({ method: 'post', path: resetPath, name: 'reset', summary: 'Sets a new password', open: reset }),
  openPage({
    method: 'get',
    path: confirmPath,
    name: 'confirmPage',
    summary: 'Where the mailed link leads',
    open: openConfirm,
  }),
  openPage({
    method: 'post',
    path: confirmPath,
    name: 'confirm',
    summary: 'Proves an address',
    open: confirm,
  }),
];
