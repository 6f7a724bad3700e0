/** The second step of signing in: the code of an app, or a recovery code. */
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { signInCodePath as path, signInPath } from '../../../pages/paths.ts';
import { readCookie, setCookie } from '../../../pages/session/cookies.ts';
import { awaitCode, nextIn, startSession } from '../../../pages/session/pages.ts';
import { openPage } from '../../route.ts';
import type { PageContext } from '../../route.ts';
import { awaitsCode, giveCode } from '../second-step.ts';
import type { Begun } from '../types.ts';
import { agentIn } from './agent-in.ts';
import { answerFormPage } from './form-page.tsx';

/** After the right password: signs the browser in, or leads to the form for the code. */
export function goOn(context: PageContext, begun: Begun, next: string): void {
  if (!begun.awaitsCode) {
    startSession(context, begun);
    return sendRedirect(context.response, next);
  }
  awaitCode(context, begun);
  sendRedirect(context.response, `${path}?${new URLSearchParams({ next })}`);
}

const secretIn = ({ request, baseUrl }: PageContext): string => readCookie(request, baseUrl, 'step');

function show(context: PageContext, problems: Problems, next: string | null): void {
  answerFormPage(context, {
    title: 'Enter the code',
    status: problems.status,
    below: (
      <p>Lost the app? Use one of your recovery codes. Lost those too? Ask the operators of this service.</p>
    ),
    children: (
      <Form action={path} csrf={context.csrf}>
        <Alert problems={problems} />
        {next === null ? null : <input type="hidden" name="next" value={next} />}
        <Field
          name="code"
          label="Code"
          hint="The six digits that your app shows, or a recovery code."
          autocomplete="one-time-code"
          maxLength={40}
          mono
          problems={problems}
        />
        <button>Sign in</button>
      </Form>
    ),
  });
}

async function open(context: PageContext): Promise<void> {
  if (!(await awaitsCode(context.world, secretIn(context))))
    return sendRedirect(context.response, signInPath);
  show(context, noProblems, nextIn(context.query.get('next')));
}

async function take(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const next = nextIn(form.text('next'));
  const given = { secret: secretIn(context), code: form.text('code'), agent: agentIn(context) };
  const tried = await trying(() => giveCode(context.world, context.by, given));
  if ('problems' in tried) return show(context, tried.problems, next);
  setCookie(context.response, context.baseUrl, 'step', null);
  if (tried.done === null) return sendRedirect(context.response, signInPath);
  startSession(context, tried.done);
  sendRedirect(context.response, next ?? '/portal');
}

export const signInCodeRoutes = [
  openPage({ get: path, name: 'signInCodePage', open }),
  openPage({ post: path, name: 'signInCode', open: take }),
];
