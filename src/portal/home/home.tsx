import type { ComponentChildren, VNode } from 'preact';
import { Rows, State } from '../parts.tsx';
import { addressOf, healthOf } from '../channels/words.ts';
import { signedInPage } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import type { ChannelWithLicence } from '../../use-cases/index.ts';

const firstFew = { limit: 20, cursor: null };

interface Step {
  name: string;
  isDone: boolean;
  say: ComponentChildren;
  go: { path: string; word: string };
}

async function show(desk: SignedInDesk): Promise<void> {
  const [keys, channels] = await Promise.all([
    desk.useCases.listKeys(desk.caller, { limit: 1, cursor: null }),
    desk.useCases.listChannels(desk.caller, firstFew),
  ]);
  const steps = stepsOf(keys.items.length > 0, channels.items);
  const isSetUp = steps.every(({ isDone }) => isDone);
  answerShell(desk, {
    title: 'Home',
    at: '/portal',
    children: (
      <>
        <h1>{isSetUp ? 'Your channels' : 'Three steps to your first message'}</h1>
        {isSetUp ? null : <Steps steps={steps} />}
        {channels.items.length === 0 ? null : <Overview desk={desk} channels={channels.items} />}
        {channels.nextCursor === null ? null : (
          <p>
            <a href="/portal/channels">All channels</a>
          </p>
        )}
        {isSetUp ? <Next /> : null}
      </>
    ),
  });
}

function stepsOf(hasKey: boolean, channels: readonly ChannelWithLicence[]): Step[] {
  const active = channels.filter(({ channel }) => channel.isActive);
  const first = active[0]?.channel;
  return [
    {
      name: 'Make an API key',
      isDone: hasKey,
      say: 'Your program shows it with every call.',
      go: { path: '/portal/keys', word: 'Make a key' },
    },
    {
      name: 'Connect a channel',
      isDone: first !== undefined,
      say: 'A phone number, a photo account or a page: you allow it at the platform and come back here.',
      go: { path: '/portal/channels', word: 'Connect a channel' },
    },
    {
      name: 'Set a webhook',
      isDone: active.some(({ channel }) => channel.webhookUrl !== null),
      say: 'Where we deliver what people write, and what became of what you sent.',
      go: {
        path: first === undefined ? '/portal/channels' : `/portal/channels/${first.id}#webhook`,
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
            <State tone={step.isDone ? 'good' : 'idle'}>{step.isDone ? 'done' : 'open'}</State> {step.say}
          </p>
          {step.isDone ? null : (
            <a class={step === next ? 'button' : 'button quiet'} href={step.go.path}>
              {step.go.word}
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

function Overview({
  desk,
  channels,
}: {
  desk: SignedInDesk;
  channels: readonly ChannelWithLicence[];
}): VNode {
  const moment = { now: desk.clock.now(), graceMs: desk.graceMs };
  const rows = channels.map((each) => {
    const health = healthOf(each, moment);
    return [
      <a href={`/portal/channels/${each.channel.id}`}>{each.channel.name ?? 'Without a name'}</a>,
      <span class="nowrap">{addressOf(each.channel)}</span>,
      <State tone={health.tone}>{health.word}</State>,
      health.why,
    ];
  });
  return <Rows heads={['Channel', 'Address', 'Health', 'Why']} rows={rows} />;
}

function Next(): VNode {
  return (
    <>
      <h2>Next</h2>
      <ul>
        <li>
          <a href="/portal/live">Watch events as they come</a>
        </li>
        <li>
          <a href="/docs/verify">Check the signatures of deliveries</a>
        </li>
        <li>
          <a href="/docs">Read and try the API</a>
        </li>
      </ul>
    </>
  );
}

/** [operator-interface §3] */
export const homePages = [
  signedInPage({ method: 'get', path: '/portal', name: 'portal', summary: 'The portal', open: show }),
];
