import { pageRoute, signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { homeOverview } from '../service.ts';
import type { HomeOverview } from '../service.ts';
import type { ComponentChildren, VNode } from 'preact';
import { Badge, Whole } from '../../../pages/components.tsx';
import { hourMs } from '../../../kernel/clock.ts';
import { Maybe } from '../../../pages/time.tsx';
import { zoneIn } from '../../../pages/zone.ts';
import type { Zone } from '../../../pages/zone.ts';
import { Rows } from '../../../pages/list/rows.tsx';
import { Doing } from '../../../pages/reader-role.tsx';
import { sendRedirect } from '../../../http/answers.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { Attention } from './attention.tsx';
import { Outcomes, spanIn, Spans, Tiles } from './figures.tsx';
import { keysPath, channelsPath, channelPath, channelTabPath } from '../../../pages/paths.ts';
import { addressOf } from '../../../rules/channels/address.ts';
import { HealthCell } from '../../channels/index.ts';
import type { ChannelWithHealth } from '../../channels/index.ts';

const shownFew = 20;

interface Step {
  name: string;
  isDone: boolean;
  say: ComponentChildren;
  go: { path: string; word: string };
}

/** The first whole hour of the person's day: deliveries are counted by the hour. */
function startOfDay(zone: Zone, now: number): number {
  const midnight = zone.read(zone.typed(now).slice(0, 'yyyy-mm-dd'.length)) ?? now;
  return Math.ceil(midnight / hourMs) * hourMs;
}

async function show(context: SignedInContext): Promise<void> {
  const today = startOfDay(zoneIn(context.request), context.clock.now());
  const home = await homeOverview(context.world, context.caller, spanIn(context.query), today);
  const { channels, hasKey, waiting, history } = home;
  const { sum } = history;
  const now = context.clock.now();
  const { isSuspended } = context.visitor;
  const steps = listSteps(hasKey, channels.items);
  const isSetUp = steps.every(({ isDone }) => isDone);
  const hasFigures =
    isSetUp || waiting.count + sum.delivered + sum.retried + sum.givenUp > 0 || history.span !== '24h';
  answerShell(context, {
    title: 'Home',
    heading: isSetUp ? 'Home' : 'Three steps to your first message',
    at: '/portal',
    children: (
      <>
        {isSetUp ? null : <Steps steps={steps} />}
        <Attention home={home} isSuspended={isSuspended} now={now} />
        {hasFigures ? (
          <>
            <Spans at={history.span} />
            <Tiles home={home} />
            <Outcomes history={history} />
          </>
        ) : null}
        {channels.items.length === 0 ? null : (
          <Channels channels={channels} isSuspended={isSuspended} now={now} />
        )}
        {isSetUp ? <Next /> : null}
      </>
    ),
  });
}

function listSteps(hasKey: boolean, channels: readonly ChannelWithHealth[]): Step[] {
  const active = channels.filter(({ channel }) => channel.isActive);
  const first = active[0]?.channel;
  return [
    {
      name: 'Make an API key',
      isDone: hasKey,
      say: 'Send this with every request.',
      go: { path: keysPath, word: 'Make a key' },
    },
    {
      name: 'Connect a channel',
      isDone: first !== undefined,
      say: 'A phone number, a photo account or a page: you grant access at the platform and come back here.',
      go: { path: channelsPath, word: 'Connect a channel' },
    },
    {
      name: 'Set a webhook',
      isDone: active.some(({ channel }) => channel.webhookUrl !== null),
      say: 'The address to which we deliver inbound messages, and the statuses of what you sent.',
      go: {
        path: first === undefined ? channelsPath : channelTabPath(first.id, 'webhook'),
        word: 'Set a webhook',
      },
    },
  ];
}

function Steps({ steps }: { steps: readonly Step[] }): VNode {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <ol class="steps">
      {steps.map((step) => (
        <li class={step.isDone ? 'done' : ''}>
          <h2>{step.name}</h2>
          <p>
            <Badge tone={step.isDone ? 'good' : 'idle'}>{step.isDone ? 'done' : 'to do'}</Badge> {step.say}
          </p>
          {step.isDone ? null : (
            <Doing>
              <a class={step === next ? 'button' : 'button quiet'} href={step.go.path}>
                {step.go.word}
              </a>
            </Doing>
          )}
        </li>
      ))}
    </ol>
  );
}

interface ChannelsProps {
  channels: HomeOverview['channels'];
  isSuspended: boolean;
  now: number;
}

function Channels({ channels, isSuspended, now }: ChannelsProps): VNode {
  const rows = channels.items
    .slice(0, shownFew)
    .map((each) => [
      <a href={channelPath(each.channel.id)}>{each.channel.name ?? 'Without a name'}</a>,
      <Whole text={addressOf(each.channel)} />,
      <HealthCell of={each} isSuspended={isSuspended} />,
      <Maybe at={each.health.inboundAt} now={now} />,
      <Maybe at={each.health.deliveredAt} now={now} />,
    ]);
  return (
    <section aria-labelledby="channels">
      <h2 id="channels">Your channels</h2>
      <Rows
        heads={['Channel', 'Address', 'Health', 'Last heard', 'Last delivered']}
        traits={[
          ['read-by'],
          ['p3', 'second'],
          ['state'],
          ['p2', 'second', 'named'],
          ['p4', 'second', 'named'],
        ]}
        rows={rows}
      />
      {channels.items.length <= shownFew ? null : (
        <p>
          <a href="/portal/channels">All channels</a>
        </p>
      )}
    </section>
  );
}

function Next(): VNode {
  return (
    <>
      <h2>Next</h2>
      <ul>
        <li>
          <a href="/portal/deliveries">See the result of each delivery</a>
        </li>
        <li>
          <a href="/portal/live">Watch events live</a>
        </li>
        <li>
          <a href="/docs/verify">Check the signatures of deliveries</a>
        </li>
        <li>
          <a href="/docs/guide">Read the guide of the API</a>, <a href="/docs">try its calls</a>
        </li>
      </ul>
    </>
  );
}

/** [operator-interface §3] A person may type the path with a slash at the end: it redirects to the page. */
export const homePages: FeaturePages = {
  routes: [
    pageRoute({
      get: '/portal/',
      name: 'portalWithSlash',
      open: (_request, response) => sendRedirect(response, '/portal'),
    }),
    signedInPage({ get: '/portal', name: 'portal', open: show }),
  ],
  place: { path: '/portal', name: 'Home', icon: 'house' },
  samples: ['/portal?span=7d', '/portal?span=30d'],
};
