import type { ComponentChildren, VNode } from 'preact';
import { Form } from '../forms/form.tsx';
import { Mark } from '../icon.tsx';
import { answerPage } from '../page.tsx';
import type { PageContext } from '../session/pages.ts';
import { consolePath } from './session.ts';

export const accountsPath = `${consolePath}/accounts`;
export const channelsPath = `${consolePath}/channels`;
export const asidePath = `${consolePath}/aside`;
export const mailsPath = `${consolePath}/mails`;
export const auditPath = `${consolePath}/audit`;

const places = [
  [consolePath, 'Now'],
  [accountsPath, 'Accounts'],
  [asidePath, 'Put aside'],
  [mailsPath, 'Mails'],
  [auditPath, 'Audit'],
] as const;

interface ConsolePage {
  title: string;
  /** Path of its place in the navigation. */
  at: string;
  status?: number;
  children: ComponentChildren;
}

/** A page of the console in its navigation. */
export function answerConsole(
  context: PageContext,
  { title, at, status = 200, children }: ConsolePage,
): void {
  const body = (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <p class="brand">
          <Mark />
          Trunkline operators
        </p>
        <nav aria-label="Portal">
          <ul>
            {places.map(([path, name]) => (
              <li>
                <a href={path} aria-current={path === at ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="person">
          <Form action={`${consolePath}/leave`} csrf={context.csrf}>
            <button class="quiet">Leave</button>
          </Form>
        </div>
      </header>
      <main id="main">{children}</main>
    </div>
  );
  answerPage(context.response, status, {
    title: `${title} · Trunkline operators`,
    styles: ['portal.css', 'log.css'],
    scripts: ['page.js'],
    formTargets: ["'self'"],
    body,
  });
}

interface Question {
  title: string;
  at: string;
  /** What happens then, and what stays. */
  children: ComponentChildren;
  action: string;
  yes: string;
  back: string;
}

/** Asks before something that many would notice. */
export function answerConsoleQuestion(context: PageContext, asked: Question): void {
  const { title, at, children, action, yes, back } = asked;
  answerConsole(context, {
    title,
    at,
    children: (
      <>
        <h1>{title}?</h1>
        {children}
        <Form action={action} csrf={context.csrf} class="buttons">
          <button class="danger">{yes}</button>
          <a class="button quiet" href={back}>
            Go back
          </a>
        </Form>
      </>
    ),
  });
}

/** One button that does one thing. */
export function Deed({
  context,
  action,
  word,
}: {
  context: PageContext;
  action: string;
  word: string;
}): VNode {
  return (
    <Form action={action} csrf={context.csrf}>
      <button class="quiet">{word}</button>
    </Form>
  );
}

export function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
