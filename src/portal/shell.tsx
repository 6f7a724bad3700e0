import type { ComponentChildren, VNode } from 'preact';
import { Form } from './forms/form.tsx';
import { Icon, Mark } from './icon.tsx';
import type { IconName } from './icon.tsx';
import { answerPage } from './page.tsx';
import type { SignedInContext } from './session/pages.ts';

interface NavigationEntry {
  path: string;
  name: string;
  icon: IconName;
  /** Where there is a mail server, mails are read where they arrive. */
  onlyWithoutMail?: true;
}

const places: readonly NavigationEntry[] = [
  { path: '/portal', name: 'Home', icon: 'home' },
  { path: '/portal/channels', name: 'Channels', icon: 'channels' },
  { path: '/portal/deliveries', name: 'Deliveries', icon: 'deliveries' },
  { path: '/portal/messages', name: 'Messages', icon: 'messages' },
  { path: '/portal/requests', name: 'Requests', icon: 'requests' },
  { path: '/portal/templates', name: 'Templates', icon: 'templates' },
  { path: '/portal/live', name: 'Live', icon: 'live' },
  { path: '/portal/keys', name: 'API keys', icon: 'keys' },
  { path: '/portal/redirects', name: 'Redirects', icon: 'redirects' },
  { path: '/portal/people', name: 'People', icon: 'people' },
  { path: '/portal/billing', name: 'Billing', icon: 'billing' },
  { path: '/portal/mails', name: 'Mails', icon: 'mails', onlyWithoutMail: true },
  { path: '/docs', name: 'API', icon: 'contract' },
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
      <p class="brand">
        <Mark />
        Trunkline
      </p>
      <nav aria-label="Portal">
        <ul>
          {shown.map(({ path, name, icon }) => (
            <li>
              <a href={path} aria-current={path === at ? 'page' : undefined}>
                <Icon name={icon} />
                <span>{name}</span>
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
