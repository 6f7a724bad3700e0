import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { deliveredMessage } from '../delivered.ts';
import { messageTimeline } from '../timeline.ts';
import type { VNode } from 'preact';
import { currentStatus, listCalls } from '../timeline-rules.ts';
import { hasDroppedAttempts, maxLoggedAttempts } from '../../../rules/webhooks/delivery.ts';
import { Fault, fault } from '../../../kernel/faults.ts';
import type { MessageTimeline } from '../types.ts';
import { plainSentence } from '../../../pages/forms/problems.ts';
import { Copyable, Fact, Badge } from '../../../pages/components.tsx';
import { Empty } from '../../../pages/list/empty.tsx';
import { When } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { messagesPath as path, personPath, channelPath } from '../../../pages/paths.ts';
import { receivedLines, toLines } from './timeline.ts';
import type { Line } from './timeline.ts';
import { readChannel } from '../../channels/index.ts';
import type { LoggedDelivery } from '../../deliveries/index.ts';

/** Ids of parts of a message with several files contain a dot. [spec: message.received data, rule 2] */
function messageIdIn({ request }: SignedInContext): string {
  const id = request.params['message_id'];
  if (typeof id !== 'string' || !/^[\w.-]{1,64}$/.test(id)) throw fault('not_found');
  return id;
}

async function show(context: SignedInContext): Promise<void> {
  const [channelId, messageId] = [idIn(context, 'channel_id'), messageIdIn(context)];
  const { channel } = await readChannel(context.world, context.caller, channelId);
  const timeline = await timelineOrNull(context, channelId, messageId);
  const came =
    timeline === null ? await deliveredMessage(context.world, context.caller, channelId, messageId) : [];
  const person = timeline?.message.recipient ?? came[0]?.person ?? null;
  answerShell(context, {
    title: 'Message',
    back: (
      <>
        <a href={path}>All messages</a> ·{' '}
        {person === null ? null : (
          <>
            <a href={personPath(person)}>All with this person</a> ·{' '}
          </>
        )}
        <a href={channelPath(channelId)}>{channel.name ?? 'Its channel'}</a>
      </>
    ),
    at: path,
    status: timeline === null && came.length === 0 ? 404 : 200,
    children: (
      <>
        <p>
          <Copyable text={messageId} label="the message id" />
        </p>
        {timeline === null ? null : <Timeline context={context} timeline={timeline} />}
        {timeline === null && came.length > 0 ? <Came context={context} deliveries={came} /> : null}
        {timeline === null && came.length === 0 ? <NotFound channelId={channelId} /> : null}
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
    return await messageTimeline(context.world, context.caller, channelId, messageId);
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'not_found') return null;
    throw thrown;
  }
}

function NotFound({ channelId }: { channelId: string }): VNode {
  return (
    <Empty>
      <p>Nothing was sent or delivered under this id on this channel, or it is older than the log.</p>
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
  const requestId = requestIdIn(timeline);
  const isOpen = message.state === 'sending' || message.state === 'queued';
  return (
    <>
      <dl class="facts card">
        <Fact name="Now">
          <Badge tone={status === 'failed' ? 'bad' : isOpen ? 'idle' : 'good'}>{status ?? 'queued'}</Badge>{' '}
          {status === 'failed' || isOpen ? plainSentence(message.error ?? '').words : null}
        </Fact>
        <Fact name="Person" mono>
          {message.recipient}
        </Fact>
        {requestId === null ? null : (
          <Fact name="Request">
            <a class="mono" href={`/portal/requests?id=${encodeURIComponent(requestId)}`}>
              {requestId}
            </a>
          </Fact>
        )}
        {message.upstreamIds.length === 0 ? null : (
          <Fact name="At the platform">
            {message.upstreamIds.map((id) => (
              <Copyable text={id} label="the platform’s id" />
            ))}
          </Fact>
        )}
        {isOpen && message.nextTryAt !== null ? (
          <Fact name="Next try">
            <When at={message.nextTryAt} now={now} />
          </Fact>
        ) : null}
      </dl>
      <Story lines={toLines(timeline)} since={message.createdAt} now={now} />
      <OlderAttempts deliveries={timeline.deliveries} />
    </>
  );
}

/**
 * The id of the request that sent the message; later statuses result from upstream's calls. A send that was not accepted at once has the id
 * in its log.
 */
function requestIdIn({ message, deliveries }: MessageTimeline): string | null {
  const sent = deliveries.find(({ event }) => event === 'message.sent')?.requestId;
  return sent ?? listCalls(message).find(({ requestId }) => requestId !== undefined)?.requestId ?? null;
}

/** A received message, or an echo without stored statuses: its deliveries are its only record. */
function Came({
  context,
  deliveries,
}: {
  context: SignedInContext;
  deliveries: readonly LoggedDelivery[];
}): VNode {
  const [first] = deliveries;
  const now = context.clock.now();
  return (
    <>
      <dl class="facts card">
        <Fact name="Direction">{first?.event === 'message.echo' ? 'written elsewhere' : 'received'}</Fact>
        <Fact name="Person" mono>
          {first?.person ?? 'unknown'}
        </Fact>
        <Fact name="Kind">{first?.messageType ?? 'unknown'}</Fact>
      </dl>
      <Story lines={receivedLines(deliveries)} since={first?.createdAt ?? now} now={now} />
      <OlderAttempts deliveries={deliveries} />
    </>
  );
}

function Story({ lines, since, now }: { lines: readonly Line[]; since: number; now: number }): VNode {
  return (
    <>
      <h2>What happened</h2>
      <ol class="timeline plain">
        {lines.map((line) => (
          <Happened line={line} since={since} now={now} />
        ))}
      </ol>
    </>
  );
}

function OlderAttempts({ deliveries }: { deliveries: readonly LoggedDelivery[] }): VNode | null {
  if (!deliveries.some(({ attemptLog }) => hasDroppedAttempts(attemptLog))) return null;
  return <p>Older webhook attempts are missing: of each event only the last {maxLoggedAttempts} are kept.</p>;
}

function Happened({ line, since, now }: { line: Line; since: number; now: number }): VNode {
  const { at, tone, what, more } = line;
  return (
    <li>
      <Badge tone={tone}>{what}</Badge>
      <span>{more}</span>
      <span class="dim number">
        {at <= now ? `+${writeSpan(at - since)} ` : ''}
        <When at={at} now={now} />
      </span>
    </li>
  );
}

function writeSpan(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, ms)} ms,`;
  return ms < 120_000 ? `${Math.round(ms / 1_000)} s,` : `${Math.round(ms / 60_000)} min,`;
}

/** [operator-interface §2, DELIVERY_LOG_DAYS] */
export const messagePage = signedInPage({
  get: `${channelPath('{channel_id}')}/messages/{message_id}`,
  name: 'messagePage',
  open: show,
});
