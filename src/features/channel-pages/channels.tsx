import { leadBack, signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { sendRedirect } from '../../http/answers.ts';
import { fault } from '../../kernel/faults.ts';
import { Alert } from '../../pages/forms/field.tsx';
import { Form, readForm } from '../../pages/forms/form.tsx';
import { noProblems, problem, trying } from '../../pages/forms/problems.ts';
import { Whole } from '../../pages/components.tsx';
import { Empty } from '../../pages/list/empty.tsx';
import { Maybe } from '../../pages/time.tsx';
import { More, pageIn } from '../../pages/list/paging.tsx';
import { Rows } from '../../pages/list/rows.tsx';
import type { Trait } from '../../pages/list/rows.tsx';
import { Doing } from '../../pages/reader-role.tsx';
import { answerShell } from '../../pages/shell.tsx';
import {
  channelsPath,
  channelPath,
  channelTabPath,
  connectedPath,
  defaultWebhookPath,
} from '../../pages/paths.ts';
import { addressOf } from '../../rules/channels/address.ts';
import { listChannelsWithHealth, HealthCell } from '../channels/index.ts';
import type { ChannelWithHealth } from '../channels/index.ts';
import { Spark } from '../deliveries/index.ts';
import type { ChannelHours } from '../deliveries/index.ts';
import { startOwnSetup, exchangeCode, dialogOrigin, keepSelected, choseNone } from '../connecting/index.ts';
import { newestSlots } from '../licences/index.ts';
import { hoursOf } from './hours.ts';

async function show(context: SignedInContext, problems = noProblems): Promise<void> {
  const page = pageIn(context.query);
  const found = await listChannelsWithHealth(context.world, context.caller, page);
  answerShell(context, {
    title: 'Channels',
    at: channelsPath,
    status: problems.status,
    formTargets: connectTargets(context),
    children: (
      <>
        <Alert problems={problems} />
        {found.items.length === 0 ? (
          <Empty>
            <p>
              No channel yet.
              <Doing>
                {' '}
                Choose a kind below: you go to the platform, allow the connection, and come back here.
              </Doing>
            </p>
          </Empty>
        ) : (
          await table(context, found.items)
        )}
        <More path={channelsPath} page={page} next={found.nextCursor} />
        <p>
          <a href={defaultWebhookPath}>Webhook of new channels, and of many at once</a>
        </p>
        <Doing>
          <Connect context={context} canConnect={await connectable(context, found.items)} />
        </Doing>
      </>
    ),
  });
}

async function table(context: SignedInContext, channels: readonly ChannelWithHealth[]): Promise<VNode> {
  const ids = channels.map(({ channel }) => channel.id);
  const hours = await hoursOf(context, ids);
  return (
    <Rows
      heads={['Name', 'Kind', 'Licence', 'Address', 'Health', '24 hours', 'Last delivered', 'Last heard']}
      traits={traits}
      rows={channels.map((each) => row(context, each, hours))}
    />
  );
}

const traits: readonly (readonly Trait[])[] = [
  ['read-by'],
  ['p4'],
  ['p5'],
  ['p3', 'second'],
  ['state'],
  ['p4'],
  ['p3', 'second', 'named'],
  ['p2', 'second', 'named'],
];

function row(
  context: SignedInContext,
  each: ChannelWithHealth,
  hours: ReadonlyMap<string, ChannelHours>,
): (VNode | string | null)[] {
  const { channel, subscription } = each;
  const { inboundAt, deliveredAt } = each.health;
  const counts = hours.get(channel.id);
  return [
    <a href={channelPath(channel.id)}>
      <Whole text={channel.name ?? 'Without a name'} />
    </a>,
    channel.channelType,
    subscription === null ? 'none' : subscription.tier,
    <Whole text={addressOf(channel)} />,
    <HealthCell of={each} isSuspended={context.visitor.isSuspended} />,
    counts === undefined ? null : <Spark hours={counts} from={channel.createdAt} />,
    <Maybe at={deliveredAt} now={context.clock.now()} />,
    <Maybe at={inboundAt} now={context.clock.now()} />,
  ];
}

/**
 * Kinds with a free slot, or with a removed channel that can be reconnected. Of an account with many licences a free slot may be out of
 * sight: then each kind is offered, and the setup says whether there is one.
 */
async function connectable(
  { world, caller }: SignedInContext,
  listed: readonly ChannelWithHealth[],
): Promise<ReadonlySet<ChannelType>> {
  const { free, ofNewest } = await newestSlots(world, caller);
  const removed = new Set(listed.flatMap(({ channel }) => (channel.isActive ? [] : [channel.channelType])));
  return new Set(
    channelTypes.filter((type) => ofNewest !== null || free[type].total > 0 || removed.has(type)),
  );
}

interface ConnectProps {
  context: SignedInContext;
  canConnect: ReadonlySet<ChannelType>;
}

/** A button for each kind that can be connected; its form redirects to the platform's dialog. */
function Connect({ context, canConnect }: ConnectProps): VNode {
  const full = channelTypes.filter((type) => !canConnect.has(type));
  return (
    <section aria-labelledby="connect">
      <h2 id="connect">Connect a channel</h2>
      <div class="buttons">
        {channelTypes
          .filter((type) => canConnect.has(type))
          .map((type) => (
            <Form action={`${channelsPath}/connect`} csrf={context.csrf}>
              <input type="hidden" name="channel_type" value={type} />
              <button>Connect {kindOf(type).label}</button>
            </Form>
          ))}
      </div>
      {channelTypes.some((type) => canConnect.has(type) && kindOf(type).replacesGrants) ? (
        <p>{keepSelected}</p>
      ) : null}
      {full.length === 0 ? null : (
        <p>
          No free slot for {full.join(' and ')}: a licence holds one channel of each kind.{' '}
          <a href="/portal/billing">See your licences</a>
        </p>
      )}
    </section>
  );
}

/** `form-action` also applies to the redirects after a form: setup URL, then dialog. */
export function connectTargets({ world, baseUrl }: SignedInContext): string[] {
  return [...new Set([new URL(baseUrl).origin, ...channelTypes.map((type) => dialogOrigin(world, type))])];
}

const maxIdLength = 64;

/** With a `channel_id` it reconnects exactly that channel. */
async function connect(context: SignedInContext): Promise<void> {
  const form = await readForm(context);
  const type = channelTypes.find((each): each is ChannelType => each === form.text('channel_type'));
  if (type === undefined) throw fault('bad_request', { why: 'Unknown kind of channel' });
  const channelId = form.text('channel_id').slice(0, maxIdLength);
  const tried = await trying(async () =>
    startOwnSetup(context.world, context.actor(), type, channelId === '' ? null : channelId),
  );
  if ('problems' in tried) await show(context, tried.problems);
  else sendRedirect(context.response, tried.done.setupUrl);
}

/** Words for the errors with which a setup flow can end. The text in the URL is never shown, only these. */
const ends: Readonly<Record<string, string>> = {
  access_denied: 'You did not allow the connection at the platform. Nothing was connected.',
  nothing_picked:
    'You chose nothing that can be connected as this kind of channel. A number must be added and verified at the platform first; of a page or photo account you need a role with its messages.',
  claimed_elsewhere:
    'What you chose is connected to another account of this service. Only its operators can release it.',
  already_active: 'What you chose is already connected: you find it below.',
  no_free_slot: 'No licence has a free slot for this kind of channel. Billing shows your licences.',
  other_identity:
    'You granted access to another number or account than that of the channel to reconnect. Nothing was changed.',
  upstream_failed: 'The platform did not complete the connection. Try again in a moment.',
  temporarily_unavailable: 'The connection could not be completed now. Try again in a moment.',
};

/** The URL can contain any word, so unknown ones get a general sentence. */
function endWords(error: string): string {
  const known = Object.hasOwn(ends, error) ? ends[error] : undefined;
  return known ?? 'The connection was not completed. Nothing was connected.';
}

/** Who connects by hand has no program yet that keeps up; the API's default stays 0. */
const keptDays = 3;

/** Target of the setup flow's redirect. The code is useless to any other account, because it belongs to the one that began the flow. */
async function finish(context: SignedInContext): Promise<void> {
  const [code, error] = [context.query.get('code'), context.query.get('error')];
  if (code === null) {
    const isOurs = context.query.get('error_description') === choseNone;
    const words = isOurs ? 'You chose to connect none. Nothing was changed.' : endWords(error ?? '');
    return show(context, problem(200, words));
  }
  const tried = await trying(async () =>
    exchangeCode(context.world, context.actor(), { code }, { failedRetentionDays: keptDays }),
  );
  if ('done' in tried) return sendRedirect(context.response, pathAfter(tried.done.channel));
  const isOld = tried.problems.status === 400 && context.visitor.mayAct;
  const words = 'This connection was already completed, or it has expired. Look below, or connect again.';
  await show(context, isOld ? problem(400, words) : tried.problems);
}

/** What a new channel needs next is a webhook. */
function pathAfter({ id, webhookUrl }: Pick<Channel, 'id' | 'webhookUrl'>): string {
  return `${webhookUrl === null ? channelTabPath(id, 'webhook') : channelPath(id)}?connected`;
}

/** [spec: Channels; Connecting a channel] */
export const channelListPages = [
  signedInPage({ get: channelsPath, name: 'channelsPage', open: show }),
  signedInPage({ post: `${channelsPath}/connect`, may: 'developer', name: 'connectChannel', open: connect }),
  leadBack(`${channelsPath}/connect`, () => channelsPath),
  signedInPage({
    get: connectedPath,
    // The page exchanges the code for a channel.
    may: 'developer',
    name: 'connectedPage',
    open: finish,
  }),
];
