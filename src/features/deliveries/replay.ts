/** New attempts of a delivery, and of all that were given up in a time range. */
import { testEvent } from '../../rules/events/table.ts';
import { fault } from '../../kernel/faults.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { newId } from '../../kernel/ids.ts';
import { readById } from '../../kernel/paging.ts';
import { auditReplay, auditRetry } from './audited.ts';
import type { AskedReplay, ReplayProgress } from './types.ts';
import { findChannel, keptUntil } from '../channels/index.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { KeptFilter } from '../../storage/kept-deliveries.ts';
import type { Replay } from './entity.ts';

/**
 * Lets the channel's owner make one attempt now; resolves once it has started. A kept given-up delivery gets a full set of attempts.
 * Throws 404 `not_found`; 409 `conflict` once the payload is erased. [spec: Payload storage; operator-interface §4]
 */
export async function retryDelivery(
  world: World,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<void> {
  await retryOne(world, caller, channelId, deliveryId);
  const { accountId } = caller;
  const done = { accountId, subject: deliveryId, shown: { channel_id: channelId } };
  await auditRetry(world, caller, 'delivery.tried-again', done);
}

/** As `retryDelivery`, without an entry in the audit log. */
export async function retryOne(
  world: World,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<void> {
  const { accountId } = caller;
  const [channel, found] = await Promise.all([
    findChannel(world, caller, channelId),
    world.stores.deliveryLog.find({ accountId, channelId, id: deliveryId }),
  ]);
  if (found === null) throw fault('not_found', { what: 'Delivery' });
  const { id, event, messageId, requestId, keptSince, ...tried } = found;
  if (event === testEvent) throw fault('conflict', { why: 'A test event is not retried: send another test' });
  const isKept = keptUntil(channel, found.keptSince) !== null;
  if (found.state !== 'pending' && !isKept) {
    const why = `The delivery is ${found.state}; its payload was erased with the outcome, so it can not be sent again`;
    throw fault('conflict', { why });
  }
  const { attempts, firstTriedAt, nextDueAt, attemptLog, createdAt } = tried;
  const counts = { attempts, claims: 0, firstTriedAt, nextDueAt, attemptLog, createdAt };
  const delivery = { id, event, messageId, requestId, ...counts };
  const kept = keptSince === null ? {} : { keptSince };
  const owner = ownerOf(channelId, found.endpointId);
  await world.router.ask(owner, { type: 'retry-delivery', delivery, ...kept });
}

/** Each is a few bytes; only a client in a loop opens more. */
const maxOpen = 20;

/**
 * Posts kept given-up deliveries of the time range again: same ids, a full set of attempts, in event order. Returns their number
 * once the replay is durable; the channel's owner, on whatever node, then works through it. A delivery that is given up again is not
 * repeated by the same replay. Throws 404 `not_found`, 409 `conflict`. [operator-interface §3: Additive paths]
 */
export async function replayDeliveries(
  world: World,
  caller: Caller,
  channelId: string,
  asked: AskedReplay,
): Promise<{ replaying: number }> {
  const { replaying } = await replayOne(world, caller, channelId, asked);
  await auditReplay(world, caller, channelId, { ...asked, begun: replaying });
  return { replaying };
}

/** As `replayDeliveries`, without an entry in the audit log. */
export async function replayOne(
  world: World,
  caller: Caller,
  channelId: string,
  asked: AskedReplay,
): Promise<{ replaying: number }> {
  const channel = await findChannel(world, caller, channelId);
  const { endpointId = null } = asked;
  const to = { channel, endpointId };
  await requireReceiver(world, to);
  const which = replayedUntilNow(world, asked);
  const replaying = await world.searches.run(caller.accountId, () =>
    world.stores.keptDeliveries.count(ownerOf(channelId, endpointId), which),
  );
  if (replaying > 0) await beginReplay(world, to, which, replaying);
  return { replaying };
}

/** Whose kept deliveries are replayed. */
export interface Replayed {
  channel: Channel;
  /** null: the channel's own. */
  endpointId: string | null;
}

/** What fails from now on is not replayed. */
export function replayedUntilNow(
  { clock }: Pick<World, 'clock'>,
  { since, until, events }: AskedReplay,
): KeptFilter {
  const now = clock.now();
  return { since, until: Math.min(until ?? now, now), events };
}

/** Throws 409 `conflict` if nothing can be posted, 404 `not_found` for an endpoint that is none of the channel. */
async function requireReceiver(
  { stores }: Pick<World, 'stores'>,
  { channel: { id, webhookUrl, webhookEvents }, endpointId }: Replayed,
): Promise<void> {
  if (endpointId === null) {
    if (webhookUrl !== null && (webhookEvents ?? []).length > 0) return;
    throw fault('conflict', {
      why: 'The channel has no webhook_url or no webhook_events: no event can be delivered',
    });
  }
  const endpoint = await stores.endpoints.ofOwner(endpointId, id);
  if (endpoint === null) throw fault('not_found', { what: 'Endpoint' });
  if (endpoint.disabledAt !== null || endpoint.events.length === 0)
    throw fault('conflict', { why: 'The endpoint is disabled or has no events: no event can be delivered' });
}

/** Of `total` kept deliveries; resolves once it is durable. Throws 409 `conflict`. */
export async function beginReplay(
  { stores, clock, router }: Pick<World, 'stores' | 'clock' | 'router'>,
  to: Replayed,
  which: KeptFilter,
  total: number,
): Promise<void> {
  await requireReceiver({ stores }, to);
  const { accountId } = to.channel;
  const channelId = ownerOf(to.channel.id, to.endpointId);
  const now = clock.now();
  const asked = { total, createdAt: now, openSince: now };
  if (!(await stores.replays.begin({ id: newId(), channelId, accountId, ...which, ...asked }, maxOpen)))
    throw fault('conflict', {
      why: `${maxOpen} replays of the channel are running: wait until one has ended`,
    });
  router.tell(channelId, { type: 'replay' });
}

/** Progress of the last replay; null if there is none within the log's retention. Throws 404 `not_found`. */
export async function replayProgress(
  world: World,
  caller: Caller,
  channelId: string,
  endpointId: string | null,
): Promise<ReplayProgress | null> {
  await findChannel(world, caller, channelId);
  const { accountId } = caller;
  const { keptDeliveries, replays } = world.stores;
  const replay = await replays.latest({ channelId: ownerOf(channelId, endpointId), accountId });
  if (replay === null) return null;
  return world.searches.run(accountId, () => progressOf({ keptDeliveries }, replay));
}

export async function progressOf(
  { keptDeliveries }: Pick<World['stores'], 'keptDeliveries'>,
  replay: Replay,
): Promise<ReplayProgress> {
  const { channelId, total, openSince, createdAt } = replay;
  const left = openSince === null ? 0 : await keptDeliveries.count(channelId, replay);
  return { total, begun: Math.max(0, total - left), isRunning: openSince !== null, askedAt: createdAt };
}

/** Tells the present owners of open replays that another owner may have begun. */
export async function resumeReplays({ stores, router }: Pick<World, 'stores' | 'router'>): Promise<void> {
  const channelIds = readById((after, limit) => stores.replays.channels(after, limit));
  for await (const channelId of channelIds) router.tell(channelId, { type: 'replay' });
}
