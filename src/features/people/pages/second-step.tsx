/** The person switches the second step of signing in on and off. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert, Field } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { Copyable, Lines } from '../../../pages/components.tsx';
import { When } from '../../../pages/time.tsx';
import { ownAccountPath } from '../../../pages/paths.ts';
import { readFlash, redirectWithFlash } from '../../../pages/session/flash.ts';
import { clientAddressIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { offerStep, readStep, renewCodes, startStep, stopStep } from '../change-second-step.ts';
import { PasswordField } from './fields.tsx';
import { QrCode } from './qr-code.tsx';

const path = `${ownAccountPath}/second-step`;
const codesPath = `${path}/codes`;
const offPath = `${path}/off`;

const toAccount = <a href={ownAccountPath}>Account</a>;

/** On the page of the person's own account. */
export function SecondStep({ isOn }: { isOn: boolean }): VNode {
  return (
    <section aria-labelledby="second-step">
      <h2 id="second-step">Two-step sign-in</h2>
      <p>
        {isOn ? 'On: signing in takes the password and a code of your app.' : 'Off: the password is enough.'}
      </p>
      <a class="button quiet" href={path}>
        {isOn ? 'Change it' : 'Switch it on'}
      </a>
    </section>
  );
}

async function show(
  context: SignedInContext,
  problems = noProblems,
  offer: string | null = null,
): Promise<void> {
  const state = await readStep(context.world, context.visitor);
  answerShell(context, {
    title: 'Two-step sign-in',
    at: ownAccountPath,
    back: toAccount,
    status: problems.status,
    children: state.isOn ? (
      <On context={context} problems={problems} state={state} />
    ) : (
      <Off context={context} problems={problems} offer={offer} />
    ),
  });
}

interface PartProps {
  context: SignedInContext;
  problems: Problems;
}

function Off({ context, problems, offer }: PartProps & { offer: string | null }): VNode {
  const offered = offerStep(context.world, context.visitor, offer);
  return (
    <>
      <p>
        Signing in then takes your password and a code that an app on your phone shows: whoever has only the
        password does not get in. Any authenticator app will do.
      </p>
      <ol>
        <li>
          <p>Scan this with the app, or type the key into it.</p>
          <QrCode text={offered.address} label="QR code with the key for your app" />
          <p>
            <Copyable text={offered.secret} label="the key" />
          </p>
        </li>
        <li>
          <p>Enter the code that the app shows.</p>
          <Form action={path} csrf={context.csrf} class="narrow" may="viewer">
            <Alert problems={problems} />
            <input type="hidden" name="offer" value={offered.offer} />
            <Field
              name="code"
              label="Code"
              autocomplete="one-time-code"
              maxLength={40}
              mono
              problems={problems}
            />
            <PasswordField problems={problems} />
            <button>Switch it on</button>
          </Form>
        </li>
      </ol>
    </>
  );
}

interface OnProps extends PartProps {
  state: { since: number | null; recoveryCodes: number };
}

function On({ context, problems, state: { since, recoveryCodes } }: OnProps): VNode {
  return (
    <>
      <p>
        On since <When at={since ?? 0} now={context.clock.now()} />. {recoveryCodes} recovery codes are left.
      </p>
      <Form action={codesPath} csrf={context.csrf} class="narrow" may="viewer">
        <Alert problems={problems} />
        <PasswordField problems={problems} />
        <button class="quiet">Make new recovery codes</button>
        <button class="danger" formaction={offPath}>
          Switch it off
        </button>
      </Form>
    </>
  );
}

const requestIn = (context: SignedInContext, form: ReadForm) => ({
  password: form.exact('password'),
  address: clientAddressIn(context),
});

async function start(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const [offer, code] = [form.text('offer'), form.text('code')];
  const asked = { ...requestIn(context, form), offer, code };
  const tried = await trying(() => startStep(context.world, context.visitor, asked));
  if ('problems' in tried) await show(context, tried.problems, offer);
  else redirectWithFlash(context, codesPath, tried.done.join(' '));
}

async function renew(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const tried = await trying(() => renewCodes(context.world, context.visitor, requestIn(context, form)));
  if ('problems' in tried) await show(context, tried.problems);
  else redirectWithFlash(context, codesPath, tried.done.join(' '));
}

async function stop(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const tried = await trying(() => stopStep(context.world, context.visitor, requestIn(context, form)));
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, `${ownAccountPath}?one-step`);
}

/** The only page that ever shows them. */
function showCodes(context: SignedInContext): void {
  const codes = readFlash(context, codesPath);
  if (codes === null) return sendRedirect(context.response, path);
  answerShell(context, {
    title: 'Your recovery codes',
    at: ownAccountPath,
    children: (
      <>
        <p>
          Print them or store them now: <b>they are not shown again.</b> Each one works once in place of a
          code of the app, when you have lost it. Earlier ones work no longer.
        </p>
        <Lines text={codes.split(' ').join('\n')} label="the recovery codes" />
        <a class="button" href={ownAccountPath}>
          I have stored them
        </a>
      </>
    ),
  });
}

export const secondStepPages = [
  signedInPage({ get: path, name: 'secondStepPage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'viewer', name: 'startSecondStep', open: start }),
  signedInPage({ get: codesPath, name: 'recoveryCodesPage', open: showCodes }),
  signedInPage({ post: codesPath, may: 'viewer', name: 'makeRecoveryCodes', open: renew }),
  signedInPage({ post: offPath, may: 'viewer', name: 'stopSecondStep', open: stop }),
  leadBack(offPath, () => path),
];
