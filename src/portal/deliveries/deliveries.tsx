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
import { idIn, signedInPage } from '../session/pages.ts';
import type { SignedInDesk } from '../session/pages.ts';
import { answerShell } from '../shell.tsx';
import { Entry } from './entry.tsx';

const path = '/portal/deliveries';

async function show(desk: SignedInDesk): Promise<void> {
  const choice = await chosenChannel(desk);
  answerShell(desk, {
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
          await log(desk, choice, choice.chosen)
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

async function log(desk: SignedInDesk, choice: ChosenChannel, chosen: ChannelWithLicence): Promise<VNode> {
  const { channel } = chosen;
  const filter = filterIn(desk.query, chosen);
  const page = pageIn(desk.query);
  const found = await desk.useCases.listDeliveries(desk.caller, channel.id, filter, page);
  const events = kindOf(channel.channelType).availableEvents;
  const here = new URLSearchParams({
    channel: channel.id,
    event: filter.event ?? '',
    state: filter.state ?? '',
  });
  const asked = desk.query.get('retried');
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
      <Retried result={asked} word={desk.query.get('because')} />
      {found.items.map((delivery) => (
        <Entry delivery={delivery} now={desk.clock.now()} csrf={desk.csrf} isOpen={delivery.id === asked} />
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
    return <Empty>None fits. Choose another event or state.</Empty>;
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

async function retry(desk: SignedInDesk): Promise<void> {
  await readForm(desk);
  const [channelId, deliveryId] = [idIn(desk, 'channel_id'), idIn(desk, 'delivery_id')];
  const isUnderWay = await retryUnlessEnded(desk, channelId, deliveryId);
  const because = isUnderWay ? '' : '&because=ended';
  sendRedirect(desk.response, `${path}?channel=${channelId}&retried=${deliveryId}${because}#d-${deliveryId}`);
}

async function retryUnlessEnded(desk: SignedInDesk, channelId: string, deliveryId: string): Promise<boolean> {
  try {
    await desk.useCases.retryDelivery(desk.actor(), channelId, deliveryId);
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
    path: '/portal/channels/{channel_id}/deliveries/{delivery_id}/retry',
    name: 'retryOwnDelivery',
    summary: 'Another attempt now',
    open: retry,
  }),
];
