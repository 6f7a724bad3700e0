/** Why one delivery did or did not arrive: everything that is kept of it. [portal: Deliveries] */
import { leadBack, signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { readDelivery } from '../log.ts';
import { retryDelivery } from '../replay.ts';
import type { VNode } from 'preact';
import { mayAs } from '../../../rules/person.ts';
import { isOfChange, testEvent } from '../../../rules/events/table.ts';
import { hostIn } from '../../../rules/url.ts';
import { addressShown } from '../../../rules/webhooks/transcript.ts';
import { sendRedirect } from '../../../http/answers.ts';
import { Fault } from '../../../kernel/faults.ts';
import type { ExaminedDelivery } from '../types.ts';
import { Form, readForm } from '../../../pages/forms/form.tsx';
import { channelPath, deliveryPath, endpointPath, messagePath } from '../../../pages/paths.ts';
import { Copyable, Fact, Announcement, PersonLink } from '../../../pages/components.tsx';
import { When, WhenAndAgo } from '../../../pages/time.tsx';
import { idIn } from '../../../pages/session/pages.ts';
import { answerShell } from '../../../pages/shell.tsx';
import { Attempts } from './attempts.tsx';
import { describeNextStep } from './words.ts';
import { deliveriesPath as all } from './asked.ts';
import { canRetry, DeliveryBadge } from './rows.tsx';

const path = deliveryPath({ channelId: '{channel_id}', id: '{delivery_id}' });
const freshSeconds = 3;

async function show(context: SignedInContext): Promise<void> {
  const [channelId, deliveryId] = [idIn(context, 'channel_id'), idIn(context, 'delivery_id')];
  const examined = await readDelivery(context.world, context.caller, channelId, deliveryId);
  const { delivery } = examined;
  const now = context.clock.now();
  answerShell(context, {
    title: 'Delivery',
    heading: <span class="mono">{delivery.event}</span>,
    back: (
      <>
        <a href={all}>All deliveries</a> ·{' '}
        <a href={listOf(delivery)}>
          {delivery.endpointId === null ? 'Those of its channel' : 'Those of its endpoint'}
        </a>
      </>
    ),
    at: all,
    children: (
      <>
        <Retried query={context.query} />
        <div id="delivery" data-fresh={freshSeconds}>
          <Facts examined={examined} now={now} />
          {mayAs(context.visitor.role, 'developer') ? (
            <Again examined={examined} csrf={context.csrf} />
          ) : null}
          <h2>Attempts</h2>
          <Attempts examined={examined} now={now} />
          <Body examined={examined} />
        </div>
      </>
    ),
  });
}

/** The list of what the same receiver gets. */
function listOf({ channelId, endpointId }: ExaminedDelivery['delivery']): string {
  return `${all}?channel=${channelId}${endpointId === null ? '' : `&endpoint=${endpointId}`}`;
}

function Facts({ examined, now }: { examined: ExaminedDelivery; now: number }): VNode {
  const { channel, delivery } = examined;
  const { id, requestId, createdAt } = delivery;
  const next = describeNextStep(examined);
  return (
    <dl class="facts card">
      <Fact name="State">
        <DeliveryBadge delivery={delivery} of={examined.maxAttempts} />
      </Fact>
      <Fact name="What happens next">
        {next.words}
        {next.at === null ? null : (
          <>
            {' '}
            <When at={next.at} now={now} />
          </>
        )}
      </Fact>
      <Fact name="Delivery">
        <Copyable text={id} label="the delivery id" />
      </Fact>
      <About channelId={channel.id} delivery={delivery} />
      <Fact name="Channel">
        <a href={channelPath(channel.id)}>{channel.name ?? channel.channelType}</a>
      </Fact>
      {delivery.endpointId === null ? null : (
        <Fact name="Endpoint">
          {channel.webhookUrl === null ? (
            'removed'
          ) : (
            <a href={endpointPath(channel.id, delivery.endpointId)}>
              {hostIn(channel.webhookUrl) ?? 'its page'}
            </a>
          )}
        </Fact>
      )}
      <Fact name="Address now" mono>
        {channel.webhookUrl === null ? 'none' : addressShown(channel.webhookUrl)}
      </Fact>
      {requestId === null ? null : (
        <Fact name="Request id">
          <a class="mono" href={`/portal/requests?id=${encodeURIComponent(requestId)}`}>
            {requestId}
          </a>
        </Fact>
      )}
      <Fact name="Made">
        <WhenAndAgo at={createdAt} now={now} />
      </Fact>
    </dl>
  );
}

/** The message and person of a delivery; a test event and a change have neither. */
function About({
  channelId,
  delivery,
}: {
  channelId: string;
  delivery: ExaminedDelivery['delivery'];
}): VNode {
  const { event, messageId, person } = delivery;
  return (
    <>
      {event === testEvent || isOfChange(event) ? null : (
        <Fact name="Message">
          <Copyable text={messageId} label="the message id" />{' '}
          <a href={messagePath(channelId, messageId)}>What became of it</a>
        </Fact>
      )}
      {person === null ? null : (
        <Fact name="Person">
          <PersonLink person={person} />
        </Fact>
      )}
    </>
  );
}

function Again({ examined, csrf }: { examined: ExaminedDelivery; csrf: string }): VNode | null {
  const { delivery } = examined;
  if (!canRetry(delivery)) return null;
  return (
    <Form action={`${deliveryPath(delivery)}/retry`} csrf={csrf}>
      <button class="quiet">{delivery.state === 'pending' ? 'Try again now' : 'Send it again'}</button>
    </Form>
  );
}

function Body({ examined: { delivery, body } }: { examined: ExaminedDelivery }): VNode | null {
  if (delivery.event === testEvent) return null;
  return (
    <section aria-labelledby="body">
      <h2 id="body">Body</h2>
      {body === null ? (
        <p>Not kept: the content is erased when the delivery ends, unless the channel keeps failed events.</p>
      ) : (
        <>
          <p class="dim">
            As every attempt sends it, but without message content: only your receiver gets that.
          </p>
          <pre class="wire card" tabindex={0}>
            {body}
          </pre>
        </>
      )}
    </section>
  );
}

function Retried({ query }: { query: URLSearchParams }): VNode | null {
  const word = query.get('retried');
  if (word === null) return null;
  return (
    <Announcement by={['retried']} isWarning={word === 'ended' || word === 'unasked'}>
      {retriedWords[word] ?? retriedWords['now']}
    </Announcement>
  );
}

const retriedWords: Readonly<Record<string, string>> = {
  now: 'Another attempt is running. Its answer will appear below.',
  ended: 'The delivery has ended meanwhile: there is nothing left to send.',
  unasked:
    'Nothing was sent: the channel has no webhook, its endpoint is disabled, or this event is no longer selected there. Set it there first.',
};

async function retry(context: SignedInContext): Promise<void> {
  await readForm(context);
  const [channelId, id] = [idIn(context, 'channel_id'), idIn(context, 'delivery_id')];
  const word = await retryIfPossible(context, channelId, id);
  sendRedirect(context.response, `${deliveryPath({ channelId, id })}?retried=${word}`);
}

async function retryIfPossible(
  context: SignedInContext,
  channelId: string,
  deliveryId: string,
): Promise<string> {
  try {
    await retryDelivery(context.world, context.actor(), channelId, deliveryId);
    return 'now';
  } catch (thrown) {
    if (!(thrown instanceof Fault) || thrown.code !== 'conflict') throw thrown;
    const { channel, delivery } = await readDelivery(context.world, context.caller, channelId, deliveryId);
    const isAsked = channel.webhookUrl !== null && channel.webhookEvents?.includes(delivery.event) === true;
    return isAsked ? 'ended' : 'unasked';
  }
}

export const deliveryLog = [
  signedInPage({ get: path, name: 'deliveryPage', open: show }),
  signedInPage({ post: `${path}/retry`, may: 'developer', name: 'retryOwnDelivery', open: retry }),
  leadBack(`${path}/retry`, (context) =>
    deliveryPath({ channelId: idIn(context, 'channel_id'), id: idIn(context, 'delivery_id') }),
  ),
];
