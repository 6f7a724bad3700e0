/** A channel gets a licence that lies free. */
import type { VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import { toIso } from '../../kernel/clock.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import type { Subscription } from '../../rules/licences/subscription.ts';
import { Badge } from '../../pages/components.tsx';
import { Alert } from '../../pages/forms/field.tsx';
import { Form, readForm } from '../../pages/forms/form.tsx';
import { noProblems, trying } from '../../pages/forms/problems.ts';
import { billingPath, channelPath, channelTabPath } from '../../pages/paths.ts';
import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import { channelAt } from '../channels/index.ts';
import { freeLicences, moveLicence, sourceWords } from '../licences/index.ts';
import { answerTab } from './tabs.tsx';

const licencePath = (channelId: string): string => `${channelPath(channelId)}/licence`;

/** On the tab of the connection. */
export function LicenceSection({ channelId }: { channelId: string }): VNode {
  return (
    <section aria-labelledby="licence">
      <h2 id="licence">Licence</h2>
      <p>Without an active licence nothing is sent or received.</p>
      <a class="button quiet" href={licencePath(channelId)}>
        Choose its licence
      </a>
    </section>
  );
}

const nameLicence = ({ tier, source, expiresAt }: Subscription): string =>
  `${tier}, ${sourceWords[source]}, ${expiresAt === null ? 'no end' : `until ${toIso(expiresAt).slice(0, 10)}`}`;

async function show(context: SignedInContext, problems = noProblems): Promise<void> {
  const { channel, subscription } = await channelAt(context);
  const free = await freeLicences(context.world, context.caller, channel);
  const isWell = isOperable(subscription, context.clock.now(), context.graceMs);
  answerTab(context, {
    channel,
    tab: 'connection',
    status: problems.status,
    children: (
      <>
        <h2>Licence</h2>
        <Alert problems={problems} />
        <p>
          Now: {subscription === null ? 'none' : nameLicence(subscription)}{' '}
          <Badge tone={isWell ? 'good' : 'bad'}>{isWell ? 'active' : 'not active'}</Badge>
        </p>
        {free.length === 0 ? (
          <p>
            No licence lies free for a channel of this kind. <a href={billingPath}>All licences</a>
          </p>
        ) : (
          <Form action={licencePath(channel.id)} csrf={context.csrf} class="narrow">
            <fieldset>
              <legend>Move it to</legend>
              {free.map(({ subscription: each, holder }, at) => (
                <label class="check">
                  <input type="radio" name="licence" value={each.id} checked={at === 0} />
                  <span>
                    {nameLicence(each)}
                    {holder === null
                      ? ''
                      : `; taken from “${holder.name ?? holder.channelType}”, which was removed`}
                  </span>
                </label>
              ))}
            </fieldset>
            <button>Move it</button>
          </Form>
        )}
      </>
    ),
  });
}

async function move(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const { channel } = await channelAt(context);
  const tried = await trying(() =>
    moveLicence(context.world, context.actor(), channel, form.text('licence')),
  );
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, channelTabPath(channel.id, 'connection'));
}

const path = licencePath('{channel_id}');

export const channelLicencePages = [
  signedInPage({ get: path, may: 'developer', name: 'channelLicencePage', open: (context) => show(context) }),
  signedInPage({ post: path, may: 'developer', name: 'moveLicence', open: move }),
];
