/** Answers with a page of the portal: for a signed-in person, or for everybody. */
import type { VNode } from 'preact';
import { Form } from './forms/form.tsx';
import { Frame, noticePage } from './frame.tsx';
import type { FramedPage } from './frame.tsx';
import { Icon } from './icon.tsx';
import type { Notice } from './notice.tsx';
import { answerPage } from './page.tsx';
import { RoleOfReader } from './reader-role.tsx';
import type { PublicContext, SignedInContext } from './session/context.ts';
import { searchPath, signInPath, signUpPath } from './paths.ts';
import { mayAs } from '../rules/person.ts';
import type { Place } from '../rules/portal-paths.ts';

/** The longest id: upstream's of a message. */
export const maxSearched = 256;

interface ShellPage extends FramedPage {
  /** Default: those of every page. */
  styles?: readonly string[];
  plainScripts?: readonly string[];
  scripts?: readonly string[];
  /** In addition to our own pages. */
  formTargets?: readonly string[];
}

function notesFor(context: SignedInContext): VNode[] {
  const { isSuspended, suspendedWhy, mayAct, role } = context.visitor;
  return [
    ...(isSuspended ? [<Suspended why={suspendedWhy} />] : []),
    ...(mayAct ? [] : [<Unconfirmed context={context} />]),
    ...(role === 'viewer'
      ? [<p class="note">You are a viewer of this account: you look, and change nothing.</p>]
      : []),
  ];
}

function Suspended({ why }: { why: string | null }): VNode {
  return (
    <p class="alert">
      This account is suspended: its sends are refused with 402, and events are still delivered.
      {why === null ? '' : ` The reason: ${why}`} Ask the operators of this service.
    </p>
  );
}

/** Answers with a page for a signed-in person, within the navigation. */
export function answerShell(context: SignedInContext, page: ShellPage): void {
  const { formTargets = [] } = page;
  const { sendsMail, places } = context;
  const shown = places.filter(
    ({ onlyWithoutMail, may = 'viewer' }) =>
      (onlyWithoutMail !== true || !sendsMail) && mayAs(context.visitor.role, may),
  );
  const body = (
    <RoleOfReader value={context.visitor.role}>
      <Frame
        brand={context.visitor.accountName ?? 'Trunkline'}
        places={shown}
        search={<SearchBox text={context.query.get('q') ?? ''} isHere={page.at === searchPath} />}
        person={<Signed context={context} at={page.at} />}
        notes={notesFor(context)}
        page={page}
      />
    </RoleOfReader>
  );
  answerFramed(context, page, { body, formTargets: ["'self'", ...formTargets] });
}

/** Answers with a page for everybody: within the navigation of who is signed in, else within the way to sign in. */
export function answerPublic(context: PublicContext, page: Omit<ShellPage, 'formTargets'>): void {
  if (context.signedIn !== null) return answerShell(context.signedIn, page);
  const places: Place[] = [
    ...context.places.filter(({ path }) => path === page.at),
    { path: signInPath, name: 'Sign in', icon: 'key' },
    { path: signUpPath, name: 'Sign up', icon: 'users' },
  ];
  answerFramed(context, page, { body: <Frame brand="Trunkline" places={places} page={page} /> });
}

function answerFramed(
  { response }: Pick<PublicContext, 'response'>,
  { title, status = 200, styles = ['portal.css'], plainScripts = [], scripts = [] }: ShellPage,
  made: { body: VNode; formTargets?: readonly string[] },
): void {
  answerPage(response, status, {
    title: `${title} · Trunkline`,
    styles,
    plainScripts,
    scripts: ['page.js', ...scripts],
    ...made,
  });
}

/** Answers with a notice in place of a page that can't be shown. */
export function answerNoticeWithin(context: SignedInContext, status: number, notice: Notice): void {
  answerShell(context, { ...noticePage(context.places, context.request.url, notice), status });
}

/** `/` and Ctrl-K lead into it. On a phone it is in the menu; on the page of its results (`isHere`) above them. */
function SearchBox({ text, isHere }: { text: string; isHere: boolean }): VNode {
  return (
    <form method="get" action={searchPath} class={isHere ? 'everywhere is-here' : 'everywhere'} role="search">
      <Icon name="search" />
      <label for="everywhere" class="unseen">
        Search everywhere
      </label>
      <input
        id="everywhere"
        name="q"
        type="search"
        value={isHere ? text.slice(0, maxSearched) : ''}
        placeholder="Search"
        autocomplete="off"
        maxLength={maxSearched}
        required
        aria-keyshortcuts="/ Control+K"
        data-shortcut
      />
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
}

function Signed({ context, at }: { context: SignedInContext; at: string }): VNode {
  return (
    <>
      <a
        href="/portal/account"
        title={context.visitor.email}
        aria-current={at === '/portal/account' ? 'page' : undefined}
      >
        {context.visitor.email}
      </a>
      <Form action="/portal/sign-out" csrf={context.csrf} may="viewer">
        <button class="quiet">Sign out</button>
      </Form>
    </>
  );
}

/** [operator-interface §4, sign-up] A person with an unconfirmed address may look but not send. */
function Unconfirmed({ context }: { context: SignedInContext }): VNode {
  return (
    <div class="note">
      <p>
        Confirm your address to make keys, connect channels and send: open the link in the e-mail that went to{' '}
        <b>{context.visitor.email}</b>.
      </p>
      <Form action="/portal/account/confirmation" csrf={context.csrf} may="viewer">
        <button class="quiet">Send the e-mail again</button>
      </Form>
    </div>
  );
}
