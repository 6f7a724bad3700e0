import type { SignedInContext } from '../route.ts';
import type { VNode } from 'preact';
import { Copyable, Fact, Badge, Whole } from '../../pages/components.tsx';
import { Maybe, When } from '../../pages/time.tsx';
import { tokenEnd } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { trying } from '../../pages/forms/problems.ts';
import { addressOf } from '../../rules/channels/address.ts';
import { channelHealth, describeHealth, pathToFix, takesTemplates } from '../channels/index.ts';
import type { ChannelWithLicence } from '../channels/index.ts';
import { channelPath } from '../../pages/paths.ts';
import { listAccountDeliveries, Spark } from '../deliveries/index.ts';
import { percentWords } from '../../pages/numbers.ts';
import { sourceWords } from '../licences/index.ts';
import { hoursOf } from './hours.ts';

const tokens = { valid: 'accepted', refused: 'refused' } as const;

/** The channel's health, after asking upstream, and its facts. */
export async function summary(
  context: SignedInContext,
  { channel, subscription }: ChannelWithLicence,
): Promise<VNode> {
  const { health, problems } = await channelHealth(context.world, context.caller, channel.id);
  const now = context.clock.now();
  const word = describeHealth({ problems, isSuspended: context.visitor.isSuspended });
  return (
    <section class="card" aria-label="Overview">
      <dl class="facts">
        <Fact name="Health">
          <Badge tone={word.tone}>{word.word}</Badge> {word.why}{' '}
          <Remedy channel={channel} problems={problems} />
        </Fact>
        <Fact name="Kind">
          {channel.channelType} <Whole text={addressOf(channel)} />
        </Fact>
        <Fact name="Channel id">
          <Copyable text={channel.id} label="the channel id" />
        </Fact>
        <Platform channel={channel} health={health} now={now} />
        <Fact name="Last heard">
          <Maybe at={health.inboundAt} now={now} />
        </Fact>
        <Fact name="Last delivered">
          <Maybe at={health.deliveredAt} now={now} />
          {health.deliveryFailedAt === null ? null : (
            <span class="dim">
              , last failure <When at={health.deliveryFailedAt} now={now} />
            </span>
          )}
        </Fact>
        {await lastHours(context, channel)}
        {await webhookSuccess(context, channel)}
        <Fact name="Licence">
          {subscription === null ? 'none' : `${subscription.tier} (${sourceWords[subscription.source]})`}
        </Fact>
        {channel.connectedAt === null ? null : (
          <Fact name="Connected">
            <When at={channel.connectedAt} now={now} />
          </Fact>
        )}
      </dl>
      <Links channel={channel} />
    </section>
  );
}

interface RemedyProps {
  channel: Channel;
  problems: Awaited<ReturnType<typeof channelHealth>>['problems'];
}

/** The way to where the first problem can be fixed; null: not on another page. */
function Remedy({ channel, problems: [first] }: RemedyProps): VNode | null {
  const path = pathToFix(channel.id, first?.code);
  return path === channelPath(channel.id) ? null : <a href={path}>See to it</a>;
}

interface PlatformProps {
  channel: Channel;
  health: ChannelHealth;
  now: number;
}

/** What the platform said at the last check. */
function Platform({ channel, health, now }: PlatformProps): VNode {
  const end = tokenEnd(channel);
  return (
    <Fact name="Platform">
      {health.token === null ? 'not asked yet' : `access ${tokens[health.token]}`}
      {end === null ? null : (
        <>
          {`, ${end > now ? 'ends' : 'ended'} `}
          <When at={end} now={now} />
        </>
      )}
      {health.isSubscribed === null
        ? null
        : `, events ${health.isSubscribed ? 'subscribed' : 'not subscribed'}`}
      {health.qualityRating === null ? null : `, quality ${health.qualityRating}`}
      {health.checkedAt === null ? null : (
        <span class="dim">
          {' '}
          (asked <When at={health.checkedAt} now={now} />)
        </span>
      )}
    </Fact>
  );
}

function Links({ channel }: Pick<ChannelWithLicence, 'channel'>): VNode {
  return (
    <p class="links">
      <a href={`/portal/deliveries?channel=${channel.id}`}>Its deliveries</a> ·{' '}
      <a href={`/portal/messages?channel=${channel.id}`}>Find a message</a>
      {takesTemplates(channel.channelType) ? (
        <>
          {' '}
          · <a href={`/portal/templates?channel=${channel.id}`}>Its templates</a>
        </>
      ) : null}
    </p>
  );
}

async function lastHours(context: SignedInContext, channel: Channel): Promise<VNode | null> {
  const hours = (await hoursOf(context, [channel.id])).get(channel.id);
  if (hours === undefined) return null;
  return (
    <Fact name="24 hours">
      <Spark hours={hours} from={channel.createdAt} />
    </Fact>
  );
}

/** Enough to tell a bad day from a bad minute, in one read. */
const newest = { limit: 100, cursor: null, isBack: false };

/** [portal: Channel] Share of finished deliveries that the receiver accepted. null: there is no webhook, or the log can't be read now. */
async function webhookSuccess(context: SignedInContext, channel: Channel): Promise<VNode | null> {
  if (channel.webhookUrl === null) return null;
  const asked = { channelId: channel.id, event: null, state: null, since: null, until: null };
  const tried = await trying(() => listAccountDeliveries(context.world, context.caller, asked, newest));
  if ('problems' in tried) return null;
  const ended = tried.done.items.filter(({ state }) => state !== 'pending');
  const taken = ended.filter(({ state }) => state === 'delivered').length;
  return (
    <Fact name="Webhook">
      {ended.length === 0 ? (
        <span class="dim">no event has ended yet</span>
      ) : (
        `${percentWords(taken / ended.length)} taken, of its newest ${ended.length} that ended`
      )}
    </Fact>
  );
}
