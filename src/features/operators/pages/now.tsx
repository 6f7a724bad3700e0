import { listNodes } from '../nodes.ts';
import type { PageContext } from '../../route.ts';
import { givenUpLately } from '../account-deliveries.ts';
import { listFailing, listRefusedTokens } from '../channels.ts';
import { listTroubled } from '../troubled.ts';
import type { ComponentChildren, VNode } from 'preact';
import { hostIn } from '../../../rules/url.ts';
import type { FailingChannel, FailingReceiver, GivenUpLately, TroubledChannel } from '../types.ts';
import type { Page } from '../../../kernel/paging.ts';
import { Badge } from '../../../pages/components.tsx';
import { Maybe, When } from '../../../pages/time.tsx';
import { Rows } from '../../../pages/list/rows.tsx';
import { givenUpPath } from './given-up.tsx';
import { Nodes } from './nodes.tsx';
import { consolePath } from '../../../pages/paths.ts';
import { operatorPage } from './session.ts';
import { answerConsole, quarantinePath, channelsPath, nameAccount } from './shell.tsx';
import { Waiting } from './waiting.tsx';
import { listQuarantine } from '../../quarantine/index.ts';

/** Most channels listed for each kind of problem. */
const mostShown = 50;
const few = { limit: 20, cursor: null };

async function show(context: PageContext): Promise<void> {
  const { world, clock } = context;
  const [nodes, lately, failing, refused, troubled, aside] = await Promise.all([
    listNodes(world),
    givenUpLately(world),
    listFailing(world),
    listRefusedTokens(world),
    listTroubled(world, null, { limit: mostShown, cursor: null }),
    listQuarantine(world, few),
  ]);
  const now = clock.now();
  answerConsole(context, {
    title: 'Now',
    at: consolePath,
    children: (
      <>
        <Parts parts={context.readiness().parts} />
        <Waiting nodes={nodes} now={now} />
        <GivenUp lately={lately} now={now} />
        <Nodes nodes={nodes} now={now} />
        <Failing all={failing} now={now} />
        <RefusedTokens all={refused} now={now} />
        <Troubled page={troubled} now={now} />
        <Aside aside={aside} />
        <p>
          What to do when: docs/operating/incidents.md of this version. Graphs: the dashboard in
          config/grafana.
        </p>
      </>
    ),
  });
}

/** Parts of the node that answers this request. */
function Parts({ parts }: { parts: Readonly<Record<string, string>> }): VNode | null {
  const bad = Object.entries(parts).filter(([, word]) => word !== 'ready');
  if (bad.length === 0) return null;
  return (
    <p class="alert" role="alert">
      The node that answers here is not ready: {bad.map(([name, word]) => `${name} ${word}`).join(', ')}.
    </p>
  );
}

function GivenUp({ lately, now }: { lately: GivenUpLately; now: number }): VNode {
  const { events, accounts, worst, since, isCut } = lately;
  return (
    <p>
      {events === 0 ? (
        <>
          <Badge tone="good">No event was given up</Badge> since <When at={since} now={now} />.
        </>
      ) : (
        <>
          <Badge tone="bad">
            {isCut ? 'More than ' : ''}
            {events} {events === 1 ? 'event was' : 'events were'} given up
          </Badge>{' '}
          since <When at={since} now={now} />, of {accounts === 1 ? 'one account' : `${accounts} accounts`}
          {worst.map(({ account, events: own }, n) => (
            <>
              {n === 0 ? ': ' : ', '}
              <a href={givenUpPath(account.id)}>
                <bdi>{nameAccount(account)}</bdi>
              </a>
              {accounts === 1 ? null : ` (${own})`}
            </>
          ))}
          {worst.length < accounts && worst.length > 0 ? ' and others' : null}.
        </>
      )}
    </p>
  );
}

interface NeedsSomebody<E> {
  all: readonly E[];
  now: number;
}

function Failing({ all, now }: NeedsSomebody<FailingReceiver>): VNode {
  return (
    <Channels
      id="failing"
      title="Receivers that fail"
      none="None. Receivers that fail are listed here, the longest failing first."
      heads={['Channel', 'Host', 'Receiver', 'Since', 'Answers', 'Last success']}
      all={all}
      cells={({ url, endpointId, health }) => [
        hostIn(url) ?? '',
        endpointId === null ? 'webhook' : 'endpoint',
        <Maybe at={health.failingSince} now={now} />,
        health.lastFailure ?? '',
        <Maybe at={health.deliveredAt} now={now} />,
      ]}
    />
  );
}

function RefusedTokens({ all, now }: NeedsSomebody<FailingChannel>): VNode {
  return (
    <Channels
      id="tokens"
      title="Tokens that the platform refuses"
      none="None. Channels that their owner has to reconnect are listed here."
      heads={['Channel', 'Kind', 'Looked at', 'Last heard']}
      all={all}
      cells={({ channel, health }) => [
        channel.channelType,
        <Maybe at={health.checkedAt} now={now} />,
        <Maybe at={health.inboundAt} now={now} />,
      ]}
    />
  );
}

/** By problem, so that one cause of many channels is seen at once. */
function Troubled({ page, now }: { page: Page<TroubledChannel>; now: number }): VNode {
  const rows = page.items
    .flatMap(({ channel, problems }) => problems.map((problem) => ({ channel, problem })))
    .toSorted((a, b) => (a.problem.code < b.problem.code ? -1 : Number(a.problem.code > b.problem.code)))
    .map(({ channel, problem }) => [
      <a href={`${channelsPath}/${channel.id}`}>{channel.name ?? channel.id}</a>,
      channel.channelType,
      <code>{problem.code}</code>,
      <Maybe at={problem.since ?? null} now={now} />,
      problem.detail,
    ]);
  return (
    <section aria-labelledby="troubled">
      <h2 id="troubled">Problems at the platform</h2>
      {rows.length === 0 ? (
        <p class="dim">None. What the platform has told of a channel is listed here, by problem.</p>
      ) : (
        <Rows heads={['Channel', 'Kind', 'Problem', 'Since', 'What to do']} rows={rows} />
      )}
      {page.nextCursor === null ? null : (
        <p>
          More of them: <code>npm run admin -- channels --problem CODE</code>
        </p>
      )}
    </section>
  );
}

function Aside({ aside }: { aside: Awaited<ReturnType<typeof listQuarantine>> }): VNode {
  const ended = aside.items.filter(({ sealed }) => sealed !== null).length;
  return (
    <section aria-labelledby="aside">
      <h2 id="aside">Quarantined</h2>
      <p>
        {aside.items.length === 0 ? (
          <span class="dim">None. What could not be worked on is listed here.</span>
        ) : (
          <>
            <a href={quarantinePath}>
              {aside.nextCursor === null ? aside.items.length : `More than ${aside.items.length}`} sorts of
              items
            </a>
            {ended === 0 ? null : `, ${ended} of them can be tried again`}
          </>
        )}
      </p>
    </section>
  );
}

interface ChannelsProps<E> {
  id: string;
  title: string;
  none: string;
  heads: readonly string[];
  all: readonly E[];
  cells: (each: E) => readonly ComponentChildren[];
}

function Channels<E extends FailingChannel>({ id, title, none, heads, all, cells }: ChannelsProps<E>): VNode {
  const rows = all
    .slice(0, mostShown)
    .map((each) => [
      <a href={`${channelsPath}/${each.channel.id}`}>{each.channel.name ?? each.channel.id}</a>,
      ...cells(each),
    ]);
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {rows.length === 0 ? <p class="dim">{none}</p> : <Rows heads={heads} rows={rows} />}
      {all.length > mostShown ? <p>And {all.length - mostShown} more.</p> : null}
    </section>
  );
}

export const nowPages = [operatorPage({ get: consolePath, name: 'consoleNow', open: show })];
