/** Where links in mails lead: to a button, because mail programs open links by themselves. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import { Alert } from '../forms/field.tsx';
import { Form } from '../forms/form.tsx';
import { noProblems, trying } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { readForm } from '../forms/read-form.ts';
import { openPage, startSession } from '../session/pages.ts';
import type { Desk } from '../session/pages.ts';
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

async function reset(desk: Desk): Promise<void> {
  const form = await readForm(desk.request, desk.csrf);
  const [token, password] = [form.text('token'), form.exact('password')];
  const tried = await trying(() => desk.useCases.resetPassword({ token, password }));
  if ('problems' in tried) return showReset(desk, tried.problems, token);
  if (tried.done === null) return showUsedUp(desk, <a href="/portal/forgot">Ask for another link</a>);
  startSession(desk, tried.done);
  sendRedirect(desk.response, '/portal');
}

function showConfirm(desk: Desk): void {
  answerDoor(desk, {
    title: 'Confirm your address',
    children: (
      <Form action={confirmPath} csrf={desk.csrf}>
        <Token token={tokenIn(desk)} />
        <p>This tells us that mails to this address reach you.</p>
        <button>Confirm</button>
      </Form>
    ),
  });
}

async function confirm(desk: Desk): Promise<void> {
  const form = await readForm(desk.request, desk.csrf);
  if (await desk.useCases.confirmEmail(form.text('token'))) return sendRedirect(desk.response, '/portal');
  showUsedUp(desk, <a href="/portal/account">Ask for another link</a>);
}

export const linkRoutes = [
  openPage({
    method: 'get',
    path: resetPath,
    name: 'resetPage',
    summary: 'Where the mailed link leads',
    open: (desk) => showReset(desk, noProblems, tokenIn(desk)),
  }),
  openPage({ method: 'post', path: resetPath, name: 'reset', summary: 'Sets a new password', open: reset }),
  openPage({
    method: 'get',
    path: confirmPath,
    name: 'confirmPage',
    summary: 'Where the mailed link leads',
    open: showConfirm,
  }),
  openPage({
    method: 'post',
    path: confirmPath,
    name: 'confirm',
    summary: 'Proves an address',
    open: confirm,
  }),
];
