import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { changePassword } from '../new-password.ts';
import { askConfirmation } from '../confirm.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { Done } from '../../../pages/components.tsx';
import { clientAddressIn, startSession } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { ownAccountPath } from '../../../pages/paths.ts';
import { listSessions } from '../sessions.ts';
import { Address, addressPages } from './address.tsx';
import { MailChoice, mailChoicePages } from './mail-choice.tsx';
import { portalTerms } from '../../portal-terms.ts';
import { readMailChoice } from '../mail-choice.ts';
import { agentIn } from './agent-in.ts';
import { WhosePassword, ChosenPassword } from './fields.tsx';
import { readStep } from '../change-second-step.ts';
import { SecondStep, secondStepPages } from './second-step.tsx';
import { secretOf, sessionPages, Sessions } from './sessions.tsx';

const path = ownAccountPath;

const doneWords = {
  changed: 'The password is changed. Your other sessions have ended.',
  mailed: 'Another e-mail is on its way.',
  mails: 'Kept: e-mails that are not sent yet follow it.',
  ended: 'The session has ended.',
  'address-mailed': 'A link is on its way to the new address. Until you open it, nothing changes.',
  'address-changed': 'The address is changed: sign in with it from now on.',
  'one-step': 'Two-step sign-in is off: the password is enough.',
};

async function show(context: SignedInContext, problems = noProblems): Promise<void> {
  const { world, visitor } = context;
  const sessions = await listSessions(world, visitor, secretOf(context));
  const { isOn } = await readStep(world, visitor);
  const topics = portalTerms(world).sendsMail ? await readMailChoice(world, visitor) : null;
  answerShell(context, {
    title: 'Account',
    at: path,
    status: problems.status,
    children: (
      <>
        <Done words={doneWords} query={context.query} />
        <Address context={context} />
        {topics === null ? null : <MailChoice context={context} chosen={topics} />}
        <Sessions context={context} sessions={sessions} />
        <SecondStep isOn={isOn} />
        <h2>Change the password</h2>
        <Form action={path} csrf={context.csrf} class="narrow" may="viewer">
          <Alert problems={problems} />
          <WhosePassword email={context.visitor.email} />
          <Field
            name="current"
            label="Current password"
            type="password"
            autocomplete="current-password"
            problems={problems}
          />
          <ChosenPassword label="New password" problems={problems} />
          <p>Your other sessions end.</p>
          <button>Change the password</button>
        </Form>
      </>
    ),
  });
}

async function change(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const asked = {
    current: form.exact('current'),
    password: form.exact('password'),
    address: clientAddressIn(context),
    agent: agentIn(context),
  };
  const tried = await trying(() => changePassword(context.world, context.visitor, asked));
  if ('problems' in tried) return show(context, tried.problems);
  startSession(context, tried.done);
  sendRedirect(context.response, `${path}?changed`);
}

async function mailAgain(context: SignedInContext): Promise<void> {
  await readForm(context);
  const tried = await trying(() => askConfirmation(context.world, context.visitor));
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, `${path}?mailed`);
}

export const accountPages = [
  ...addressPages,
  ...mailChoicePages,
  ...sessionPages,
  ...secondStepPages,
  signedInPage({ get: path, name: 'accountPage', open: show }),
  signedInPage({ post: path, may: 'viewer', name: 'changePassword', open: change }),
  signedInPage({ post: `${path}/confirmation`, may: 'viewer', name: 'mailConfirmation', open: mailAgain }),
  leadBack(`${path}/confirmation`, () => path),
];
