/** An operator extends a licence, or ends it. */
import type { PageContext } from '../../route.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { fault } from '../../../kernel/faults.ts';
import { statusAt } from '../../../rules/licences/operability.ts';
import type { Subscription } from '../../../rules/licences/subscription.ts';
import { Destroying } from '../../../pages/components.tsx';
import { Alert } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import type { ReadForm } from '../../../pages/forms/form.tsx';
import { changedElsewhereWords, wasField } from '../../../pages/forms/was.ts';
import { endOfDay, LastDay, lastDayOf } from '../../../pages/forms/last-day.tsx';
import { noProblems, trying } from '../../../pages/forms/problems.ts';
import { idIn } from '../../../pages/session/pages.ts';
import { When } from '../../../pages/time.tsx';
import { sourceWords, updateSubscription } from '../../licences/index.ts';
import { leadBackInConsole, operatorPage } from './session.ts';
import { accountPath, accountsPath, answerConsole } from './shell.tsx';

export const licencePath = (accountId: string, id: string): string =>
  `${accountPath(accountId)}/licences/${id}`;

async function licenceAt({ world }: PageContext, accountId: string, id: string): Promise<Subscription> {
  const found = await world.stores.subscriptions.byId(id);
  if (found === null || found.accountId !== accountId) throw fault('not_found', { what: 'Subscription' });
  return found;
}

const asked = (context: PageContext): Promise<Subscription> =>
  licenceAt(context, idIn(context, 'account_id'), idIn(context, 'subscription_id'));

/** What the form shows of it, as one text. */
const shownOf = ({ status, expiresAt }: Subscription): string => `${status} ${expiresAt ?? ''}`;

async function show(context: PageContext, problems = noProblems, typed?: ReadForm): Promise<void> {
  const licence = await asked(context);
  // After a conflict the operator has seen that it was changed, so that saving again replaces it.
  const seen = problems.status === 409 ? undefined : typed?.all(wasField('licence'))[0];
  const { id, accountId, tier, source, expiresAt } = licence;
  const now = context.clock.now();
  const path = licencePath(accountId, id);
  answerConsole(context, {
    title: 'Change a licence',
    heading: `${tier}, ${sourceWords[source]}`,
    at: accountsPath,
    status: problems.status,
    back: <a href={`${accountPath(accountId)}#licences`}>The account</a>,
    children: (
      <>
        <p>
          It is {statusAt(licence, now, context.world.settings.graceMs)}
          {expiresAt === null ? ', without an end' : <>, until {<When at={expiresAt} now={now} />}</>}.
          {source === 'billing_provider'
            ? ' The payment provider changes it too: its next event sets what it says.'
            : null}
        </p>
        <Form action={path} csrf={context.csrf} class="narrow">
          <Alert problems={problems} />
          <input type="hidden" name={wasField('licence')} value={seen ?? shownOf(licence)} />
          <LastDay
            hint={
              source === 'enterprise'
                ? 'The licence is active until the end of this day. Empty: without an end.'
                : 'The licence is active until the end of this day.'
            }
            value={typed?.text('ends_on') ?? (expiresAt === null ? '' : lastDayOf(expiresAt))}
            problems={problems}
          />
          <button>Save</button>
        </Form>
        <Destroying title="End the licence">
          <p>
            Its channels move to another licence with a free slot. Those that find none stop at once: their
            sends are answered with 402, and the account is mailed.
          </p>
          <Form action={`${path}/end`} csrf={context.csrf}>
            <button class="danger">End it now</button>
          </Form>
        </Destroying>
      </>
    ),
  });
}

/** A licence that was ended is active again with a later day. */
async function extend(context: PageContext): Promise<void> {
  const form = await readForm(context);
  const { id, accountId, status, source } = await asked(context);
  const day = form.text('ends_on');
  const tried = await trying(async () => {
    const expiresAt = endOfDay(day);
    if (expiresAt === null && source !== 'enterprise')
      throw fault('bad_request', { why: 'Only a granted licence has no end: give a day' });
    const isAgain = status === 'canceled' && (expiresAt === null || expiresAt > context.clock.now());
    const patch = { expiresAt, ...(isAgain ? { status: 'active' as const } : {}) };
    const [seen] = form.all(wasField('licence'));
    await updateSubscription(context.world, context.by, id, patch, (standing) => {
      const isThere = shownOf(standing) === shownOf({ ...standing, status: 'active', expiresAt });
      if (seen !== undefined && seen !== shownOf(standing) && !isThere)
        throw fault('conflict', { why: changedElsewhereWords() });
    });
  });
  if ('problems' in tried) await show(context, tried.problems, form);
  else sendRedirect(context.response, `${accountPath(accountId)}#licences`);
}

async function end(context: PageContext): Promise<void> {
  await readForm(context);
  const { id, accountId } = await asked(context);
  await updateSubscription(context.world, context.by, id, { status: 'canceled', autoRenew: false });
  sendRedirect(context.response, `${accountPath(accountId)}#licences`);
}

const path = licencePath('{account_id}', '{subscription_id}');

export const licencePages = [
  operatorPage({ get: path, name: 'consoleLicence', open: show }),
  operatorPage({ post: path, name: 'consoleExtend', open: extend }),
  operatorPage({ post: `${path}/end`, name: 'consoleEndLicence', open: end }),
  leadBackInConsole(`${path}/end`, (context) =>
    licencePath(idIn(context, 'account_id'), idIn(context, 'subscription_id')),
  ),
];
