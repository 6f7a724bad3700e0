import type { PageContext } from '../../route.ts';
import type { ComponentChildren, VNode } from 'preact';
import type { Place } from '../../../rules/portal-paths.ts';
import type { IconName } from '../../../pages/icon.tsx';
import { addressIn } from '../../../rules/email.ts';
import { Form } from '../../../pages/forms/form.tsx';
import { answerPage } from '../../../pages/page.tsx';
import type { Notice } from '../../../pages/notice.tsx';
import { Frame, noticePage } from '../../../pages/frame.tsx';
import type { FramedPage } from '../../../pages/frame.tsx';
import { consolePath, leavePath } from '../../../pages/paths.ts';
import type { Account } from '../../accounts/index.ts';

export const accountsPath = `${consolePath}/accounts`;
export const channelsPath = `${consolePath}/channels`;
export const quarantinePath = `${consolePath}/aside`;
export const mailsPath = `${consolePath}/mails`;
export const platformPath = `${consolePath}/platform`;
export const auditPath = `${consolePath}/audit`;

/** The page of one account. */
export const accountPath = (id: string): string => `${accountsPath}/${id}`;

/** The account's own name, else its e-mail address; undefined: the account no longer exists. */
export function nameAccount(account: Account | undefined): string {
  return account === undefined ? 'its account' : (account.name ?? addressIn(account.email));
}

interface AccountLinkProps {
  id: string | null;
  accounts: ReadonlyMap<string, Account>;
  /** For null. */
  none: VNode | string;
}

/** Link to the account of a row. */
export function AccountLink({ id, accounts, none }: AccountLinkProps): VNode {
  return id === null ? <>{none}</> : <a href={accountPath(id)}>{nameAccount(accounts.get(id))}</a>;
}

const places: readonly (Place & { icon: IconName })[] = [
  { path: consolePath, name: 'Now', icon: 'activity' },
  { path: accountsPath, name: 'Accounts', icon: 'building' },
  { path: quarantinePath, name: 'Quarantined', icon: 'shield', group: 'Monitor' },
  { path: mailsPath, name: 'E-mails', icon: 'mail', group: 'Monitor' },
  { path: platformPath, name: 'Platform', icon: 'plug', group: 'Service' },
  { path: auditPath, name: 'Audit', icon: 'list', group: 'Service' },
];

/** Answers with a page of the console within its navigation. */
export function answerConsole(context: PageContext, page: FramedPage): void {
  const { title, status = 200 } = page;
  const person = <ActionForm context={context} action={leavePath} word="Leave" />;
  const body = <Frame brand="Trunkline operators" places={places} person={person} page={page} />;
  answerPage(context.response, status, {
    title: `${title} · Trunkline operators`,
    scripts: ['page.js'],
    formTargets: ["'self'"],
    body,
  });
}

/** Answers with a notice in place of a page that can't be shown. */
export function answerNoticeInConsole(context: PageContext, status: number, notice: Notice): void {
  answerConsole(context, { ...noticePage(places, context.request.url, notice), status });
}

interface Question {
  title: string;
  at: string;
  /** What the action changes, and what stays. */
  children: ComponentChildren;
  /** What is asked beside the answer. */
  fields?: VNode;
  action: string;
  yes: string;
  back: string;
}

/** Asks before an action that affects many. */
export function answerConsoleConfirmation(context: PageContext, asked: Question): void {
  const { title, at, children, fields, action, yes, back } = asked;
  answerConsole(context, {
    title,
    heading: `${title}?`,
    at,
    children: (
      <>
        {children}
        <Form action={action} csrf={context.csrf} class={fields === undefined ? '' : 'narrow'}>
          {fields}
          <div class="buttons">
            <button class="danger">{yes}</button>
            <a class="button quiet" href={back}>
              Go back
            </a>
          </div>
        </Form>
      </>
    ),
  });
}

/** A form with one button for one action. */
export function ActionForm({
  context,
  action,
  word,
}: {
  context: PageContext;
  action: string;
  word: ComponentChildren;
}): VNode {
  return (
    <Form action={action} csrf={context.csrf}>
      <button class="quiet">{word}</button>
    </Form>
  );
}
