import type { VNode } from 'preact';
import type { Channel } from '../../../rules/channels/channel.ts';
import type { Subscription } from '../../../rules/licences/subscription.ts';
import { Badge } from '../../../pages/components.tsx';
import { Distance, When } from '../../../pages/time.tsx';
import { numberWords } from '../../../pages/numbers.ts';
import { countWords } from './words.ts';
import type { GivenUpNews } from '../given-up.ts';
import { homeSpans } from '../history.ts';
import type { History } from '../history.ts';
import type { HomeOverview } from '../service.ts';
import { dayMs } from '../../../kernel/clock.ts';
import { describeHealth, pathToFix } from '../../channels/index.ts';
import type { ChannelWithHealth } from '../../channels/index.ts';

const maxShown = 10;
const severalWords = { trial: 'trials', billing_provider: 'paid licences', enterprise: 'licences' };
const sourceWords = { trial: 'Your trial', billing_provider: 'A paid licence', enterprise: 'A licence' };

interface AttentionProps {
  home: HomeOverview;
  isSuspended: boolean;
  now: number;
}

/** Problems that need the person's action, each with a link. Each page of a suspended account says that it is suspended. */
export function Attention({ home, isSuspended, now }: AttentionProps): VNode | null {
  const items = [...newsItems(home.givenUp, now), ...ailingItems(home), ...licenceItems(home, now)];
  if (items.length === 0) return isSuspended ? null : <Nothing home={home} now={now} />;
  return (
    <section class="card attention" aria-labelledby="attention">
      <h2 id="attention">Needs your attention</h2>
      <ul>{items}</ul>
      <NotAll home={home} />
    </section>
  );
}

/** Shown if there is no problem. Without a channel it is left out. */
function Nothing({
  home: { channels, givenUp, history, areLicencesKnown: isKnown },
  now,
}: {
  home: HomeOverview;
  now: number;
}): VNode | null {
  if (channels.items.length === 0) return null;
  if (channels.nextCursor !== null)
    return (
      <p class="note">
        No receiver fails, the platform refuses no channel, {isKnown ? 'none lacks a licence, ' : ''}and no
        event was given up <Since news={givenUp} now={now} />. <Earlier history={history} />{' '}
        {isKnown ? '' : 'Some channels may lack a licence.'} <Others />
      </p>
    );
  return (
    <p class="note">
      <Badge tone="good">Nothing needs you.</Badge> No channel is in trouble, and no event was given up{' '}
      <Since news={givenUp} now={now} />. <Earlier history={history} />
    </p>
  );
}

/** The figures below count them too: those from before the last look. */
function Earlier({ history: { sum, span } }: { history: History }): VNode | null {
  const { givenUp: count } = sum;
  if (count === 0) return null;
  return (
    <span>
      Of the last {homeSpans[span].words} {numberWords(count)} {count === 1 ? 'event is' : 'events are'} given
      up: <a href="/portal/deliveries?state=failed">see them</a>.
    </span>
  );
}

function NotAll({ home: { channels, areLicencesKnown } }: { home: HomeOverview }): VNode | null {
  if (channels.nextCursor === null) return null;
  return (
    <p>
      Channels that fail, are refused, get no events or lack a licence are listed here, whichever they are
      {areLicencesKnown ? '' : '; more may lack a licence'}. <Others />
    </p>
  );
}

/** The pages that show the channels that Home does not examine. */
function Others(): VNode {
  return <a href="/portal/channels">See all channels</a>;
}

function Since({ news: { since, logDays }, now }: { news: GivenUpNews; now: number }): VNode {
  if (since === null) return <span>in the last {logDays === 1 ? 'day' : `${logDays} days`}</span>;
  return (
    <span>
      since you last looked, <When at={since} now={now} />
    </span>
  );
}

function newsItems(news: GivenUpNews, now: number): VNode[] {
  const items = news.channels.slice(0, maxShown).map(({ channel, ...counted }) => (
    <li>
      <a href={`/portal/deliveries?channel=${channel.id}&state=failed`}>
        {countWords(counted)} {counted.count === 1 ? 'event' : 'events'} of <Name of={channel} /> given up
      </a>{' '}
      <Since news={news} now={now} />
    </li>
  ));
  if (!news.isMore && items.length === news.channels.length) return items;
  return [
    ...items,
    <li>
      <a href="/portal/deliveries?state=failed">More channels have given up events</a>
    </li>,
  ];
}

function ailingItems({ channels: { items: first, nextCursor }, troubledOthers }: HomeOverview): VNode[] {
  const channels = [...first, ...troubledOthers];
  // Only the channels' own problems.
  const healthOf = (each: ChannelWithHealth) => describeHealth({ ...each, isSuspended: false });
  const ailing = channels.filter((each) => healthOf(each).tone === 'bad');
  const items = ailing.slice(0, maxShown).map((each) => {
    const { tone, word, why } = healthOf(each);
    return (
      <li>
        <a href={pathToFix(each.channel.id, each.problems[0]?.code)}>
          <Name of={each.channel} />
        </a>{' '}
        <Badge tone={tone}>{word}</Badge> {why}
      </li>
    );
  });
  if (ailing.length <= maxShown) return items;
  return [
    ...items,
    <li>
      <a href="/portal/channels">
        {nextCursor === null ? '' : 'At least '}
        {ailing.length - maxShown} more channels
      </a>
    </li>,
  ];
}

function licenceItems({ endingLicences }: HomeOverview, now: number): VNode[] {
  const groups = groupLicences(endingLicences);
  const items = groups.slice(0, maxShown).map(([first, { length }]) => (
    <li>
      <a href="/portal/billing">
        {length === 1 ? sourceWords[first.source] : `${length} ${severalWords[first.source]}`} ({first.tier})
      </a>{' '}
      {endWords(first, length, now)} <Ending licence={first} now={now} />:{' '}
      {length === 1
        ? 'its channels stop unless it is renewed'
        : 'their channels stop unless they are renewed'}
    </li>
  ));
  if (groups.length <= maxShown) return items;
  return [
    ...items,
    <li>
      <a href="/portal/billing">More licences end soon</a>
    </li>,
  ];
}

/** Licences of one kind that end on the same day (UTC) are one item. */
function groupLicences(
  licences: HomeOverview['endingLicences'],
): [first: Subscription, all: readonly Subscription[]][] {
  const groups = new Map<string, [first: Subscription, all: Subscription[]]>();
  for (const licence of licences) {
    const { source, tier, expiresAt } = licence;
    const key = [source, tier, Math.floor((expiresAt ?? 0) / dayMs)].join();
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [licence, [licence]]);
    else known[1].push(licence);
  }
  return [...groups.values()];
}

function endWords({ expiresAt }: Subscription, count: number, now: number): string {
  if (expiresAt !== null && expiresAt > now) return count === 1 ? 'ends' : 'end';
  return count === 1 ? 'was to be renewed' : 'were to be renewed';
}

function Ending({ licence: { expiresAt }, now }: { licence: Subscription; now: number }): VNode | null {
  return expiresAt === null ? null : <Distance at={expiresAt} now={now} />;
}

/** With the type, because channels of two kinds often have the same name. */
function Name({ of: { name, channelType } }: { of: Pick<Channel, 'name' | 'channelType'> }): VNode {
  return (
    <>
      <bdi>{name ?? 'Without a name'}</bdi> ({channelType})
    </>
  );
}
