import type { VNode } from 'preact';
import { currentStatus } from '../../domain/messages/timeline.ts';
import { sendRedirect } from '../../http/answers.ts';
import { Fault } from '../../kernel/faults.ts';
import type { MessageTimeline } from '../../use-cases/index.ts';
import { chosenChannel } from '../channels/chosen.ts';
import { Choice } from '../forms/choice.tsx';
import { Field } from '../forms/field.tsx';
import { plainSentence } from '../forms/api-sentence.ts';
import { noProblems } from '../forms/problems.ts';
import type { Problems } from '../forms/problems.ts';
import { Copyable, Empty, State, When } from '../parts.tsx';
import { idIn, signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import { toLines } from './timeline.ts';
import type { Line } from './timeline.ts';

const path = '/portal/messages';

const isId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

async function search(context: SignedInContext): Promise<void> {
  const choice = await chosenChannel(context);
  const typed = (context.query.get('message') ?? '').trim().slice(0, 64);
  if (choice.chosen !== null && isId(typed)) {
    return sendRedirect(context.response, `/portal/channels/${choice.chosen.channel.id}/messages/${typed}`);
  }
  const why = 'An id of a message is letters, digits and dashes, as the API answered it.';
  const problems: Problems = typed === '' ? noProblems : { status: 422, fields: { message: why }, all: null };
  answerShell(context, {
    title: 'Messages',
    at: path,
    status: problems.status,
    children: (
      <>
        <h1>Messages</h1>
        <p>What became of a message that was sent: the platform’s calls, its statuses, and your webhooks.</p>
        {choice.chosen === null ? (
          <Empty>
            <p>Messages belong to a channel, and there is none yet.</p>
            <a class="button" href="/portal/channels">
              Connect a channel
            </a>
          </Empty>
        ) : (
          <form method="get" action={path} class="narrow">
            <Choice
              name="channel"
              label="Channel"
              options={choice.options}
              chosen={choice.chosen.channel.id}
            />
            <Field
              name="message"
              label="Message id"
              hint="The message_id that a send answered; every webhook has it too."
              value={typed}
              autocomplete="off"
              mono
              maxLength={64}
              problems={problems}
            />
            <button>Find it</button>
          </form>
        )}
      </>
    ),
  });
}

async function show(context: SignedInContext): Promise<void> {
  const [channelId, messageId] = [idIn(context, 'channel_id'), idIn(context, 'message_id')];
  const { channel } = await context.useCases.readChannel(context.caller, channelId);
  const timeline = await timelineOrNull(context, channelId, messageId);
  answerShell(context, {
    title: 'Message',
    at: path,
    status: timeline === null ? 404 : 200,
    children: (
      <>
        <p class="back">
          <a href={`${path}?channel=${channelId}`}>Another message</a> ·{' '}
          <a href={`/portal/channels/${channelId}`}>{channel.name ?? 'Its channel'}</a>
        </p>
        <h1>Message</h1>
        <p>
          <Copyable text={messageId} label="the message id" />
        </p>
        {timeline === null ? (
          <NotFound channelId={channelId} />
        ) : (
          <Timeline context={context} timeline={timeline} />
        )}
      </>
    ),
  });
}

async function timelineOrNull(
  context: SignedInContext,
  channelId: string,
  messageId: string,
): Promise<MessageTimeline | null> {
  try {
    return await context.useCases.messageTimeline(context.caller, channelId, messageId);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'not_found') return null;
    throw thrown;
  }
}

function NotFound({ channelId }: { channelId: string }): VNode {
  return (
    <Empty>
      <p>
        Nothing was sent under this id on this channel, or it is older than the log. Of what people write only
        the deliveries are on record.
      </p>
      <a class="button" href={`/portal/deliveries?channel=${channelId}`}>
        See the deliveries
      </a>
    </Empty>
  );
}

function Timeline({ context, timeline }: { context: SignedInContext; timeline: MessageTimeline }): VNode {
  const { message } = timeline;
  const now = context.clock.now();
  const status = currentStatus(message);
  const isOpen = message.state === 'sending' || message.state === 'queued';
  return (
    <>
      <dl class="facts card">
        <dt>Now</dt>
        <dd>
          <State tone={status === 'failed' ? 'bad' : isOpen ? 'idle' : 'good'}>{status ?? 'queued'}</State>{' '}
          {status === 'failed' || isOpen ? plainSentence(message.error ?? '').words : null}
        </dd>
        <dt>Recipient</dt>
        <dd class="mono">{message.recipient}</dd>
        {isOpen && message.nextTryAt !== null ? (
          <>
            <dt>Next try</dt>
            <dd>
              <When at={message.nextTryAt} now={now} />
            </dd>
          </>
        ) : null}
      </dl>
      <h2>What happened</h2>
      <ol class="timeline plain">
        {toLines(timeline).map((line) => (
          <Happened line={line} since={message.createdAt} now={now} />
        ))}
      </ol>
    </>
  );
}

function Happened({ line, since, now }: { line: Line; since: number; now: number }): VNode {
  const { at, tone, what, more } = line;
  return (
    <li>
      <State tone={tone}>{what}</State>
      <span>{more}</span>
      <span class="dim number">
        {at <= now ? `+${spanOf(at - since)} ` : ''}
        <When at={at} now={now} />
      </span>
    </li>
  );
}

function spanOf(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms,`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s,` : `${Math.round(ms / 60_000)} min,`;
}

/** [operator-interface §2, DELIVERY_LOG_DAYS] */
export const messagePages = [
  signedInPage({ method: 'get', path, name: 'messagesPage', summary: 'Finds a message', open: search }),
  signedInPage({
    method: 'get',
    path: '/portal/channels/{channel_id}/messages/{message_id}',
    name: 'messagePage',
    summary: 'What became of a message',
    open: show,
  }),
];
