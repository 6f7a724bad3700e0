/**
 * Quarantine of work that crashed the nodes which handled it, for operators: messages with files to fetch, events to deliver, facts
 * for an owner. Sealed, because they contain message text. [faults: 102, 151, 152]
 */
import type { Stores } from '../stores.ts';
import type { Actor } from '../../rules/caller.ts';
import { sealContext } from '../../kernel/sealed.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelEvent, Envelope } from '../../rules/events/built.ts';
import type { ChannelFact, InboundMessage } from '../../rules/messages/facts.ts';
import { fault } from '../../kernel/faults.ts';
import { idFrom } from '../../kernel/ids.ts';
import { audit } from '../audit/index.ts';
import type { Snapshot } from '../audit/index.ts';
import type { World, WorldParts } from '../world.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';
import type { QuarantinedItem } from './entity.ts';

interface Item {
  channel: Channel;
  id: string;
  tries: number;
}

interface Files extends Item {
  kind: 'files';
  fact: InboundMessage;
}

interface Delivery extends Item {
  kind: 'delivery';
  ownerId: string;
  event: ChannelEvent['event'];
  messageId: string;
  requestId: string | null;
  body: string;
}

interface Facts extends Item {
  kind: 'facts';
  facts: ChannelFact[];
}

type QuarantineWorld = Pick<WorldParts, 'sealer' | 'clock' | 'log' | 'counters'> & {
  stores: Pick<Stores, 'quarantine'>;
};

/** An emitted event without its channel. */
type EmittedEvent = Pick<ChannelEvent, 'event' | 'messageId' | 'requestId'> & {
  body: string;
  /** Absent: the channel. */
  ownerId?: string;
};

/** Stores the item, sealed, for operators to retry or drop. Throws StoreUnavailable. */
export async function quarantine(
  { stores, sealer, clock, log, counters }: QuarantineWorld,
  item: Files | Delivery | Facts,
): Promise<void> {
  const { kind, channel, tries } = item;
  const { id: channelId, accountId, channelType, identity } = channel;
  const id = idFrom('aside', item.id);
  const now = clock.now();
  const { shape, kept } = describeItem(item);
  await stores.quarantine.add([
    {
      id,
      reason: 'ended_node',
      channelType,
      channelId,
      accountId,
      identity,
      kind,
      shape,
      times: tries,
      createdAt: now,
      lastSeenAt: now,
      sealed: sealer.sealText(JSON.stringify(kept), sealContext.quarantined(channelId, id)),
    },
  ]);
  counters.increment('quarantined_total', { kind });
  log.error({ channel: channelId, quarantined: id, tries, kind }, 'quarantine.put-aside');
}

function describeItem(item: Files | Delivery | Facts): {
  shape: string;
  kept: InboundMessage | ChannelFact[] | EmittedEvent;
} {
  if (item.kind === 'facts')
    return { shape: [...new Set(item.facts.map(({ kind }) => kind))].join(', '), kept: item.facts };
  if (item.kind === 'files')
    return { shape: item.fact.parts.map(({ type }) => type).join(', '), kept: item.fact };
  const { event, messageId, requestId, body, ownerId } = item;
  return {
    shape: event,
    kept: { event, messageId, body, ownerId, ...(requestId === null ? {} : { requestId }) },
  };
}

/** Throws 404 `not_found`. */
export async function dropQuarantined(world: World, by: Actor | undefined, id: string): Promise<void> {
  const dropped = await world.stores.quarantine.drop(id);
  if (dropped === null) throw noSuchItem();
  await audit(world, by, 'put-aside.dropped', snapshotOf(dropped), null);
}

function snapshotOf({ id, accountId, reason, kind, channelId, times }: QuarantinedItem): Snapshot {
  return { accountId, subject: id, shown: { reason, kind, channel_id: channelId, times } };
}

/**
 * Processes the item again, with files and events; concurrent calls have one effect. Throws 404 `not_found`, 400 `bad_request` for an item
 * that is only a shape, 409 `conflict` while nobody would get it: then the item stays.
 */
export async function retryQuarantined(world: World, by: Actor | undefined, id: string): Promise<void> {
  const { stores, sealer, router } = world;
  const item = await stores.quarantine.find(id);
  if (item === null) throw noSuchItem();
  const { channelId, text } = openedItem(sealer, item);
  const again = item.lastSeenAt;
  if (item.kind === 'files') {
    const fact: InboundMessage = JSON.parse(text);
    await giveAll(router, channelId, [{ ...fact, again }]);
  } else if (item.kind === 'facts') {
    await giveAll(router, channelId, JSON.parse(text));
  } else {
    const { ownerId = channelId, ...event }: EmittedEvent = JSON.parse(text);
    await router.ask(ownerId, { type: 'emit', told: readEvent(event, again) });
  }
  await stores.quarantine.drop(id);
  await audit(world, by, 'put-aside.tried-again', snapshotOf(item), null);
}

/** Facts that were taken before have no second effect. */
async function giveAll(router: World['router'], channelId: string, facts: ChannelFact[]): Promise<void> {
  const { dropped } = await router.ask(channelId, { type: 'take-facts', facts });
  if (dropped > 0)
    throw fault('conflict', {
      why: 'The channel receives nothing: it is inactive, or its licence is not active',
    });
}

function openedItem(
  sealer: World['sealer'],
  { id, channelId, sealed }: QuarantinedItem,
): { channelId: string; text: string } {
  if (channelId === null || sealed === null)
    throw fault('bad_request', {
      why: 'Only the shape of this item is stored: there is nothing to retry',
    });
  return { channelId, text: sealer.openText(sealed, sealContext.quarantined(channelId, id)) };
}

function readEvent({ body, ...event }: EmittedEvent, again: number): ChannelEvent {
  const { timestamp, data }: Envelope = JSON.parse(body);
  return { ...event, at: Date.parse(timestamp), data, again };
}

function noSuchItem() {
  return fault('not_found', { what: 'Quarantined item' });
}

/** Writes this node's buffer first, so that the list includes it. */
export async function listQuarantine(world: World, page: PageRequest): Promise<Page<QuarantinedItem>> {
  await world.quarantine.flush();
  return world.stores.quarantine.list(page);
}
