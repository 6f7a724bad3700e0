import type { VNode } from 'preact';
import { sendRedirect } from '../../http/answers.ts';
import type { FailingChannel, NodeInsight } from '../../use-cases/index.ts';
import { readForm } from '../forms/read-form.ts';
import { Empty, Maybe, Rows, State, When } from '../parts.tsx';
import type { PageContext } from '../session/pages.ts';
import { consolePath, operatorPage } from './session.ts';
import { answerConsole, answerConsoleQuestion, asidePath, channelsPath } from './shell.tsx';

const mostFailing = 50;
const few = { limit: 20, cursor: null };

async function show(context: PageContext): Promise<void> {
  const { useCases, clock } = context;
  const [nodes, failing, aside] = await Promise.all([
    useCases.listNodes(),
    useCases.listFailing(),
    useCases.listQuarantine(few),
  ]);
  const { parts } = context.readiness();
  const now = clock.now();
  const ended = aside.items.filter(({ sealed }) => sealed !== null).length;
  answerConsole(context, {
    title: 'Now',
    at: consolePath,
    children: (
      <>
        <h1>Now</h1>
        <section aria-labelledby="parts">
          <h2 id="parts">This node</h2>
          <ul class="plain">
            {Object.entries(parts).map(([name, word]) => (
              <li>
                <State tone={word === 'ready' ? 'good' : 'bad'}>{word}</State> {name}
              </li>
            ))}
          </ul>
        </section>
        <Nodes nodes={nodes} now={now} />
        <Failing failing={failing} now={now} />
        <section aria-labelledby="aside">
          <h2 id="aside">Put aside</h2>
          <p>
            {aside.items.length === 0 ? (
              'Nothing.'
            ) : (
              <>
                <a href={asidePath}>
                  {aside.nextCursor === null ? aside.items.length : `More than ${aside.items.length}`} sorts
                  of items
                </a>
                {ended === 0 ? null : `, ${ended} of them can be tried again`}
              </>
            )}
          </p>
        </section>
        <p>
          What to do when: docs/operating/incidents.md of this version. Graphs: the dashboard in
          config/grafana.
        </p>
      </>
    ),
  });
}

function Nodes({ nodes, now }: { nodes: readonly NodeInsight[]; now: number }): VNode {
  return (
    <section aria-labelledby="nodes">
      <h2 id="nodes">Nodes</h2>
      <Rows
        heads={['Node', 'State', 'Channels', 'Started']}
        rows={nodes.map(({ nodeId, draining, channelsOwned, startedAt }) => [
          <code>{nodeId}</code>,
          <State tone={draining ? 'bad' : 'good'}>{draining ? 'hands its channels over' : 'serves'}</State>,
          channelsOwned,
          <When at={startedAt} now={now} />,
        ])}
      />
      <p>
        <a class="button quiet" href={`${consolePath}/drain`}>
          Drain the node that answers here
        </a>
      </p>
    </section>
  );
}

function Failing({ failing, now }: { failing: readonly FailingChannel[]; now: number }): VNode {
  return (
    <section aria-labelledby="failing">
      <h2 id="failing">Receivers that fail</h2>
      {failing.length === 0 ? (
        <Empty>
          <p>None. A receiver that takes nothing stands here, the longest first.</p>
        </Empty>
      ) : (
        <Rows
          heads={['Channel', 'Host', 'Since', 'Answers', 'Last success']}
          rows={failing
            .slice(0, mostFailing)
            .map(({ channel, health }) => [
              <a href={`${channelsPath}/${channel.id}`}>{channel.name ?? channel.id}</a>,
              hostIn(channel.webhookUrl),
              <Maybe at={health.failingSince} now={now} />,
              health.lastFailure ?? '',
              <Maybe at={health.deliveredAt} now={now} />,
            ])}
        />
      )}
      {failing.length > mostFailing ? <p>And {failing.length - mostFailing} more.</p> : null}
    </section>
  );
}

/** Path and query may hold a secret of the receiver's. */
export function hostIn(url: string | null): string {
  return url !== null && URL.canParse(url) ? new URL(url).host : '';
}

function askDrain(context: PageContext): void {
  answerConsoleQuestion(context, {
    title: 'Drain this node',
    at: consolePath,
    children: (
      <p>
        The node that answers this page hands its channels to the others and takes no new ones; then its
        readiness says 503, so that a balancer leaves it out. It serves again after a restart.
      </p>
    ),
    action: `${consolePath}/drain`,
    yes: 'Drain it',
    back: consolePath,
  });
}

async function drain(context: PageContext): Promise<void> {
  await readForm(context);
  await context.useCases.drain();
  sendRedirect(context.response, consolePath);
}

const drainPath = `${consolePath}/drain`;

export const nowPages = [
  operatorPage({
    method: 'get',
    path: consolePath,
    name: 'consoleNow',
    summary: 'Is it well, what is not',
    open: show,
  }),
  operatorPage({
    method: 'get',
    path: drainPath,
    name: 'askDrain',
    summary: 'Asks before it',
    open: askDrain,
  }),
  operatorPage({
    method: 'post',
    path: drainPath,
    name: 'drainNode',
    summary: 'Drains this node',
    open: drain,
  }),
];
