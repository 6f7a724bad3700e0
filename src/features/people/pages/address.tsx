/** The person's e-mail address: the form on the page of their account, and the page of the link in the mail. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../../http/answers.ts';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import type { Problems } from '../../../pages/forms/problems.ts';
import { newAddressPath, ownAccountPath } from '../../../pages/paths.ts';
import { readCookie } from '../../../pages/session/cookies.ts';
import { clientAddressIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { openPage, signedInPage } from '../../route.ts';
import type { PageContext, SignedInContext } from '../../route.ts';
import { portalTerms } from '../../portal-terms.ts';
import { askAddressChange, changeAddress, changingAddress } from '../change-address.ts';
import { EmailField, PasswordField } from './fields.tsx';
import { answerFormPage } from './form-page.tsx';
import { showUsedUp, Token, tokenIn } from './links.tsx';

const path = `${ownAccountPath}/address`;

/** On the page of the person's own account. */
export function Address({ context }: { context: SignedInContext }): VNode {
  return (
    <section aria-labelledby="address">
      <h2 id="address">E-mail address</h2>
      <p>
        You sign in as <b>{context.visitor.email}</b>.
      </p>
      <a class="button quiet" href={path}>
        Change the address
      </a>
    </section>
  );
}

function show(context: SignedInContext, problems = noProblems, typed = ''): void {
  answerShell(context, {
    title: 'Change the address',
    at: ownAccountPath,
    back: <a href={ownAccountPath}>Account</a>,
    status: problems.status,
    children: (
      <>
        <p>
          You sign in as <b>{context.visitor.email}</b>.{' '}
          {portalTerms(context.world).sendsMail
            ? 'We send a link to the new address. It works for a day; until you open it nothing changes. The present address is told.'
            : 'Nobody can prove an address here, because this service has no mail server: it changes at once.'}
        </p>
        <Form action={path} csrf={context.csrf} class="narrow" may="viewer">
          <Alert problems={problems} />
          <EmailField label="New e-mail address" autocomplete="email" value={typed} problems={problems} />
          <PasswordField problems={problems} />
          <button>Change the address</button>
        </Form>
      </>
    ),
  });
}

async function ask(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const [email, password, address] = [form.text('email'), form.exact('password'), clientAddressIn(context)];
  const tried = await trying(() =>
    askAddressChange(context.world, context.visitor, { email, password, address }),
  );
  if ('problems' in tried) show(context, tried.problems, email);
  else sendRedirect(context.response, `${ownAccountPath}?address-${tried.done}`);
}

type Changing = Awaited<ReturnType<typeof changingAddress>>;

const again = <a href={path}>Ask for another link</a>;

function showLink(context: PageContext, token: string, { needs, email }: Changing, problems: Problems): void {
  if (needs === 'used_up') return showUsedUp(context, again);
  answerFormPage(context, {
    title: 'Confirm your new address',
    status: problems.status,
    children: (
      <Form action={newAddressPath} csrf={context.csrf}>
        <Alert problems={problems} />
        <Token token={token} />
        <p>
          You sign in as <b>{email}</b> from now on. Your password and your sessions stay.
        </p>
        {needs === 'password' ? (
          <PasswordField
            hint="The one of the account whose address changes. If you did not ask for this, close this page."
            problems={problems}
          />
        ) : null}
        <button>Change the address</button>
      </Form>
    ),
  });
}

const sessionIn = ({ request, baseUrl }: PageContext): string => readCookie(request, baseUrl, 'session');

async function openLink(context: PageContext): Promise<void> {
  const asked = { token: tokenIn(context), session: sessionIn(context) };
  showLink(context, asked.token, await changingAddress(context.world, asked), noProblems);
}

const notThePassword: Problems = {
  status: 401,
  fields: { password: 'This is not the password of that account.' },
  all: null,
};

async function takeLink(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const [token, password, address] = [form.text('token'), form.exact('password'), clientAddressIn(context)];
  const session = sessionIn(context);
  const changing = await changingAddress(context.world, { token, session });
  const tried = await trying(() =>
    changeAddress(context.world, context.by, { token, session, password, address }),
  );
  if ('problems' in tried) return showLink(context, token, changing, tried.problems);
  if (tried.done === 'changed') return sendRedirect(context.response, `${ownAccountPath}?address-changed`);
  showLink(context, token, { ...changing, needs: tried.done }, notThePassword);
}

export const addressPages = [
  signedInPage({ get: path, name: 'addressPage', open: show }),
  signedInPage({ post: path, may: 'viewer', name: 'askAddressChange', open: ask }),
  openPage({ get: newAddressPath, name: 'newAddressPage', open: openLink }),
  openPage({ post: newAddressPath, name: 'changeAddress', open: takeLink }),
];
