import type { ComponentChildren, VNode } from 'preact';
import { Form } from './forms/form.tsx';
import { answerPage } from './page.tsx';
import type { SignedInContext } from './session/pages.ts';

interface NavigationEntry {
  path: string;
  name: string;
  /** Where there is a mail server, mails are read where they arrive. */
  onlyWithoutMail?: true;
}

const places: readonly NavigationEntry[] = [
  { path: '/portal', name: 'Home' },
  { path: '/portal/channels', name: 'Channels' },
  { path: '/portal/deliveries', name: 'Deliveries' },
  { path: '/portal/messages', name: 'Messages' },
  { path: '/portal/requests', name: 'Requests' },
  { path: '/portal/templates', name: 'Templates' },
  { path: '/portal/live', name: 'Live' },
  { path: '/portal/keys', name: 'API keys' },
  { path: '/portal/redirects', name: 'Redirects' },
  { path: '/portal/people', name: 'People' },
  { path: '/portal/billing', name: 'Billing' },
  { path: '/portal/mails', name: 'Mails', onlyWithoutMail: true },
  { path: '/docs', name: 'API' },
];

interface ShellPage {
  title: string;
  /** Path of the place in the navigation that this page belongs to. */
  at: string;
  status?: number;
  scripts?: readonly string[];
  /** Beyond our own pages. */
  formTargets?: readonly string[];
  children: ComponentChildren;
}

/** A page of somebody who is signed in, in its navigation. */
export function answerShell(context: SignedInContext, page: ShellPage): void {
  const { title, at, status = 200, scripts = [], formTargets = [], children } = page;
  const body = (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Navigation context={context} at={at} />
      <main id="main">
        {context.visitor.mayAct ? null : <Unconfirmed context={context} />}
        {context.visitor.role === 'viewer' ? (
          <p class="note">You are a viewer of this account: you see everything and change nothing.</p>
        ) : null}
        {children}
      </main>
    </div>
  );
  answerPage(context.response, status, {
    title: `${title} · Trunkline`,
    styles: ['portal.css', 'log.css'],
    scripts: ['page.js', ...scripts],
    formTargets: ["'self'", ...formTargets],
    body,
  });
}

function Navigation({ context, at }: { context: SignedInContext; at: string }): VNode {
  const { sendsMail } = context.useCases.portalTerms();
  const shown = places.filter(({ onlyWithoutMail }) => onlyWithoutMail !== true || !sendsMail);
  return (
    <header>
      <p class="brand">Trunkline</p>
      <nav aria-label="Portal">
        <ul>
          {shown.map(({ path, name }) => (
            <li>
              <a href={path} aria-current={path === at ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="person">
        <a
          href="/portal/account"
          title={context.visitor.email}
          aria-current={at === '/portal/account' ? 'page' : undefined}
        >
          {context.visitor.email}
        </a>
        <Form action="/portal/sign-out" csrf={context.csrf}>
          <button class="quiet">Sign out</button>
        </Form>
      </div>
    </header>
  );
}

/** [operator-interface §4, sign-up] Unconfirmed may look but not send. */
function Unconfirmed({ context }: { context: SignedInContext }): VNode {
  return (
    <div class="note">
      <p>
        Confirm your address to make keys, connect channels and send: open the link in the mail that went to{' '}
        <b>{context.visitor.email}</b>.
      </p>
      <Form action="/portal/account/confirmation" csrf={context.csrf}>
        <button class="quiet">Send the mail again</button>
      </Form>
    </div>
  );
}
