import type { VNode } from 'preact';
import type { Channel } from '../../domain/channels/channel.ts';
import { describeHealth, mendingPath } from '../channels/words.ts';
import { State, When } from '../parts.tsx';
import { countWords } from './words.ts';
import type { FaringChannel, GivenUpNews, HomeOverview } from '../../use-cases/index.ts';

const maxShown = 10;
const sourceWords = { trial: 'Your trial', billing_provider: 'A paid licence', enterprise: 'A licence' };

/** Problems that need the person's action, each with a link. */
export function Attention({ home, now }: { home: HomeOverview; now: number }): VNode | null {
  const items = [
    ...newsItems(home.givenUp, now),
    ...ailingItems(home.channels.items),
    ...licenceItems(home, now),
  ];
  if (items.length === 0) return <Nothing home={home} now={now} />;
  return (
    <section class="card attention" aria-labelledby="attention">
      <h2 id="attention">Needs your attention</h2>
      <ul>{items}</ul>
    </section>
  );
}

/** Shown if there is no problem. Without a channel it is left out. */
function Nothing({ home: { channels, givenUp }, now }: { home: HomeOverview; now: number }): VNode | null {
  if (channels.items.length === 0) return null;
  return (
    <p class="note">
      <State tone="good">Nothing needs you.</State> No channel is in trouble, and no event was given up{' '}
      <Since news={givenUp} now={now} />.
    </p>
  );
}

function Since({ news: { since }, now }: { news: GivenUpNews; now: number }): VNode {
  if (since === null) return <span>in the last days</span>;
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
        {countWords(counted)} {counted.count === 1 ? 'event' : 'events'} of {writeName(channel)} given up
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

function ailingItems(channels: readonly FaringChannel[]): VNode[] {
  const ailing = channels.filter((each) => describeHealth(each).tone === 'bad');
  const items = ailing.slice(0, maxShown).map((each) => {
    const { tone, word, why } = describeHealth(each);
    return (
      <li>
        <a href={mendingPath(each.channel.id, each.problems[0]?.code)}>{writeName(each.channel)}</a>{' '}
        <State tone={tone}>{word}</State> {why}
      </li>
    );
  });
  if (ailing.length <= maxShown) return items;
  return [
    ...items,
    <li>
      <a href="/portal/channels">{ailing.length - maxShown} more channels</a>
    </li>,
  ];
}

function licenceItems({ endingLicences }: HomeOverview, now: number): VNode[] {
  return endingLicences.slice(0, maxShown).map(({ source, tier, expiresAt }) => (
    <li>
      <a href="/portal/billing">
        {sourceWords[source]} ({tier})
      </a>{' '}
      {expiresAt !== null && expiresAt > now ? 'ends' : 'was to be renewed'}{' '}
      {expiresAt === null ? null : <When at={expiresAt} now={now} />}: its channels stop unless it goes on
    </li>
  ));
}

/** With the type, because channels of two kinds often have the same name. */
function writeName({ name, channelType }: Pick<Channel, 'name' | 'channelType'>): string {
  return `${name ?? 'Without a name'} (${channelType})`;
}
