/** What a channel's owner reads and writes. */
import type {
  ChannelStore,
  KnownMessage,
  LoadedChannel,
  PendingDelivery,
} from '../../../../../actors/channel/ports.ts';
import type { SealedBytes } from '../../../../domain/accounts/sealed.ts';
import type { OutboundMessage } from '../../../../domain/messages/message.ts';
import { FencedError } from '../../../../kernel/faults.ts';
import type { WriterThread } from '../writer-thread.ts';
import { breathe } from '../reader.ts';
import type { Reader } from '../reader.ts';
import {
  channelColumns,
  channelOf,
  unmatchedOf,
  knownColumns,
  knownOf,
  messageColumns,
  messageOf,
  pendingColumns,
  pendingOf,
  subscriptionColumns,
  subscriptionOf,
} from '../rows.ts';
import type { ChannelRow, HeldRow, KnownRow, MessageRow, PendingRow, SubscriptionRow } from '../rows.ts';
import { exactBytes } from './exact-bytes.ts';

/** About 3 ms of reading between two turns of the event loop: a long queue must not hold up other channels. */
const messagesPerSlice = 200;

export function channelStateStore(reader: Reader, writer: WriterThread): ChannelStore {
  const deliveries = deliveryReads(reader);
  const openMessages = openMessagesOf(reader);
  const unmatched = reader.query<HeldRow>(
    'select id, fact, expires_at from unmatched_facts where channel_id = ? and expires_at > ? order by expires_at, id',
  );

  return {
    settings: settingsOf(reader),
    ...messageReads(reader),
    ...deliveries,
    async load(channelId, epoch, now, limit): Promise<LoadedChannel> {
      const raised = await writer.call('raiseEpoch', channelId, epoch);
      if (!raised) throw new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
      const pending = await deliveries.pendingDeliveries(channelId, limit + 1);
      return {
        openMessages: await openMessages(channelId),
        unmatched: unmatched.all(channelId, now).map(unmatchedOf),
        deliveries: pending.slice(0, limit),
        storeHasMoreDeliveries: pending.length > limit,
      };
    },
    async commit(channelId, epoch, writes) {
      const applied = await writer.call('commit', channelId, epoch, writes.map(exactBytes));
      if (applied === null) throw new FencedError(`channel ${channelId}: epoch ${epoch} is not the highest`);
      return applied.map((each) => ({ applied: each }));
    },
  };
}

function settingsOf(reader: Reader): ChannelStore['settings'] {
  const channel = reader.query<ChannelRow>(
    `select ${channelColumns} from channels where id = ? and connected_at is not null`,
  );
  const licence = reader.query<SubscriptionRow>(
    `select ${subscriptionColumns} from subscriptions where id = ?`,
  );
  return async function settings(channelId) {
    const row = channel.get(channelId);
    if (row === undefined) return null;
    const bound = row.subscription_id === null ? undefined : licence.get(row.subscription_id);
    return { channel: channelOf(row), subscription: bound === undefined ? null : subscriptionOf(bound) };
  };
}

/** In order of arrival, which is the order of rowids: what came first goes out first. */
function openMessagesOf(reader: Reader): (channelId: string) => Promise<OutboundMessage[]> {
  const rowIds = reader.query<{ row: number }>(`
    select rowid as row from messages where channel_id = ? and state in ('sending', 'queued')`);
  const byRowId = reader.query<MessageRow>(`
    select ${messageColumns} from messages where rowid = ? and state in ('sending', 'queued')`);
  return async function openMessages(channelId) {
    const rows = rowIds.all(channelId).map(({ row }) => row);
    rows.sort((a, b) => a - b);
    const found: OutboundMessage[] = [];
    for (const [index, id] of rows.entries()) {
      if (index % messagesPerSlice === messagesPerSlice - 1) await breathe();
      const row = byRowId.get(id);
      if (row !== undefined) found.push(messageOf(row));
    }
    return found;
  };
}

function messageReads(reader: Reader): Pick<ChannelStore, 'findMessages' | 'findBelowRank'> {
  // `cross join` fixes the order: from the list through the index to the row, without a sorted copy of the list.
  const byIds = reader.query<KnownRow>(`
    select ${knownColumns} from json_each(?2)
    cross join messages on messages.id = json_each.value and messages.channel_id = ?1`);
  const byUpstreamIds = reader.query<KnownRow>(`
    select ${knownColumns} from json_each(?2)
    cross join message_upstream_ids as theirs on theirs.channel_id = ?1 and theirs.upstream_id = json_each.value
    cross join messages on messages.id = theirs.message_id and messages.channel_id = ?1`);
  const belowRank = reader.query<KnownRow>(`
    select ${knownColumns} from messages where channel_id = ? and recipient = ? and attempted_at <= ? and is_unread = 1
    and rank < ? order by attempted_at limit ?`);

  return {
    async findMessages(channelId, { ids, upstreamIds }) {
      const found = new Map<string, KnownMessage>();
      const byOurs = ids.length === 0 ? [] : byIds.all(channelId, JSON.stringify(ids));
      const byTheirs =
        upstreamIds.length === 0 ? [] : byUpstreamIds.all(channelId, JSON.stringify(upstreamIds));
      for (const row of [...byOurs, ...byTheirs]) found.set(row.id, knownOf(row));
      return [...found.values()];
    },
    async findBelowRank(channelId, query) {
      const rows = belowRank.all(channelId, query.recipient, query.upTo, query.belowRank, query.limit);
      return rows.map(knownOf);
    },
  };
}

function deliveryReads(reader: Reader): Pick<ChannelStore, 'pendingDeliveries' | 'deliveryPayload'> {
  const pending = reader.query<PendingRow>(`
    select ${pendingColumns} from deliveries where channel_id = ? and state = 'pending' order by next_due_at limit ?`);
  const payload = reader.query<{ payload: SealedBytes | null }>(
    "select payload from deliveries where id = ? and channel_id = ? and state = 'pending'",
  );
  return {
    async pendingDeliveries(channelId, limit): Promise<PendingDelivery[]> {
      return pending.all(channelId, limit).map(pendingOf);
    },
    async deliveryPayload(channelId, deliveryId) {
      return payload.get(deliveryId, channelId)?.payload ?? null;
    },
  };
}
