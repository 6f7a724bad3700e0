/**
 * Deliveries created since a live-feed subscriber disconnected, read from the delivery log, which is the same on every node. Read page
 * by page, so that a week of deliveries is never in memory. [operator-interface §4, live feed after a reconnect]
 */
import type { WaitingDelivery } from './logged.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { envelopeIn } from '../../rules/events/built.ts';
import type { Envelope } from '../../rules/events/built.ts';
import { testEvent } from '../../rules/events/table.ts';
import type { EventType } from '../../rules/events/table.ts';
import { signaturesOf } from '../../rules/webhooks/signature.ts';
import type { Signatures } from '../../rules/webhooks/signature.ts';
import { changesReceiver } from '../default-webhook/index.ts';
import type { World } from '../world.ts';
import type { PagePosition } from '../../kernel/paging.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';

/** Clocks of nodes differ, and a delivery is stored a little before it is published. Subscribers drop duplicates by id. */
const overlapMs = 60_000;
/** Deliveries created later than this are published live. */
const beyondMs = 5_000;
const channelsPerPage = 100;
const deliveriesPerPage = 100;

/** Channel by channel, oldest first within each. Throws StoreUnavailable. */
export async function* missedEvents(
  world: World,
  accountId: string,
  since: number,
): AsyncGenerator<readonly MissedEvent[]> {
  const now = world.clock.now();
  const from = Math.max(since - overlapMs, now - world.settings.deliveryLogMs);
  let cursor: PagePosition | null = null;
  do {
    const page = await world.stores.channels.list(accountId, { limit: channelsPerPage, cursor });
    for (const channel of page.items) yield* listMissed(world, channel, from, now + beyondMs);
    cursor = page.nextCursor;
  } while (cursor !== null);
}

async function* listMissed(
  world: World,
  channel: Channel,
  from: number,
  until: number,
): AsyncGenerator<readonly MissedEvent[]> {
  const { id: channelId, accountId } = channel;
  let receiver: Receiver | null = null;
  let place: PagePosition = { createdAt: from, id: '' };
  for (;;) {
    const found = await world.stores.deliveryLog.after({
      accountId,
      channelId,
      place,
      limit: deliveriesPerPage,
    });
    const made = found.filter(({ createdAt }) => createdAt <= until);
    if (made.some(({ payload }) => payload !== null)) receiver ??= await receiverOf(world, channel);
    const events = made.flatMap((delivery) => missedEvent(world, receiver ?? channel, delivery));
    if (events.length > 0) yield events;
    const last = made.at(-1);
    if (last === undefined || made.length < deliveriesPerPage) return;
    place = { createdAt: last.createdAt, id: last.id };
  }
}

type Receiver = Pick<Channel, 'id' | 'channelType' | 'webhookSecret'>;

/** Changes of a channel without a webhook go to the account's default, signed with its secret. */
async function receiverOf(world: World, channel: Channel): Promise<Receiver> {
  if (channel.webhookUrl !== null) return channel;
  const { webhookSecret } = (await changesReceiver(world, channel)) ?? channel;
  return { ...channel, webhookSecret };
}

/** Empty for a webhook test: the feed does not publish tests. */
function missedEvent(world: World, receiver: Receiver, delivery: WaitingDelivery): MissedEvent[] {
  const { id: deliveryId, channelId, event, messageId, state, createdAt } = delivery;
  if (event === testEvent) return [];
  const { channelType } = receiver;
  const content = contentOf(world, receiver, delivery);
  return [{ deliveryId, channelId, channelType, event, messageId, state, createdAt, content }];
}

/** Signed with the receiver's present secret, as the next attempt will be. */
function contentOf(
  { sealer, clock }: World,
  { id, webhookSecret }: Receiver,
  delivery: WaitingDelivery,
): MissedEvent['content'] {
  if (delivery.payload === null) return null;
  try {
    const bytes = sealer.open(delivery.payload, sealContext.delivery(id, delivery.id));
    const envelope = envelopeIn(bytes);
    if (envelope === null) return null;
    if (webhookSecret === null) return { envelope, signatures: null };
    const secret = sealer.openText(webhookSecret, sealContext.webhookSecret(id));
    const timestamp = Math.floor(clock.wall() / 1_000);
    const parts = { deliveryId: delivery.id, timestamp, body: bytes };
    return { envelope, signatures: signaturesOf(secret, parts) };
  } catch {
    return null; // its key is no longer configured
  }
}

/** A delivery that was created while a subscriber of the live feed was disconnected: the feed replays it. */
export interface MissedEvent {
  deliveryId: string;
  channelId: string;
  channelType: ChannelType;
  event: EventType;
  messageId: string;
  state: Delivery['state'];
  createdAt: number;
  /** The event, while its delivery is pending; null: erased with the outcome. [spec: Payload storage] */
  content: { envelope: Envelope; signatures: Signatures | null } | null;
}
