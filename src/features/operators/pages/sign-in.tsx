import type { PageContext } from '../../route.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { makeGuesser } from '../../../http/middleware/authenticate.ts';
import { isSameSecret } from '../../../kernel/ids.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, problem, trying } from '../../../pages/forms/problems.ts';
import { answerPage } from '../../../pages/page.tsx';
import { Done } from '../../../pages/components.tsx';
import { nextIn } from '../../../pages/session/pages.ts';
import { consolePath, enterPath, leavePath } from '../../../pages/paths.ts';
import { consoleSignInPage, enter, isEntered, leadBackInConsole, leave, operatorPage } from './session.ts';

const endedWords = { ended: 'The hour was over, so what you sent was not done.' };

function show(context: PageContext, next: string | null, problems = noProblems): void {
  const body = (
    <main class="notice">
      <h1>Operators</h1>
      <Form action={enterPath} csrf={context.csrf} class="narrow">
        <Alert problems={problems} />
        <Done words={endedWords} query={context.query} isWarning />
        {next === null ? null : <input type="hidden" name="next" value={next} />}
        <Field
          name="token"
          label="Admin token"
          type="password"
          hint="ADMIN_TOKEN of this service. You stay for an hour."
          autocomplete="off"
          problems={problems}
        />
        <button>Enter</button>
      </Form>
    </main>
  );
  answerPage(context.response, problems.status, {
    title: 'Trunkline operators',
    scripts: ['page.js'],
    formTargets: ["'self'"],
    body,
  });
}

async function open(context: PageContext): Promise<void> {
  const next = nextIn(context.query.get('next'), consolePath);
  if (await isEntered(context)) sendRedirect(context.response, next ?? consolePath);
  else show(context, next);
}

/** Wrong tokens count like those of the admin API. [faults: 84] */
async function submitToken(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [token, next] = [form.exact('token'), nextIn(form.text('next'), consolePath)];
  const tried = await trying(() =>
    context.guessLimit.check(makeGuesser(context.request, context), token, async () =>
      isSameSecret(token, context.adminToken) ? true : null,
    ),
  );
  if ('problems' in tried) return show(context, next, tried.problems);
  if (tried.done === null) return show(context, next, problem(401, 'This is not the admin token.'));
  await enter(context);
  sendRedirect(context.response, next ?? consolePath);
}

export const consoleSignInPages = [
  consoleSignInPage({ get: enterPath, name: 'consoleSignIn', open }),
  consoleSignInPage({ post: enterPath, name: 'enterConsole', open: submitToken }),
  operatorPage({
    post: leavePath,
    name: 'leaveConsole',
    async open(context) {
      await readForm(context);
      await leave(context);
      sendRedirect(context.response, enterPath);
    },
  }),
  leadBackInConsole(leavePath, () => consolePath),
];
