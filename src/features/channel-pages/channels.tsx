import { signedInPage } from '../route.ts';
import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import { kindOf } from '../../rules/channels/kinds.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { Alert } from '../../pages/forms/field.tsx';
import { Form } from '../../pages/forms/form.tsx';
import { noProblems } from '../../pages/forms/problems.ts';
import { Whole } from '../../pages/components.tsx';
import { Empty } from '../../pages/list/empty.tsx';
import { Maybe } from '../../pages/time.tsx';
import { More, pageIn } from '../../pages/list/paging.tsx';
import { Rows } from '../../pages/list/rows.tsx';
import type { Trait } from '../../pages/list/rows.tsx';
import { Doing } from '../../pages/reader-role.tsx';
import { answerShell } from '../../pages/shell.tsx';
import { channelsPath, channelPath, defaultWebhookPath } from '../../pages/paths.ts';
import { addressOf } from '../../rules/channels/address.ts';
import { listChannelsWithHealth, HealthCell } from '../channels/index.ts';
import type { ChannelWithHealth } from '../channels/index.ts';
import { Spark } from '../deliveries/index.ts';
import type { ChannelHours } from '../deliveries/index.ts';
import { dialogOrigin, keepSelected } from '../connecting/index.ts';
import { newestSlots } from '../licences/index.ts';
import { hoursOf } from './hours.ts';

export async function showChannels(context: SignedInContext, problems = noProblems): Promise<void> {
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

/** [spec: Channels] */
export const channelListPage = signedInPage({ get: channelsPath, name: 'channelsPage', open: showChannels });
