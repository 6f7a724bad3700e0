/**
 * Effects meet the world: each runs through a port, each result comes back as another message. Effects start in list order
 * and the store keeps that order per channel; inside one effect, persist comes before act: a claim that is not on record
 * stops before the call. [architecture §2.1, §5]
 */
import type { BuiltEvent } from '../../src/domain/events/index.ts';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import type { Clock } from '../runtime/ports.ts';
import type { Work } from '../runtime/actor.ts';
import type { Log } from '../../src/kernel/log.ts';
import { FencedError, asError, fault } from '../../src/kernel/faults.ts';
import type { ChannelEffect } from './effects.ts';
import { isEnabled } from './events.ts';
import type { ChannelMessage } from './messages.ts';
import type {
  ChannelSettings,
  ChannelStore,
  LiveFeed,
  PendingDelivery,
  Sealer,
  Upstream,
  WebhookPoster,
  Write,
  WriteResult,
} from './ports.ts';
import { bounds } from './state.ts';

export interface ChannelWorld {
  store: ChannelStore;
  upstream: Upstream;
  webhooks: WebhookPoster;
  sealer: Sealer;
  live: LiveFeed;
  clock: Clock;
  log: Log;
}

type ChannelWork = Work<ChannelMessage>;
type Of<E extends ChannelEffect['effect']> = Extract<ChannelEffect, { effect: E }>;

export async function perform(
  world: ChannelWorld,
  effects: readonly ChannelEffect[],
  work: ChannelWork,
): Promise<void> {
  const started: Promise<void>[] = [];
  for (const effect of effects) {
    // A look-up must see what the effects before it wrote; everything else need not wait for its predecessor.
    if (effect.effect === 'resolve-facts') await Promise.all(started);
    const pending = run(world, effect, work);
    if (pending !== undefined) started.push(pending);
  }
  await Promise.all(started);
}

function run(world: ChannelWorld, effect: ChannelEffect, work: ChannelWork): Promise<void> | undefined {
  switch (effect.effect) {
    case 'claim-and-call':
      return claimAndCall(world, effect, work);
    case 'record':
      return record(world, effect, work);
    case 'resolve-facts':
      return resolveFacts(world, effect, work);
    case 'commit-facts':
      return commitFacts(world, effect, work);
    case 'post-webhook':
      return postWebhook(world, effect, work);
    case 'load-deliveries':
      return loadDeliveries(world, effect, work);
    case 'load-settings':
      return loadSettings(world, effect, work);
    case 'reply':
      work.answer(effect.ask, effect.reply);
      return undefined;
    case 'refuse':
      work.refuse(effect.ask, fault(effect.code, effect.facts));
      return undefined;
    case 'log':
      world.log.info(effect.fields, effect.event);
      return undefined;
  }
}

/** The claim is awaited, the call is not: it feeds its own result. */
async function claimAndCall(
  world: ChannelWorld,
  effect: Of<'claim-and-call'>,
  work: ChannelWork,
): Promise<void> {
  const { send, settings, timeoutMs } = effect;
  const { messageId } = send;
  const write = claimOf(world, effect, work);
  let result: WriteResult | undefined;
  try {
    [result] = await world.store.commit(work.key, work.lease.epoch, [write]);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    world.log.warn({ channel: work.key, message: messageId, error: asError(error) }, 'send.claim-failed');
    work.feed({ type: 'claim-failed', messageId });
    return;
  }
  if (result?.applied !== true) {
    work.feed({ type: 'claim-lost', messageId });
    return;
  }
  const attempt = send.tries;
  if (!work.lease.isValid()) {
    const outcome = {
      outcome: 'deferred',
      error: 'The channel is moving',
      errorCode: null,
      pause: 'none',
    } as const;
    work.feed({ type: 'send-result', messageId, attempt, outcome });
    return;
  }
  void world.upstream
    .send({
      channel: settings.channel,
      messageId,
      recipient: send.recipient,
      content: send.content,
      timeoutMs,
    })
    .then((outcome) => work.feed({ type: 'send-result', messageId, attempt, outcome }));
}

function claimOf(
  { sealer }: ChannelWorld,
  { send, first, settings }: Of<'claim-and-call'>,
  work: ChannelWork,
): Write {
  const { messageId, recipient, attemptedAt, copies, tries } = send;
  if (!first) {
    return { write: 'claimCopy', messageId, expect: { copies: copies - 1, tries: tries - 1 }, attemptedAt };
  }
  const { id: channelId, accountId, channelType } = settings.channel;
  const content = sealer.seal(
    Buffer.from(JSON.stringify(send.content)),
    sealContext.content(channelId, messageId),
  );
  return {
    write: 'insertMessage',
    message: {
      id: messageId,
      channelId,
      accountId,
      channelType,
      origin: 'service',
      recipient,
      content,
      state: 'sending',
      rank: 0,
      deliveryFailed: false,
      copies,
      tries,
      attemptedAt,
      nextTryAt: null,
      upstreamIds: [],
      error: null,
      errorCode: null,
      epoch: work.lease.epoch,
      createdAt: send.arrivedAt,
    },
  };
}

async function record(world: ChannelWorld, effect: Of<'record'>, work: ChannelWork): Promise<void> {
  const { writes, events, settings, reply } = effect;
  const outgoing = deliveriesOf(world, events, settings, work);
  const results = await insist(world, work, () => commitWith(world, work, outgoing, writes));
  if (results === null) return;
  if (reply !== null) work.answer(reply.ask, reply.reply);
  announce(world, events, settings);
  feedAdded(outgoing, results, work);
}

/** Deliveries first: were it the other way round, a crash between two writes could raise a status without its event. */
function commitWith(
  { store }: ChannelWorld,
  { key, lease }: ChannelWork,
  outgoing: readonly Outgoing[],
  writes: readonly Write[],
): Promise<WriteResult[]> {
  return store.commit(key, lease.epoch, [...outgoing.map(({ write }) => write), ...writes]);
}

async function resolveFacts(
  world: ChannelWorld,
  effect: Of<'resolve-facts'>,
  work: ChannelWork,
): Promise<void> {
  const { job, ids, upstreamIds, conversations } = effect;
  const pointIds = conversations.flatMap(({ upToUpstreamId }) => upToUpstreamId ?? []);
  try {
    const known = await world.store.findMessages(work.key, {
      ids,
      upstreamIds: [...upstreamIds, ...pointIds],
    });
    const covered = await Promise.all(
      conversations.map(({ recipient, belowRank, upTo, upToUpstreamId, at }) => {
        const point =
          upToUpstreamId === null ? undefined : known.find((m) => m.upstreamIds.includes(upToUpstreamId));
        const query = {
          recipient,
          belowRank,
          upTo: upTo ?? point?.attemptedAt ?? at,
          limit: bounds.readChunk,
        };
        return world.store.findBelowRank(work.key, query);
      }),
    );
    work.feed({ type: 'facts-resolved', job, known, conversations: covered });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    world.log.warn({ channel: work.key, error: asError(error) }, 'facts.lookup-failed');
    work.feed({ type: 'facts-failed', job });
  }
}

async function commitFacts(
  world: ChannelWorld,
  effect: Of<'commit-facts'>,
  work: ChannelWork,
): Promise<void> {
  const { job, writes, events, settings, again } = effect;
  const outgoing = deliveriesOf(world, events, settings, work);
  const commit = (): Promise<WriteResult[]> => commitWith(world, work, outgoing, writes);
  let results: WriteResult[] | null;
  try {
    results = effect.insist ? await insist(world, work, commit) : await commit();
  } catch (error) {
    if (error instanceof FencedError) throw error;
    world.log.warn({ channel: work.key, error: asError(error) }, 'facts.commit-failed');
    work.feed({ type: 'facts-failed', job });
    return;
  }
  if (results === null) return;
  work.feed({ type: 'facts-committed', job, again });
  announce(world, events, settings);
  feedAdded(outgoing, results, work);
}

interface Outgoing {
  write: Extract<Write, { write: 'insertDelivery' }>;
  delivery: PendingDelivery;
  payload: Uint8Array;
}

/** Serialised once, sealed once: the same bytes on every attempt. [architecture §6.4] */
function deliveriesOf(
  { sealer, clock }: ChannelWorld,
  events: readonly BuiltEvent[],
  settings: ChannelSettings | null,
  work: ChannelWork,
): Outgoing[] {
  if (settings === null) return [];
  const { id: channelId, accountId } = settings.channel;
  const now = clock.now();
  return events
    .filter(({ event }) => isEnabled(settings, event))
    .map(({ event, messageId, deliveryId: id, envelope }) => {
      const payload = Buffer.from(JSON.stringify(envelope));
      const delivery = {
        id,
        event,
        messageId,
        attempts: 0,
        firstTriedAt: null,
        nextDueAt: now,
        createdAt: now,
      };
      const sealed = sealer.seal(payload, sealContext.delivery(channelId, id));
      const epoch = work.lease.epoch;
      return {
        delivery,
        payload,
        write: {
          write: 'insertDelivery',
          delivery: {
            ...delivery,
            channelId,
            accountId,
            state: 'pending',
            payload: sealed,
            lastResult: null,
            epoch,
          },
        },
      };
    });
}

function feedAdded(outgoing: readonly Outgoing[], results: readonly WriteResult[], work: ChannelWork): void {
  const added = outgoing.filter((_, index) => results[index]?.applied === true);
  if (added.length > 0) work.feed({ type: 'deliveries-added', added });
}

/** The live feed shows every event, enabled as a webhook or not. */
function announce(
  { live }: ChannelWorld,
  events: readonly BuiltEvent[],
  settings: ChannelSettings | null,
): void {
  if (settings === null) return;
  for (const { envelope } of events) live.publish(settings.channel.accountId, settings.channel.id, envelope);
}

async function postWebhook(
  world: ChannelWorld,
  effect: Of<'post-webhook'>,
  work: ChannelWork,
): Promise<void> {
  const { deliveryId, attempts, settings } = effect;
  let body: Uint8Array | null;
  try {
    body = await claimPayload(world, effect, work);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    world.log.warn({ channel: work.key, delivery: deliveryId, error: asError(error) }, 'delivery.postponed');
    work.feed({ type: 'delivery-postponed', deliveryId });
    return;
  }
  const { webhookUrl: url, webhookSecret: secret } = settings.channel;
  if (body === null || url === null) {
    work.feed({ type: 'delivery-claim-lost', deliveryId });
    return;
  }
  const startedAt = world.clock.now();
  void world.webhooks
    .post({ channelId: work.key, url, secret, deliveryId, attempt: attempts + 1, body })
    .then((result) => work.feed({ type: 'delivery-result', deliveryId, startedAt, result }));
}

/** The insert was the claim of the first attempt; later ones are claimed again. null: no longer ours to deliver. */
async function claimPayload(
  { store, sealer }: ChannelWorld,
  { deliveryId, attempts, payload }: Of<'post-webhook'>,
  { key, lease }: ChannelWork,
): Promise<Uint8Array | null> {
  if (payload !== null) return payload;
  const [claimed] = await store.commit(key, lease.epoch, [{ write: 'claimDelivery', deliveryId, attempts }]);
  if (claimed?.applied !== true || !lease.isValid()) return null;
  const sealed = await store.deliveryPayload(key, deliveryId);
  return sealed === null ? null : sealer.open(sealed, sealContext.delivery(key, deliveryId));
}

async function loadDeliveries(
  world: ChannelWorld,
  { limit }: Of<'load-deliveries'>,
  work: ChannelWork,
): Promise<void> {
  const deliveries = await insist(world, work, () => world.store.pendingDeliveries(work.key, limit));
  if (deliveries !== null)
    work.feed({ type: 'deliveries-loaded', deliveries, more: deliveries.length >= limit });
}

async function loadSettings(
  world: ChannelWorld,
  { ask }: Of<'load-settings'>,
  work: ChannelWork,
): Promise<void> {
  const loaded = await insist(world, work, async () => ({ settings: await world.store.settings(work.key) }));
  if (loaded !== null) work.feed({ type: 'settings-loaded', settings: loaded.settings, ask });
}

const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** Tries until the store answers; null when the activation ended first. Loops never end because of errors. [architecture §7] */
async function insist<T>(world: ChannelWorld, work: ChannelWork, act: () => Promise<T>): Promise<T | null> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await act();
    } catch (error) {
      if (error instanceof FencedError) throw error;
      world.log.warn({ channel: work.key, error: asError(error), pauseMs }, 'store.retrying');
    }
    if (!work.isLive()) return null;
    await new Promise<void>((resolve) => world.clock.after(pauseMs, resolve));
  }
}
