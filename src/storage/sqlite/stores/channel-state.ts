/** Reads and writes of a channel's owner. Not over records: this is the hot path, and each read is a statement along its own index. */
import { maxUnmatched } from '../../journal/channel-journal.ts';
import type {
  ChannelJournal,
  DeliveryReads,
  KeptDelivery,
  KnownMessage,
  LoadedChannel,
  PendingDelivery,
} from '../../journal/channel-journal.ts';
import type { SealedUnmatchedFact } from '../../journal/writes.ts';
import type { SealedBytes } from '../../../kernel/sealed.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import type { Subscription } from '../../../rules/licences/subscription.ts';
import type { OutboundMessage } from '../../../rules/messages/message.ts';
import { yieldToLoop } from '../../../kernel/clock.ts';
import { fenced } from '../../journal/rule.ts';
import type { WriterThread } from '../writer-thread.ts';
import { packId, packIdSql } from '../packed-ids.ts';
import type { Reader } from '../reader.ts';
import {
  deliveries,
  knownColumns,
  messages,
  ownColumns,
  pendingColumns,
  subscriptions,
  unmatchedFacts,
} from '../tables.ts';
import type { Row } from '../columns.ts';
import { exactBytes } from '../exact-bytes.ts';
import { makeReadKept } from './kept-deliveries.ts';

/** About 3 ms of reading before yielding to the event loop: a long queue must not delay other channels. */
const messagesPerSlice = 200;
const factsPerSlice = 250;
/** A look-up that finds so many messages goes on in slices of so many upstream ids: an echo has up to fifty parts. [faults: I9] */
const foundAtOnce = 500;
const upstreamIdsPerSlice = 10;

const factColumns = unmatchedFacts.pick('id', 'fact', 'expiresAt', 'dueAt', 'tries');

export function channelStateStore(reader: Reader, writer: WriterThread): ChannelJournal {
  const deliveryStore = deliveryReads(reader);
  const openMessages = makeReadOpenMessages(reader);
  const newestUnmatched = makeReadNewestUnmatched(reader);
  const pendingInbound = reader.query<Row<SealedUnmatchedFact>>(`
    select ${factColumns.list} from unmatched_facts where channel_id = ? and due_at > ? order by due_at limit ?`);

  // One process owns every channel, under one epoch.
  const ofProcess = reader.query<{ epoch: number }>("select epoch from owners where channel_id = '*'");

  return {
    async requireHighest(channelId, epoch) {
      if ((ofProcess.get()?.epoch ?? 0) > epoch) throw fenced(channelId, epoch);
    },
    settings: makeReadSettings(reader),
    ...messageReads(reader),
    ...deliveryStore,
    async load(channelId, epoch, now, limit): Promise<LoadedChannel> {
      const raised = await writer.call('raiseEpoch', channelId, epoch);
      if (!raised) throw fenced(channelId, epoch);
      const pending = await deliveryStore.pendingDeliveries(channelId, limit + 1);
      return {
        openMessages: await openMessages(channelId),
        unmatched: await newestUnmatched(channelId, now),
        hasPendingInbound: pendingInbound.all(channelId, 0, 1).length > 0,
        deliveries: pending.slice(0, limit),
        storeHasMoreDeliveries: pending.length > limit,
      };
    },
    async pendingInbound(channelId, after, limit) {
      return pendingInbound.all(channelId, after, limit).map(factColumns.of);
    },
    commit(channelId, epoch, writes) {
      return writer.call('commit', channelId, epoch, writes.map(exactBytes)).then((applied) => {
        if (applied === null) throw fenced(channelId, epoch);
        return applied.map((each) => ({ applied: each }));
      });
    },
  };
}

function makeReadSettings(reader: Reader): ChannelJournal['settings'] {
  const channel = reader.query<Row<Channel>>(
    `select ${ownColumns.list} from channels where id = ? and connected_at is not null`,
  );
  const licence = reader.query<Row<Subscription>>(
    `select ${subscriptions.list} from subscriptions where id = ?`,
  );
  return async function settings(channelId) {
    const row = channel.get(channelId);
    if (row === undefined) return null;
    const bound = row.subscriptionId === null ? undefined : licence.get(row.subscriptionId);
    return {
      channel: ownColumns.of(row),
      subscription: bound === undefined ? null : subscriptions.of(bound),
    };
  };
}

/** In order of arrival, which is the order of rowids: messages are sent in this order. */
function makeReadOpenMessages(reader: Reader): (channelId: string) => Promise<OutboundMessage[]> {
  const rowIds = reader.query<{ row: number }>(`
    select rowid as row from messages where channel_id = ? and state in ('sending', 'queued')`);
  const byRowId = reader.query<Row<OutboundMessage>>(`
    select ${messages.list} from messages where rowid = ? and state in ('sending', 'queued')`);
  return async function openMessages(channelId) {
    const rows = rowIds.all(packId(channelId)).map(({ row }) => row);
    rows.sort((a, b) => a - b);
    const found: OutboundMessage[] = [];
    for (const [index, id] of rows.entries()) {
      if (index % messagesPerSlice === messagesPerSlice - 1) await yieldToLoop();
      const row = byRowId.get(id);
      if (row !== undefined) found.push(messages.of(row));
    }
    return found;
  };
}

/** The newest unmatched facts, at most `maxUnmatched`, in ascending order. */
function makeReadNewestUnmatched(
  reader: Reader,
): (channelId: string, now: number) => Promise<SealedUnmatchedFact[]> {
  const before = reader.query<Row<SealedUnmatchedFact>>(`
    select ${factColumns.list} from unmatched_facts where channel_id = ? and due_at is null and expires_at > ?
    and (expires_at, id) < (?, ?) order by expires_at desc, id desc limit ${factsPerSlice}`);
  return async function newestUnmatched(channelId, now) {
    const all: SealedUnmatchedFact[] = [];
    let at = Number.MAX_SAFE_INTEGER;
    let id = '';
    for (;;) {
      const slice = before.all(channelId, now, at, id).map(factColumns.of);
      all.push(...slice);
      const last = slice.at(-1);
      if (last === undefined || slice.length < factsPerSlice || all.length >= maxUnmatched) break;
      at = last.expiresAt;
      id = last.id;
      await yieldToLoop();
    }
    return all.slice(0, maxUnmatched).toReversed();
  };
}

function messageReads(reader: Reader): Pick<ChannelJournal, 'findMessages' | 'findBelowRank'> {
  // `cross join` fixes the order: from the list through the index to the row, without a sorted copy of the list.
  const byIds = reader.query<Row<KnownMessage>>(`
    select ${knownColumns.list} from json_each(?2)
    cross join messages on messages.id = ${packIdSql('json_each.value')} and messages.channel_id = ?1`);
  const readByUpstreamIds = makeReadByUpstreamIds(reader);
  const belowRank = reader.query<Row<KnownMessage>>(`
    select ${knownColumns.list} from messages where channel_id = ? and recipient = ? and attempted_at <= ? and is_unread = 1
    and rank < ? order by attempted_at limit ?`);

  return {
    async findMessages(channelId, { ids, upstreamIds }) {
      const found = new Map<string, KnownMessage>();
      const byOurs = ids.length === 0 ? [] : byIds.all(packId(channelId), JSON.stringify(ids));
      const byTheirs =
        upstreamIds.length === 0 ? [] : await readByUpstreamIds(packId(channelId), upstreamIds);
      for (const message of [...byOurs, ...byTheirs].map(knownColumns.of)) found.set(message.id, message);
      return [...found.values()];
    },
    async findBelowRank(channelId, query) {
      const rows = belowRank.all(
        packId(channelId),
        query.recipient,
        query.upTo,
        query.belowRank,
        query.limit,
      );
      return rows.map(knownColumns.of);
    },
  };
}

function makeReadByUpstreamIds(
  reader: Reader,
): (channel: string | Uint8Array, upstreamIds: readonly string[]) => Promise<Row<KnownMessage>[]> {
  const byUpstreamIds = (end: string) =>
    reader.query<Row<KnownMessage>>(`
      select ${knownColumns.list} from json_each(?2)
      cross join message_upstream_ids as theirs on theirs.channel_id = ?1 and theirs.upstream_id = json_each.value
      cross join messages on messages.id = theirs.message_id and messages.channel_id = ?1 ${end}`);
  const [first, all] = [byUpstreamIds(`limit ${foundAtOnce}`), byUpstreamIds('')];
  return async function readByUpstreamIds(channel, upstreamIds) {
    const few = first.all(channel, JSON.stringify(upstreamIds));
    if (few.length < foundAtOnce) return few;
    const found: Row<KnownMessage>[] = [];
    for (let from = 0; from < upstreamIds.length; from += upstreamIdsPerSlice) {
      await yieldToLoop();
      const slice = upstreamIds.slice(from, from + upstreamIdsPerSlice);
      found.push(...all.all(channel, JSON.stringify(slice)));
    }
    return found;
  };
}

function deliveryReads(reader: Reader): DeliveryReads {
  const columns = pendingColumns;
  const readKept = makeReadKept(reader);
  const pendingBy = (order: string, which = '') =>
    reader.query<Row<Required<PendingDelivery>> & { bytes: number }>(`
    select ${columns.list}, coalesce(length(payload),
      (select length(bytes) from delivery_payloads where place = payload_place)) as bytes from deliveries
    where channel_id = ? and state = 'pending' ${which} order by ${order} limit ?`);
  const byDueTime = pendingBy('next_due_at');
  const byPlace = pendingBy('sequence', 'and sequence is not null');
  // Asked only once all that have a place are read, which are few then: it passes over them.
  const withoutPlace = pendingBy('next_due_at', 'and sequence is null');
  const sumKept = reader.query<{ bytes: number | null }>(`
    select sum(kept_bytes) as bytes from deliveries indexed by kept_deliveries_by_age
    where channel_id = ? and kept_since is not null`);
  const onRecord = reader.query<{ id: string }>(`
    select json_each.value as id from json_each(?2)
    cross join deliveries on deliveries.id = ${packIdSql('json_each.value')} and deliveries.channel_id = ?1`);
  const payload = reader.query<{ payload: SealedBytes | null }>(
    `select ${deliveries.pick('payload').list} from deliveries where id = ? and channel_id = ? and state = 'pending'`,
  );
  return {
    async pendingDeliveries(channelId, limit, inOrder = false): Promise<PendingDelivery[]> {
      const channel = packId(channelId);
      const rows = (inOrder ? byPlace : byDueTime).all(channel, limit);
      if (inOrder && rows.length < limit) rows.push(...withoutPlace.all(channel, limit - rows.length));
      return rows.map((row) => ({ ...columns.of(row), bytes: row.bytes }));
    },
    async keptDeliveries(channelId, { after, limit, ...query }) {
      const found: KeptDelivery[] = [];
      for await (const kept of readKept(channelId, query, after)) {
        found.push(kept);
        if (found.length === limit) break;
      }
      return found;
    },
    async keptBytes(channelId) {
      return sumKept.get(packId(channelId))?.bytes ?? 0;
    },
    async findDeliveries(channelId, deliveryIds) {
      return onRecord.all(packId(channelId), JSON.stringify(deliveryIds)).map(({ id }) => id);
    },
    async deliveryPayload(channelId, deliveryId) {
      return payload.get(packId(deliveryId), packId(channelId))?.payload ?? null;
    },
  };
}
