import type { PageContext } from '../../route.ts';
import { glanceAtAccount } from '../account-glance.ts';
import type { AccountGlance } from '../account-glance.ts';
import { accountVolume } from '../account-deliveries.ts';
import type { VNode } from 'preact';
import { tiers } from '../../../rules/licences/subscription.ts';
import { newId } from '../../../kernel/ids.ts';
import { showKey, showKeyName } from '../../../rules/api-key.ts';
import { addressIn } from '../../../rules/email.ts';
import { Choice, Field } from '../../../pages/forms/field.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import { Form } from '../../../pages/forms/form.tsx';
import { wasField } from '../../../pages/forms/was.ts';
import { Copyable, Fact, Badge, Whole } from '../../../pages/components.tsx';
import { numberWords } from '../../../pages/numbers.ts';
import { When } from '../../../pages/time.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { KeyEnd, LastUse, maxNote, showScopes } from '../../accounts/index.ts';
import type { Account } from '../../accounts/index.ts';
import { licencePath } from './licence.tsx';
import { People } from './account-people.tsx';
import { givenUpPath } from './given-up.tsx';
import { operatorPage } from './session.ts';
import {
  accountPath,
  accountsPath,
  answerConsole,
  auditPath,
  channelsPath,
  ActionForm,
  nameAccount,
} from './shell.tsx';
import type { DeliveryCounts } from '../../deliveries/index.ts';

/** Of channels, licences and keys: an account may have hundreds, and its people stand below. */
const mostShown = 10;

async function show(context: PageContext): Promise<void> {
  const id = idIn(context, 'account_id');
  const insight = await glanceAtAccount(context.world, id, mostShown);
  const { account, people } = insight;
  const volume = await accountVolume(context.world, id);
  answerConsole(context, {
    title: addressIn(account.email),
    heading: nameAccount(account),
    at: accountsPath,
    children: (
      <>
        <Head context={context} insight={insight} volume={volume} />
        <Note context={context} account={account} />
        <Channels insight={insight} />
        <Licences context={context} insight={insight} />
        <Keys insight={insight} now={context.clock.now()} />
        <People context={context} people={people} />
      </>
    ),
  });
}

interface HeadProps {
  context: PageContext;
  insight: AccountGlance;
  volume: DeliveryCounts;
}

function Head({ context, insight: { account }, volume }: HeadProps): VNode {
  const now = context.clock.now();
  const { id, suspendedAt, suspendedWhy } = account;
  return (
    <section class="card" aria-label="Account">
      <dl class="facts">
        <Fact name="Account id">
          <Copyable text={id} label="the account id" />
        </Fact>
        <Fact name="Address">{addressIn(account.email)}</Fact>
        <Fact name="Made">
          <When at={account.createdAt} now={now} />
        </Fact>
        <Fact name="Seven days">
          {volume.delivered + volume.retried + volume.givenUp} events: {volume.delivered} delivered at once,{' '}
          {volume.retried} tried again,{' '}
          {volume.givenUp === 0 ? 0 : <a href={givenUpPath(id)}>{volume.givenUp}</a>} given up
        </Fact>
        <Fact name="State">
          {suspendedAt === null ? (
            <Badge tone="good">runs</Badge>
          ) : (
            <>
              <Badge tone="bad">suspended</Badge> <When at={suspendedAt} now={now} />: sends answer 402,
              events are delivered.{' '}
              {suspendedWhy === null
                ? 'Its people are told no reason.'
                : `Its people are told: ${suspendedWhy}`}
            </>
          )}
        </Fact>
      </dl>
      <p>
        <a href={`${auditPath}?account_id=${id}`}>Who changed what</a>
      </p>
      {suspendedAt === null ? (
        <a class="button quiet" href={`${accountPath(id)}/suspend`}>
          Suspend
        </a>
      ) : (
        <ActionForm context={context} action={`${accountPath(id)}/resume`} word="Resume" />
      )}
    </section>
  );
}

/** For operators alone. */
function Note({ context, account: { id, note } }: { context: PageContext; account: Account }): VNode {
  return (
    <section aria-labelledby="note-title">
      <h2 id="note-title">Note</h2>
      <Form action={`${accountPath(id)}/note`} csrf={context.csrf} class="narrow">
        <input type="hidden" name={wasField('note')} value={note ?? ''} />
        <Field
          name="note"
          label="For the other operators"
          hint="The account does not see it."
          rows={3}
          required={false}
          maxLength={maxNote}
          value={note ?? ''}
          problems={noProblems}
        />
        <button class="quiet">Save</button>
      </Form>
    </section>
  );
}

/** The rest of a list that is not shown whole. `total`: of all that there are. */
function Rest({ total }: { total: number }): VNode | null {
  return total <= mostShown ? null : <p>And {numberWords(total - mostShown)} more.</p>;
}

function Channels({ insight: { channels, channelsTotal } }: { insight: AccountGlance }): VNode {
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">Channels</h2>
      {channels.length === 0 ? (
        <p>None.</p>
      ) : (
        <Rows
          heads={['Channel', 'Kind', 'State', 'Licence']}
          traits={[['read-by'], ['second'], ['state'], ['second']]}
          rows={channels.map(({ channel, subscription }) => [
            <a href={`${channelsPath}/${channel.id}`}>{channel.name ?? channel.id}</a>,
            channel.channelType,
            <Badge tone={channel.isActive ? 'good' : 'idle'}>
              {channel.isActive ? 'active' : 'inactive'}
            </Badge>,
            subscription === null ? 'none' : `${subscription.tier}, ${subscription.status}`,
          ])}
        />
      )}
      <Rest total={channelsTotal} />
    </section>
  );
}

function Licences({ context, insight }: { context: PageContext; insight: AccountGlance }): VNode {
  const { account } = insight;
  // Of the newest, those that hold channels are asked about first.
  const subscriptions = insight.subscriptions.toSorted((a, b) => b.channels.length - a.channels.length);
  const now = context.clock.now();
  return (
    <section aria-labelledby="licences">
      <h2 id="licences">Licences</h2>
      {subscriptions.length === 0 ? null : (
        <Rows
          heads={['Tier', 'Source', 'State', 'Until', 'Channels', '']}
          rows={subscriptions.map(({ subscription: { id, tier, source, status, expiresAt }, channels }) => [
            tier,
            source,
            <Badge tone={status === 'active' ? 'good' : 'bad'}>{status}</Badge>,
            expiresAt === null ? 'no end' : <When at={expiresAt} now={now} />,
            channels.length,
            <a class="button quiet" href={licencePath(account.id, id)}>
              Change<span class="unseen"> this licence</span>
            </a>,
          ])}
        />
      )}
      <Rest total={insight.licencesTotal} />
      <Form action={`${accountPath(account.id)}/licences`} csrf={context.csrf} class="inline filter">
        <input type="hidden" name="once" value={newId()} />
        <Choice name="tier" label="Tier" options={tiers.map((tier) => [tier, tier] as const)} chosen="pro" />
        <button class="quiet">Grant a licence without end</button>
      </Form>
    </section>
  );
}

function Keys({ insight: { keys }, now }: { insight: AccountGlance; now: number }): VNode {
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      {keys.length === 0 ? (
        <p>None.</p>
      ) : (
        <Rows
          heads={['Key', 'Name', 'May', 'Made', 'Ends', 'Last used']}
          rows={keys.slice(0, mostShown).map((key) => [
            <code>
              <Whole text={showKey(key)} />
            </code>,
            showKeyName(key),
            showScopes(key),
            <When at={key.createdAt} now={now} />,
            <KeyEnd at={key.endsAt} now={now} />,
            <LastUse of={key} now={now} />,
          ])}
        />
      )}
      <Rest total={keys.length} />
    </section>
  );
}

export const accountPage = operatorPage({
  get: accountPath('{account_id}'),
  name: 'consoleAccount',
  open: show,
});
