/** What the actor reads from the store. */
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ConversationQuery } from '../messages.ts';
import type { InboundPage, KnownMessage, ToldMessage } from '../ports/store.ts';
import { limits } from '../limits.ts';
import { noInbound, opened, openedFacts, openedInbound } from './contents.ts';
import { retryUntilStored } from './retry-until-stored.ts';
import { settingsOf } from './settings.ts';
import type { ChannelWork, ChannelPorts, Of, OwnPorts } from './channel-ports.ts';

/** undefined: everything was remembered and is reported. */
export function resolveFacts(
  ports: OwnPorts,
  effect: Of<'resolve-facts'>,
  work: ChannelWork,
): Promise<void> | undefined {
  const known = allRecalled(ports, effect, work);
  if (known === null) return lookUpFacts(ports, effect, work);
  work.report({ type: 'facts-resolved', job: effect.job, known, conversations: [], delivered: [] });
  return undefined;
}

/** The messages of statuses that are all about recent ones; null: the store has to be asked. */
function allRecalled(
  { recent }: OwnPorts,
  { named, conversations, deliveryIds }: Of<'resolve-facts'>,
  work: ChannelWork,
): ToldMessage[] | null {
  if (conversations.length + deliveryIds.length > 0) return null;
  const known: ToldMessage[] = [];
  for (const { id } of named) {
    const message = id === null ? undefined : recent.find(work, id);
    if (message === undefined) return null;
    if (!known.includes(message)) known.push(message);
  }
  return known;
}

async function lookUpFacts(ports: OwnPorts, effect: Of<'resolve-facts'>, work: ChannelWork): Promise<void> {
  const { job } = effect;
  const lookUp = (): Promise<Resolved> => messagesOf(ports, effect, work);
  try {
    const found = effect.retry ? await retryUntilStored(ports, work, lookUp) : await lookUp();
    if (found !== null) work.report({ type: 'facts-resolved', job, ...found });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    ports.log.warn({ channel: work.key, error: asError(error) }, 'facts.lookup-failed');
    work.report({ type: 'facts-ended', job, outcome: 'failed', mayBeStored: false });
  }
}

interface Resolved {
  known: ToldMessage[];
  conversations: KnownMessage[][];
  delivered: string[];
}

async function messagesOf(
  ports: OwnPorts,
  { named, conversations, deliveryIds }: Of<'resolve-facts'>,
  work: ChannelWork,
): Promise<Resolved> {
  const { store } = ports;
  const { key } = work;
  const pointIds = conversations.flatMap(({ upToUpstreamId }) => upToUpstreamId ?? []);
  const { recalled, ids, upstreamIds } = recall(ports, named, work);
  const theirs = [...upstreamIds, ...pointIds];
  const [found, delivered] = await Promise.all([
    ids.length + theirs.length === 0 ? [] : store.findMessages(key, { ids, upstreamIds: theirs }),
    deliveryIds.length === 0 ? [] : store.findDeliveries(key, deliveryIds),
  ]);
  for (const message of found) {
    recalled.set(message.id, message); // it knows the upstream ids too
    // While its send is open somebody else may be about to tell of it.
    if (message.state === 'sent') ports.recent.remember(work, message);
  }
  const covered = conversations.map((query) => {
    const { recipient, belowRank } = query;
    return store.findBelowRank(key, {
      recipient,
      belowRank,
      upTo: pointIn(query, found),
      limit: limits.readChunk,
    });
  });
  return { known: [...recalled.values()], conversations: await Promise.all(covered), delivered };
}

/** What is remembered of these messages, and what has to be asked for. */
function recall(
  { recent }: OwnPorts,
  named: Of<'resolve-facts'>['named'],
  work: ChannelWork,
): { recalled: Map<string, ToldMessage>; ids: string[]; upstreamIds: string[] } {
  const recalled = new Map<string, ToldMessage>();
  const ids: string[] = [];
  const upstreamIds: string[] = [];
  for (const { id, upstreamId } of named) {
    const message = id === null ? undefined : recent.find(work, id);
    if (message !== undefined) {
      recalled.set(message.id, message);
      continue;
    }
    if (id !== null) ids.push(id);
    upstreamIds.push(upstreamId);
  }
  return { recalled, ids, upstreamIds };
}

/** Everything up to the named message, or up to the time of the receipt while that message is not known. */
function pointIn({ upTo, upToUpstreamId, at }: ConversationQuery, known: readonly KnownMessage[]): number {
  if (upTo !== null) return upTo;
  if (upToUpstreamId === null) return at;
  const named = known.filter(({ upstreamIds }) => upstreamIds.includes(upToUpstreamId));
  return named.length === 0 ? at : Math.max(...named.map(({ attemptedAt }) => attemptedAt));
}

export async function reload(
  ports: ChannelPorts,
  { messageIds, known }: Of<'reload'>,
  work: ChannelWork,
): Promise<void> {
  const { store, clock } = ports;
  const { epoch } = work.lease;
  const load = () => store.load(work.key, epoch, clock.now(), limits.deliveries);
  const loaded = await retryUntilStored(ports, work, load);
  if (loaded === null) return;
  const { openMessages, unmatched: sealed, hasPendingInbound, ...rest } = loaded;
  const unmatched = await openedFacts(ports, work.key, sealed);
  const inbound = hasPendingInbound ? await readInbound(ports, work, 0, limits.inbound) : noInbound;
  if (inbound === null) return;
  const wanted = new Set(messageIds);
  const open = openMessages.filter(({ id }) => wanted.has(id));
  const strangers = openMessages.filter(({ id }) => !known.has(id));
  const sends = await opened(ports, strangers);
  work.report({ type: 'reloaded', messageIds, open, left: { ...rest, unmatched, inbound, sends } });
}

function readInbound(
  ports: ChannelPorts,
  work: ChannelWork,
  after: number,
  limit: number,
): Promise<InboundPage | null> {
  return retryUntilStored(ports, work, () => openedInbound(ports, work.key, after, limit));
}

export async function loadInbound(
  ports: ChannelPorts,
  { after, limit }: Of<'load-inbound'>,
  work: ChannelWork,
): Promise<void> {
  const page = await readInbound(ports, work, after, limit);
  if (page !== null) work.report({ type: 'inbound-loaded', ...page });
}

export async function loadDeliveries(
  ports: ChannelPorts,
  { limit }: Of<'load-deliveries'>,
  work: ChannelWork,
): Promise<void> {
  const deliveries = await retryUntilStored(ports, work, () =>
    ports.store.pendingDeliveries(work.key, limit),
  );
  if (deliveries !== null)
    work.report({
      type: 'deliveries-loaded',
      deliveries,
      storeHasMoreDeliveries: deliveries.length >= limit,
    });
}

export async function loadSettings(
  ports: ChannelPorts,
  { request, ask }: Of<'load-settings'>,
  work: ChannelWork,
): Promise<void> {
  const loaded = await retryUntilStored(ports, work, async () => ({
    settings: await settingsOf(ports, work.key),
  }));
  if (loaded !== null) work.report({ type: 'settings-loaded', request, settings: loaded.settings, ask });
}
