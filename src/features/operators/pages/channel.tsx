import type { PageContext } from '../../route.ts';
import { diagnoseChannel, probeChannelNow } from '../channels.ts';
import { findAccount } from '../accounts.ts';
import type { VNode } from 'preact';
import { tokenEnd } from '../../../rules/channels/channel.ts';
import { hostIn } from '../../../rules/url.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { Page } from '../../../kernel/paging.ts';
import { toIso } from '../../../kernel/clock.ts';
import type { ChannelDiagnosis, DiagnosedEndpoint, InspectedChannel } from '../types.ts';
import { Choice } from '../../../pages/forms/field.tsx';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { Copyable, Fact, Badge } from '../../../pages/components.tsx';
import { Maybe } from '../../../pages/time.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { LastErrors } from './errors.tsx';
import { givenUpPath } from './given-up.tsx';
import { leadBackInConsole, operatorPage } from './session.ts';
import {
  accountPath,
  accountsPath,
  answerConsole,
  answerConsoleConfirmation,
  channelsPath,
  ActionForm,
  nameAccount,
} from './shell.tsx';
import type { Account } from '../../accounts/index.ts';
import { releaseClaim } from '../../channels/index.ts';
import { bindChannel, licencePage } from '../../licences/index.ts';
import type { SubscriptionWithChannels } from '../../licences/index.ts';

/** The newest: an account may have thousands. */
const licencesOffered = 50;

const path = `${channelsPath}/{channel_id}`;
const makePath = (id: string): string => `${channelsPath}/${id}`;

async function show(context: PageContext): Promise<void> {
  const id = idIn(context, 'channel_id');
  const diagnosis = await diagnoseChannel(context.world, id);
  const { channel } = diagnosis;
  const account = await findAccount(context.world, channel.accountId);
  const first = { limit: licencesOffered, cursor: null };
  const licences = await licencePage(context.world, channel, first);
  answerConsole(context, {
    title: channel.name ?? 'Channel',
    at: accountsPath,
    children: (
      <>
        <About diagnosis={diagnosis} account={account} now={context.clock.now()} />
        <Queue queue={diagnosis.queue} />
        <LastErrors errors={diagnosis.errors} now={context.clock.now()} />
        <section aria-labelledby="do">
          <h2 id="do">What you can do</h2>
          <ActionForm context={context} action={`${makePath(id)}/look`} word="Look again now" />
          <Licences context={context} diagnosis={diagnosis} licences={licences} />
          {channel.isActive ? (
            <p>The platform’s number or page stays this account’s while the channel is active.</p>
          ) : (
            <a class="button quiet" href={`${makePath(id)}/release`}>
              Release the claim
            </a>
          )}
        </section>
      </>
    ),
  });
}

interface LicencesProps {
  context: PageContext;
  diagnosis: ChannelDiagnosis;
  licences: Page<SubscriptionWithChannels>;
}

/** The channel's own licence is offered too, however old it is. */
function Licences({ context, diagnosis, licences: { items, nextCursor } }: LicencesProps): VNode {
  const { channel, subscription } = diagnosis;
  const isListed = items.some((each) => each.subscription.id === subscription?.id);
  const own = subscription === null || isListed ? [] : [{ subscription, channels: [channel] }];
  const options = [...own, ...items].map((each) => [each.subscription.id, licenceWords(each)] as const);
  return (
    <>
      <Form action={`${makePath(channel.id)}/licence`} csrf={context.csrf} class="inline filter">
        <Choice
          name="subscription"
          label="Licence"
          options={[...options, ['', 'none'] as const]}
          chosen={channel.subscriptionId ?? ''}
        />
        <button class="quiet">Bind it</button>
      </Form>
      {nextCursor === null ? null : (
        <p>
          The {licencesOffered} newest are offered. To an older one:{' '}
          <code>npm run admin -- bind-channel</code>
        </p>
      )}
    </>
  );
}

/** Described in full, because licences of one account often have the same tier and state. */
function licenceWords({ subscription, channels }: SubscriptionWithChannels): string {
  const { tier, source, status, expiresAt } = subscription;
  const until = expiresAt === null ? 'without end' : `until ${toIso(expiresAt).slice(0, 10)}`;
  const held = channels.map(({ name, channelType }) => name ?? channelType).join(' and ') || 'no channel';
  return [tier, source, status, until, held].join(', ');
}

interface AboutProps {
  diagnosis: ChannelDiagnosis;
  account: Account;
  now: number;
}

function Problems({
  problems,
  isSuspended,
}: Pick<ChannelDiagnosis, 'problems'> & { isSuspended: boolean }): VNode {
  return (
    <Fact name="Health">
      {isSuspended ? (
        <p>
          <Badge tone="bad">account_suspended</Badge> Sends are answered with 402
        </p>
      ) : null}
      {problems.map(({ code, detail }) => (
        <p>
          <Badge tone="bad">{code}</Badge> {detail}
        </p>
      ))}
      {problems.length === 0 && !isSuspended ? <Badge tone="good">well</Badge> : null}
    </Fact>
  );
}

function About({ diagnosis, account, now }: AboutProps): VNode {
  const { channel, subscription, health, problems } = diagnosis;
  const isSuspended = account.suspendedAt !== null;
  return (
    <section class="card" aria-label="Channel">
      <dl class="facts">
        <Problems problems={problems} isSuspended={isSuspended} />
        <Fact name="Account">
          <a href={accountPath(account.id)}>
            <bdi>{nameAccount(account)}</bdi>
          </a>
        </Fact>
        <Fact name="Channel id">
          <Copyable text={channel.id} label="the channel id" />
        </Fact>
        <Fact name="Kind">
          {channel.channelType}, {channel.isActive ? 'active' : 'inactive'}
        </Fact>
        <Fact name="At the platform">{channel.identity ?? 'released'}</Fact>
        <Fact name="Token ends">
          <Maybe at={tokenEnd(channel)} now={now} />
        </Fact>
        <Fact name="Licence">
          {subscription === null ? 'none' : `${subscription.tier}, ${subscription.status}`}
        </Fact>
        <Fact name="Receiver">
          {hostIn(channel.webhookUrl) ?? 'none'}
          {health.lastFailure === null ? null : (
            <>
              , last failure: {health.lastFailure}, <Maybe at={health.deliveryFailedAt} now={now} />
            </>
          )}
        </Fact>
        {diagnosis.endpoints.map((endpoint) => (
          <Fact name="Endpoint">
            {hostIn(endpoint.url) ?? endpoint.id}, <EndpointState of={endpoint} now={now} />
          </Fact>
        ))}
        <Fact name="Given up">
          <a href={givenUpPath(channel.accountId)}>What its account’s receivers did not take</a>
        </Fact>
        <Fact name="Last heard">
          <Maybe at={health.inboundAt} now={now} />
        </Fact>
        <Fact name="Last delivered">
          <Maybe at={health.deliveredAt} now={now} />
        </Fact>
        <Fact name="Fails since">
          <Maybe at={health.failingSince} now={now} />
        </Fact>
      </dl>
    </section>
  );
}

function EndpointState({ of, now }: { of: DiagnosedEndpoint; now: number }): VNode {
  const { disabledAt, failingSince, lastFailure } = of;
  if (disabledAt !== null)
    return (
      <>
        disabled, <Maybe at={disabledAt} now={now} />
      </>
    );
  if (failingSince === null) return <>gets events</>;
  return (
    <>
      fails since <Maybe at={failingSince} now={now} />, last failure: {lastFailure ?? 'unknown'}
    </>
  );
}

const stages: readonly (readonly [field: keyof InspectedChannel, name: string, why: string])[] = [
  [
    'sendsWaiting',
    'Sends that wait',
    'for a place, their turn for the same person, or the end of a pause that the platform asked for',
  ],
  ['sendsOpen', 'Sends under way', 'calls that run, or wait for their next try or for proof'],
  ['deliveriesPending', 'Events to deliver', 'for their next attempt, or behind a receiver that fails'],
  ['factsHeld', 'Statuses held back', 'their message is not known yet; up to 15 minutes'],
  ['filesOpen', 'Files on their way', 'fetched before their message is told'],
];

function Queue({ queue }: { queue: InspectedChannel | null }): VNode {
  if (queue === null)
    return (
      <section aria-labelledby="queue">
        <h2 id="queue">Queue</h2>
        <p class="note">
          No owner node of the channel can be reached: inbound events are stored, sends are answered with 503.
        </p>
      </section>
    );
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      <p>
        Owned by <code>{queue.nodeId}</code> under epoch {queue.epoch}.
      </p>
      <Rows
        heads={['Stage', 'How many', 'They wait']}
        rows={stages.map(([field, name, why]) => [name, queue[field], why])}
      />
    </section>
  );
}

async function askRelease(context: PageContext): Promise<void> {
  const id = idIn(context, 'channel_id');
  const { channel } = await diagnoseChannel(context.world, id);
  const account = await findAccount(context.world, channel.accountId);
  answerConsoleConfirmation(context, {
    title: 'Release the claim',
    at: accountsPath,
    children: (
      <p>
        The {channel.channelType} channel <b>{channel.name ?? channel.identity}</b> of{' '}
        <b>{nameAccount(account)}</b>: any account can then connect its number or page. The channel and what
        it has done stay with their account. This can’t be undone.
      </p>
    ),
    action: `${makePath(id)}/release`,
    yes: 'Release it',
    back: makePath(id),
  });
}

/** A form that performs one action on the channel and redirects back to its page. */
const doing =
  (work: (context: PageContext, id: string, text: (name: string) => string) => Promise<void>) =>
  async (context: PageContext): Promise<void> => {
    const form = await readForm(context);
    const id = idIn(context, 'channel_id');
    await work(context, id, (name) => form.text(name));
    sendRedirect(context.response, makePath(id));
  };

export const channelPages = [
  operatorPage({ get: path, name: 'consoleChannel', open: show }),
  operatorPage({
    post: `${path}/look`,
    name: 'consoleLook',
    open: doing(({ world, by }, id) => probeChannelNow(world, by, id)),
  }),
  operatorPage({
    post: `${path}/licence`,
    name: 'consoleBind',
    open: doing(async ({ world, by }, id, text) => {
      await bindChannel(world, by, id, text('subscription') || null);
    }),
  }),
  operatorPage({ get: `${path}/release`, name: 'askRelease', open: askRelease }),
  operatorPage({
    post: `${path}/release`,
    name: 'consoleRelease',
    open: doing(async ({ world, by }, id) => {
      await releaseClaim(world, by, id);
    }),
  }),
  ...['look', 'licence'].map((action) =>
    leadBackInConsole(`${path}/${action}`, (context) => makePath(idIn(context, 'channel_id'))),
  ),
];
