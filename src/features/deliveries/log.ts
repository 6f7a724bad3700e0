/** The delivery log of one channel: its list, and one delivery in full. */
import { maxFailedRetentionDays } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import { defaultLimit } from '../../kernel/paging.ts';
import type { Page, PageRequest, TwoWayPageRequest } from '../../kernel/paging.ts';
import type { DeliveryFilter, ShownDelivery, ExaminedDelivery } from './types.ts';
import { sealContext } from '../../kernel/sealed.ts';
import { redactContent } from '../../rules/events/redact-content.ts';
import { ownerOf } from '../../rules/webhooks/endpoints.ts';
import { parseAttempts } from '../../rules/webhooks/delivery.ts';
import { dayMs } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { DeliveryLogQuery } from './log-pages.ts';
import type { LoggedDelivery, WaitingDelivery } from './logged.ts';
import { findChannel, keptUntil } from '../channels/index.ts';

/** One day more than the retention, because a delivery is given up some time after its creation. */
const maxKeptMs = (maxFailedRetentionDays + 1) * dayMs;

/**
 * Newest first, within the log's retention; `failed` also lists older deliveries with a kept payload. Throws 404 `not_found`, also
 * for an endpoint that the channel has not, unless its log is still there.
 * [operator-interface §2, DELIVERY_LOG_DAYS]
 */
export async function listDeliveries(
  world: World,
  caller: Caller,
  channelId: string,
  filter: DeliveryFilter,
  { limit, cursor }: PageRequest,
): Promise<Page<ShownDelivery>> {
  const channel = await findChannel(world, caller, channelId);
  const page = { limit: limit ?? defaultLimit, cursor };
  const question = { ...filter, since: null, until: null };
  const { endpointId = null } = filter;
  const where = { accountId: caller.accountId, channelId, endpointId };
  const read = (asked: DeliveryQuestion, from: typeof page): Promise<Page<LoggedDelivery>> =>
    world.searches.run(caller.accountId, () => readLog(world, where, asked, { ...from, isBack: false }));
  const { items, nextCursor } = await read(question, page);
  if (items.length === 0 && endpointId !== null && cursor === null && nextCursor === null) {
    const any = await read(allOfIt, { limit: 1, cursor: null });
    if (any.items.length === 0) await requireEndpoint(world, channelId, endpointId);
  }
  return { items: items.flatMap((delivery) => showLogged(world, channel, delivery)), nextCursor };
}

/** Asked for an empty log alone, so that the log of an endpoint that was removed stays readable. */
async function requireEndpoint(
  { stores }: Pick<World, 'stores'>,
  channelId: string,
  endpointId: string,
): Promise<void> {
  if ((await stores.endpoints.ofOwner(endpointId, channelId)) === null)
    throw fault('not_found', { what: 'Endpoint' });
}

/** Created from `since` on and before `until` (ms); null: no bound. */
export interface DeliveryQuestion extends DeliveryFilter {
  since: number | null;
  until: number | null;
}

const allOfIt: DeliveryQuestion = { event: null, state: null, since: null, until: null };

type LogWorld = Pick<World, 'stores' | 'clock' | 'settings'>;

/** A page of a channel's log or, if `channelId` is null, of the account's, in the page's direction. */
export function readLog(
  { stores, clock, settings }: LogWorld,
  where: Pick<DeliveryLogQuery, 'accountId' | 'channelId' | 'endpointId'>,
  { event, state, since, until }: DeliveryQuestion,
  page: TwoWayPageRequest,
  lookAt?: number,
): Promise<Page<LoggedDelivery>> {
  const now = clock.now();
  const logged = now - settings.deliveryLogMs;
  const oldest = state === 'failed' ? Math.min(logged, now - maxKeptMs) : logged;
  const times = { since: Math.max(since ?? oldest, oldest), until };
  return stores.deliveryLog.list({ ...where, ...times, event, state, page, lookAt });
}

/** Without a failed delivery that the log outlived and whose payload is not kept. */
export function showLogged(
  { clock, settings }: Pick<LogWorld, 'clock' | 'settings'>,
  channel: Channel,
  delivery: LoggedDelivery,
): ShownDelivery[] {
  const shown = showDelivery(channel, delivery);
  const isShown = shown.createdAt >= clock.now() - settings.deliveryLogMs || shown.keptUntil !== null;
  return isShown ? [shown] : [];
}

/** `channel` null: it was deleted. */
export function showDelivery(channel: Channel | null, delivery: LoggedDelivery): ShownDelivery {
  const until = channel === null ? null : keptUntil(channel, delivery.keptSince);
  return { ...delivery, keptUntil: until };
}

/**
 * One delivery with the transcripts of its attempts and, while its payload is kept, its event without message text.
 * Throws 404 `not_found`. [portal: Deliveries]
 */
export async function readDelivery(
  world: World,
  caller: Caller,
  channelId: string,
  deliveryId: string,
): Promise<ExaminedDelivery> {
  const which = { accountId: caller.accountId, channelId };
  const [channel, found] = await Promise.all([
    findChannel(world, caller, channelId),
    world.stores.deliveryLog.whole({ ...which, id: deliveryId }),
  ]);
  if (found === null) throw fault('not_found', { what: 'Delivery' });
  const { payload, ...logged } = found;
  const delivery = showDelivery(channel, logged);
  const owner = { accountId: caller.accountId, channelId: ownerOf(channelId, logged.endpointId) };
  const transcripts = await world.transcripts.ofDelivery({ ...owner, deliveryId });
  const attempts = parseAttempts(logged.attemptLog).map((attempt) => ({
    ...attempt,
    transcript: transcripts.get(attempt.at) ?? null,
  }));
  const isKept = delivery.state === 'pending' || delivery.keptUntil !== null;
  const body = isKept ? bodyOf(world, { payload, ...logged }) : null;
  return {
    channel: await receiverOf(world, channel, logged.endpointId),
    delivery,
    attempts,
    maxAttempts: maxAttempts(world),
    body,
  };
}

/** The channel with the address and events of the endpoint, if the delivery is for one; a disabled one takes no events. */
async function receiverOf({ stores }: World, channel: Channel, endpointId: string | null): Promise<Channel> {
  if (endpointId === null) return channel;
  const endpoint = await stores.endpoints.ofOwner(endpointId, channel.id);
  const events = endpoint === null || endpoint.disabledAt !== null ? null : endpoint.events;
  return { ...channel, webhookUrl: endpoint?.url ?? null, webhookEvents: events };
}

function bodyOf({ sealer }: World, { id, channelId, endpointId, payload }: WaitingDelivery): string | null {
  if (payload === null) return null;
  try {
    return redactContent(sealer.open(payload, sealContext.delivery(ownerOf(channelId, endpointId), id)));
  } catch {
    return null; // its key is no longer configured
  }
}

/** Attempts after which a delivery is given up. */
export function maxAttempts({ settings }: World): number {
  return settings.webhookRetryDelaysMs.length + 1;
}
