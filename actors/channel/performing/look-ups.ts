/** What the actor reads from the store. */
import { latestMeant } from '../../../src/rules/messages/facts.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { groupBy } from '../../../src/kernel/group-by.ts';
import type {
  BelowRank,
  ConversationQuery,
  InboundPage,
  KnownMessage,
  SubjectMessage,
} from '../../../src/storage/journal/channel-journal.ts';
import { limits, readChunkOf } from '../limits.ts';
import type { OwnedDelivery } from '../messages.ts';
import { noInbound, opened, openedFacts, openedInbound } from './contents.ts';
import { readThrough, recallAll } from './message-read-through.ts';
import { retryUntilStored, untilStored } from './retry-until-stored.ts';
import { readKeptBytes, readSettings } from './settings.ts';
import type { ChannelWork, EffectNamed, OwnPorts } from './channel-ports.ts';

/** Returns undefined when every message was remembered and is reported already. */
export function resolveFacts(
  ports: OwnPorts,
  effect: EffectNamed<'resolve-facts'>,
  work: ChannelWork,
): Promise<void> | undefined {
  const { job, named, conversations, deliveries } = effect;
  const asksMore = conversations.length + deliveries.length > 0;
  const known = asksMore ? null : recallAll(ports, named, work);
  if (known === null) return lookUpFacts(ports, effect, work);
  work.report({ type: 'facts-resolved', job, known, conversations: [], delivered: [] });
  return undefined;
}

async function lookUpFacts(
  ports: OwnPorts,
  effect: EffectNamed<'resolve-facts'>,
  work: ChannelWork,
): Promise<void> {
  const { job } = effect;
  const lookUp = (): Promise<ResolvedFacts> => findMessages(ports, effect, work);
  try {
    const found = effect.retry ? await retryUntilStored(ports, work, lookUp) : await lookUp();
    if (found !== null) work.report({ type: 'facts-resolved', job, ...found });
  } catch (error) {
    if (error instanceof FencedError) throw error;
    ports.storeFailed('facts.lookup-failed', error, { channel: work.key });
    work.report({ type: 'facts-ended', job, outcome: 'failed', mayBeStored: false });
  }
}

interface ResolvedFacts {
  known: SubjectMessage[];
  conversations: KnownMessage[][];
  delivered: string[];
}

async function findMessages(
  ports: OwnPorts,
  { named, conversations, deliveries }: EffectNamed<'resolve-facts'>,
  work: ChannelWork,
): Promise<ResolvedFacts> {
  const { store } = ports;
  const { key } = work;
  const pointIds = conversations.flatMap(({ upToUpstreamId }) => upToUpstreamId ?? []);
  const [{ known, found }, delivered] = await Promise.all([
    readThrough(ports, named, pointIds, work),
    deliveries.length === 0 ? [] : findDeliveries(store, deliveries),
  ]);
  const points = conversations.map((query) => ({ ...query, upTo: pointIn(query, found) }));
  return { known, conversations: await readConversations(store, key, points), delivered };
}

type Point = Omit<BelowRank, 'limit'>;

/** One read for each owner: there is more than one only if a person answers a message of a channel with endpoints. */
async function findDeliveries(
  store: OwnPorts['store'],
  deliveries: readonly OwnedDelivery[],
): Promise<string[]> {
  const byOwner = groupBy(deliveries, ({ ownerId }) => ownerId);
  const reads = [...byOwner].map(([ownerId, owned]) => {
    return store.findDeliveries(
      ownerId,
      owned.map(({ id }) => id),
    );
  });
  return (await Promise.all(reads)).flat();
}

/** Receipts of one conversation share a read: the messages up to an earlier point are the first of those up to a later one. */
function readConversations(
  store: OwnPorts['store'],
  key: string,
  points: readonly Point[],
): Promise<KnownMessage[][]> {
  const groups = groupBy(points, conversationOf);
  const limit = readChunkOf(groups.size);
  const reads = new Map<string, Promise<KnownMessage[]>>();
  for (const [of, [point, ...others]] of groups) {
    if (point === undefined) continue;
    const { recipient, belowRank } = point;
    const upTo = Math.max(point.upTo, ...others.map((other) => other.upTo));
    reads.set(of, store.findBelowRank(key, { recipient, belowRank, upTo, limit }));
  }
  const covered = points.map(async (point) => {
    const read = (await reads.get(conversationOf(point))) ?? [];
    return read.filter(({ attemptedAt }) => attemptedAt <= point.upTo);
  });
  return Promise.all(covered);
}

function conversationOf({ belowRank, recipient }: Point): string {
  return `${belowRank} ${recipient}`;
}

/** Up to the named message, or up to the time of the receipt while that message is not known. */
function pointIn({ upTo, upToUpstreamId, at }: ConversationQuery, known: readonly KnownMessage[]): number {
  if (upTo !== null) return latestMeant(upTo);
  const named = known.find(({ upstreamIds }) => upstreamIds.some((id) => id === upToUpstreamId));
  // The time of an echo is upstream's, that of a send is ours.
  return named?.origin === 'service' ? named.attemptedAt : latestMeant(named?.attemptedAt ?? at);
}

export async function reload(
  ports: OwnPorts,
  { messageIds, known }: EffectNamed<'reload'>,
  work: ChannelWork,
): Promise<void> {
  const { store, clock } = ports;
  const { epoch } = work.grant;
  const load = () => store.load(work.key, epoch, clock.now(), limits.deliveries);
  const loaded = await retryUntilStored(ports, work, load);
  if (loaded === null) return;
  const { openMessages, unmatched: sealed, hasPendingInbound, ...rest } = loaded;
  const unmatched = await openedFacts(ports, work.key, sealed);
  const inbound = hasPendingInbound ? await readInbound(ports, work) : noInbound;
  if (inbound === null) return;
  const strangers = openMessages.filter(({ id }) => !known.has(id));
  const sends = await opened(ports, strangers);
  const left = { ...rest, unmatched, inbound, sends };
  work.report({ type: 'reloaded', messageIds, open: openMessages, left });
}

function readInbound(ports: OwnPorts, work: ChannelWork): Promise<InboundPage | null> {
  return retryUntilStored(ports, work, () => openedInbound(ports, work.key, 0, limits.inbound));
}

export async function loadInbound(
  ports: OwnPorts,
  { after, limit }: EffectNamed<'load-inbound'>,
  work: ChannelWork,
): Promise<void> {
  await untilStored(
    ports,
    work,
    () => openedInbound(ports, work.key, after, limit),
    (page) => work.report({ type: 'inbound-loaded', ...page }),
  );
}

export async function loadDeliveries(
  ports: OwnPorts,
  { limit, inOrder }: EffectNamed<'load-deliveries'>,
  work: ChannelWork,
): Promise<void> {
  await untilStored(
    ports,
    work,
    () => ports.store.pendingDeliveries(work.key, limit, inOrder),
    (deliveries) =>
      work.report({
        type: 'deliveries-loaded',
        deliveries,
        storeHasMoreDeliveries: deliveries.length >= limit,
      }),
  );
}

export async function loadSettings(
  ports: OwnPorts,
  { request, ask, keptRecorded }: EffectNamed<'load-settings'>,
  work: ChannelWork,
): Promise<void> {
  const load = async () => {
    const settings = await readSettings(ports, work.key);
    return { settings, keptBase: (await readKeptBytes(ports, work.key, settings)) - keptRecorded };
  };
  await untilStored(ports, work, load, (loaded) =>
    work.report({ type: 'settings-loaded', request, ask, ...loaded }),
  );
}
