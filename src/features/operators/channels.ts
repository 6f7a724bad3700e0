/** Channels as operators see them: one with all that diagnoses it, and those with a problem. */
import type { Actor } from '../../rules/caller.ts';
import { inTurns } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { audit } from '../audit/index.ts';
import type { World } from '../world.ts';
import type {
  ChannelDiagnosis,
  InspectedChannel,
  ChannelError,
  DiagnosedEndpoint,
  FailingChannel,
  FailingReceiver,
} from './types.ts';
import { testEvent } from '../../rules/events/table.ts';
import { withoutUpstreamWords } from '../../rules/messages/error-codes.ts';
import { ownerOf, readOwner } from '../../rules/webhooks/endpoints.ts';
import { parseAttempts } from '../../rules/webhooks/delivery.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { refreshedHealth, noSuchChannel, flushActivity } from '../channels/index.ts';
import type { LoggedDelivery } from '../deliveries/index.ts';
import { listCalls } from '../messages/index.ts';
import type { MessageRecord } from '../messages/index.ts';

/** A channel with its health, its last errors and its owner's queue (null if no owner is reachable). Throws 404 `not_found`. */
export async function diagnoseChannel(world: World, channelId: string): Promise<ChannelDiagnosis> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) throw noSuchChannel();
  const [withHealth, endpoints, errors, queue] = await Promise.all([
    refreshedHealth(world, channel),
    diagnoseEndpoints(world, channel),
    channelErrors(world, channel),
    inspectChannel(world, channelId).catch((thrown: unknown) => {
      world.log.info({ channel: channelId, error: asError(thrown) }, 'channel.not-inspected');
      return null;
    }),
  ]);
  return { ...withHealth, endpoints, errors, queue };
}

/** As `listFailing`, a minute old at most. */
async function diagnoseEndpoints(
  { stores }: World,
  { id: channelId, hasEndpoints }: Channel,
): Promise<DiagnosedEndpoint[]> {
  const endpoints = hasEndpoints ? await stores.endpoints.ofChannel(channelId) : [];
  const failing = await stores.health.failingAmong(endpoints.map(({ id }) => ownerOf(channelId, id)));
  return endpoints.map(({ id, url, disabledAt }) => {
    const health = failing.find((each) => each.channelId === ownerOf(channelId, id));
    const { failingSince = null, lastFailure = null } = health ?? {};
    return { id, url, disabledAt, failingSince, lastFailure };
  });
}

/** Enqueues a health probe and lets the owner reload its settings. Throws 404 `not_found`, 503. */
export async function probeChannelNow(world: World, by: Actor | undefined, channelId: string): Promise<void> {
  const channel = await world.stores.channels.byId(channelId);
  if (channel === null) throw noSuchChannel();
  await world.jobs.enqueue('look-at-channel', { channelId });
  world.router.tell(channelId, { type: 'settings-changed' });
  const { accountId } = channel;
  await audit(world, by, 'channel.looked-at', null, { accountId, subject: channelId, shown: null });
}

/** Asks the owner first, because the ask activates the channel; only then `whereIs` knows its node. Throws 404 `not_found`. */
export async function inspectChannel(world: World, channelId: string): Promise<InspectedChannel> {
  if ((await world.stores.channels.byId(channelId)) === null) throw noSuchChannel();
  const insight = await world.router.ask(channelId, { type: 'inspect' });
  const nodeId = await world.cluster.whereIs(channelId);
  return { channelId, nodeId, ...insight };
}

/** Newest sends and newest deliveries examined. */
const newest = 200;
/** Unsuccessful sends whose call log is read, one query each. */
const mostRead = 50;

/** Recent errors of a channel by code, latest first; without message text and upstream's own words. [portal: the operators' Channel] */
async function channelErrors(world: World, channel: Channel): Promise<ChannelError[]> {
  const [sends, deliveries] = await Promise.all([ailingSends(world, channel), lately(world, channel)]);
  const seen = [...sends.flatMap(errorsOfSend), ...deliveries.flatMap(errorsOfDelivery)];
  const byCode = new Map<string, ChannelError>();
  for (const { at, ...error } of seen) {
    const key = `${error.of} ${error.code}`;
    const known = byCode.get(key);
    const [count, lastAt] = [(known?.count ?? 0) + 1, Math.max(known?.lastAt ?? 0, at)];
    byCode.set(key, { ...(known === undefined || at > known.lastAt ? error : known), count, lastAt });
  }
  return [...byCode.values()].toSorted((a, b) => b.lastAt - a.lastAt);
}

type SeenError = Omit<ChannelError, 'count' | 'lastAt'> & { at: number };

async function ailingSends(
  { stores, clock, settings }: World,
  { id: channelId, accountId }: Channel,
): Promise<MessageRecord[]> {
  const since = clock.now() - settings.deliveryLogMs;
  // The clock of the node that accepted a send may be ahead of ours.
  const before = { createdAt: clock.now() + 60_000, id: '' };
  const sent = await stores.messageList.sent({
    accountId,
    channelId,
    person: null,
    since,
    before,
    limit: newest,
  });
  const ailing = sent.filter(({ state, deliveryFailed }) => state !== 'sent' || deliveryFailed);
  const ids = ailing.slice(0, mostRead).map(({ id }) => id);
  const found = await Promise.all(ids.map((id) => stores.messageLog.find({ accountId, channelId, id })));
  return found.filter((message) => message !== null);
}

async function lately(
  { stores, clock, settings }: World,
  { id: channelId, accountId }: Channel,
): Promise<LoggedDelivery[]> {
  const { items } = await stores.deliveryLog.list({
    accountId,
    channelId,
    since: clock.now() - settings.deliveryLogMs,
    event: null,
    state: null,
    page: { limit: newest, cursor: null },
  });
  return items;
}

function errorsOfSend(message: MessageRecord): SeenError[] {
  const calls = listCalls(message).flatMap(({ at, outcome, error, code }): SeenError[] =>
    outcome === null || outcome === 'accepted'
      ? []
      : [{ of: 'send', code: String(code ?? outcome), words: ownWords(error), at }],
  );
  const { deliveryFailed, failedAt, errorCode, error } = message;
  if (!deliveryFailed || failedAt === null) return calls;
  return [
    ...calls,
    { of: 'send', code: String(errorCode ?? 'failed'), words: ownWords(error), at: failedAt },
  ];
}

function ownWords(error: string | null): string | null {
  return error === null ? null : withoutUpstreamWords(error);
}

/** A test may have tried an address that is not the channel's. */
function errorsOfDelivery({ event, attemptLog }: LoggedDelivery): SeenError[] {
  if (event === testEvent) return [];
  return parseAttempts(attemptLog).flatMap(({ at, status, failure }): SeenError[] => {
    if (failure === null) return [];
    const code = failure === 'status' ? String(status ?? failure) : failure;
    return [{ of: 'delivery', code, words: null, at }];
  });
}

const mostShown = 1_000;
/** What takes no events any more keeps its failure for good and must not hide what fails now. */
const mostFailingRead = 10_000;
/** Takes about 4 ms. */
const channelsPerTurn = 100;

/**
 * Failing receivers of active channels, without disabled endpoints: up to date for this node, a minute old at most for the others.
 * Throws StoreUnavailable.
 */
export async function listFailing(world: World): Promise<FailingReceiver[]> {
  await flushActivity(world);
  const found: FailingReceiver[] = [];
  let last: ChannelHealth | undefined;
  for (let read = 0; read < mostFailingRead && found.length < mostShown; read += mostShown) {
    const some = await world.stores.health.failing(mostShown, last);
    for (const { channel, health } of await withChannels(world, some)) {
      const { endpointId } = readOwner(health.channelId);
      const url = await addressOf(world, channel, endpointId);
      if (channel.isActive && url !== null) found.push({ channel, health, endpointId, url });
    }
    last = some.at(-1);
    if (some.length < mostShown) break;
  }
  return found.slice(0, mostShown);
}

/** null: it takes no events. */
async function addressOf(
  { stores }: World,
  { id, webhookUrl }: Channel,
  endpointId: string | null,
): Promise<string | null> {
  if (endpointId === null) return webhookUrl;
  const endpoint = await stores.endpoints.ofOwner(endpointId, id);
  return endpoint === null || endpoint.disabledAt !== null ? null : endpoint.url;
}

/** Active channels whose token upstream refused at the last check. Throws StoreUnavailable. */
export async function listRefusedTokens(world: World): Promise<FailingChannel[]> {
  const refused = await withChannels(world, await world.stores.health.refused(mostShown));
  return refused.filter(({ channel }) => channel.isActive);
}

async function withChannels({ stores }: World, all: readonly ChannelHealth[]): Promise<FailingChannel[]> {
  const found: FailingChannel[] = [];
  for await (const health of inTurns(all, channelsPerTurn)) {
    const channel = await stores.channels.byId(readOwner(health.channelId).channelId);
    if (channel !== null) found.push({ channel, health });
  }
  return found;
}
