import type { VNode } from 'preact';
import { kindOf } from '../../domain/channels/kinds.ts';
import { deliveryStates } from '../../domain/webhooks/delivery.ts';
import { sendRedirect } from '../../http/answers.ts';
import { Fault } from '../../kernel/faults.ts';
import type { ChannelWithLicence, DeliveryFilter } from '../../use-cases/index.ts';
import { chosenChannel } from '../channels/chosen.ts';
import type { ChosenChannel } from '../channels/chosen.ts';
import { Choice } from '../forms/choice.tsx';
import { readForm } from '../forms/read-form.ts';
import { Empty, More, pageIn } from '../parts.tsx';
import { idIn, leadBack, signedInPage } from '../session/pages.ts';
import type { SignedInContext } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import { Entry } from './entry.tsx';

const path = '/portal/deliveries';

async function show(context: SignedInContext): Promise<void> {
  const choice = await chosenChannel(context);
  answerShell(context, {
    title: 'Deliveries',
    at: path,
    children: (
      <>
        <h1>Deliveries</h1>
        {choice.chosen === null ? (
          <Empty>
            <p>Deliveries belong to a channel, and there is none yet.</p>
            <a class="button" href="/portal/channels">
              Connect a channel
            </a>
          </Empty>
        ) : (
          await log(context, choice, choice.chosen)
        )}
      </>
    ),
  });
}

/** What the address asks for; a word that is none of ours asks for nothing. */
function filterIn(query: URLSearchParams, { channel }: ChannelWithLicence): DeliveryFilter {
  const events = kindOf(channel.channelType).availableEvents;
  return {
    event: events.find((each) => each === query.get('event')) ?? null,
    state: deliveryStates.find((each) => each === query.get('state')) ?? null,
  };
}

async function log(
  context: SignedInContext,
  choice: ChosenChannel,
  chosen: ChannelWithLicence,
): Promise<VNode> {
  const { channel } = chosen;
  const filter = filterIn(context.query, chosen);
  const page = pageIn(context.query);
  const found = await context.useCases.listDeliveries(context.caller, channel.id, filter, page);
  const events = kindOf(channel.channelType).availableEvents;
  const here = new URLSearchParams({
    channel: channel.id,
    event: filter.event ?? '',
    state: filter.state ?? '',
  });
  const asked = context.query.get('retried');
  return (
    <>
      <form method="get" action={path} class="inline filter">
        <Choice name="channel" label="Channel" options={choice.options} chosen={channel.id} />
        <Choice
          name="event"
          label="Event"
          options={[['', 'any event'], ...events.map((each) => [each, each] as const)]}
          chosen={filter.event ?? ''}
        />
        <Choice
          name="state"
          label="State"
          options={[['', 'any state'], ...deliveryStates.map((each) => [each, each] as const)]}
          chosen={filter.state ?? ''}
        />
        <button class="quiet">Show</button>
      </form>
      <Retried result={asked} word={context.query.get('because')} />
      {found.items.map((delivery) => (
        <Entry
          delivery={delivery}
          now={context.clock.now()}
          csrf={context.csrf}
          isOpen={delivery.id === asked}
        />
      ))}
      {found.items.length > 0 ? null : (
        <None filter={filter} chosen={chosen} goesOn={found.nextCursor !== null} />
      )}
      <More path={`${path}?${here}`} page={page} next={found.nextCursor} />
    </>
  );
}

function Retried({ result, word }: { result: string | null; word: string | null }): VNode | null {
  if (result === null) return null;
  const words =
    word === 'ended'
      ? 'That delivery has ended meanwhile: there is nothing left to send.'
      : 'Another attempt is under way. Load the page again to see its answer.';
  return (
    <p class="note" role="status">
      {words}
    </p>
  );
}

interface NoneProps {
  filter: DeliveryFilter;
  chosen: ChannelWithLicence;
  /** One page looks at a bounded part of the log. */
  goesOn: boolean;
}

function None({ filter, chosen: { channel }, goesOn }: NoneProps): VNode {
  if (goesOn) return <Empty>None among the newest deliveries. The next page looks further back.</Empty>;
  if (filter.event !== null || filter.state !== null)
    return <Empty>No deliveries match. Choose another event or state.</Empty>;
  const isSet = channel.webhookUrl !== null && (channel.webhookEvents ?? []).length > 0;
  return (
    <Empty>
      <p>
        {isSet
          ? 'No delivery yet. Each event that is POSTed to your receiver will stand here, with every attempt.'
          : 'Nothing is delivered: this channel has no webhook yet.'}
      </p>
      <a class="button" href={`/portal/channels/${channel.id}${isSet ? '#send' : '#webhook'}`}>
        {isSet ? 'Send a message' : 'Set a webhook'}
      </a>
    </Empty>
  );
}

async function retry(context: SignedInContext): Promise<void> {
  await readForm(context);
  const [channelId, deliveryId] = [idIn(context, 'channel_id'), idIn(context, 'delivery_id')];
  const isUnderWay = await retryUnlessEnded(context, channelId, deliveryId);
  const because = isUnderWay ? '' : '&because=ended';
  sendRedirect(
    context.response,
    `${path}?channel=${channelId}&retried=${deliveryId}${because}#d-${deliveryId}`,
  );
}

async function retryUnlessEnded(
  context: SignedInContext,
  channelId: string,
  deliveryId: string,
): Promise<boolean> {
  try {
    await context.useCases.retryDelivery(context.actor(), channelId, deliveryId);
    return true;
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code === 'conflict') return false;
    throw thrown;
  }
}

/** [operator-interface §2, DELIVERY_LOG_DAYS] */
export const deliveryPages = [
  signedInPage({ method: 'get', path, name: 'deliveriesPage', summary: 'Deliveries', open: show }),
  signedInPage({
    method: 'post',
    may: 'developer',
    path: '/portal/channels/{channel_id}/deliveries/{delivery_id}/retry',
    name: 'retryOwnDelivery',
    summary: 'Another attempt now',
    open: retry,
  }),
  leadBack(
    '/portal/channels/{channel_id}/deliveries/{delivery_id}/retry',
    (context) => `${path}?channel=${idIn(context, 'channel_id')}`,
  ),
];
