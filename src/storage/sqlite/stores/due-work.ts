/**
 * Channels with due work, and erasing what is finished. Not over records: a message's due time is computed from two columns, and old items
 * are found channel by channel, where a document has a field for the one and an index for the other.
 */
import { readOwner } from '../../../rules/webhooks/endpoints.ts';
import { yieldToLoop } from '../../../kernel/clock.ts';
import type { DueWorkStore } from '../../due-work.ts';
import type { PagePosition } from '../../../kernel/paging.ts';
import { sweep } from '../../sweep.ts';
import type { WriterThread } from '../writer-thread.ts';
import { packId, unpackId } from '../packed-ids.ts';
import type { Query, Reader } from '../reader.ts';
import type { Value } from '../sqlite.ts';

interface DueRow {
  channel_id: Value;
  due: number;
}

const beforeAll: PagePosition = { createdAt: -1, id: '' };
/** About 2 ms of reading before yielding to the event loop. */
const stepsPerSlice = 200;

export function dueWorkStore(reader: Reader, writer: WriterThread): DueWorkStore {
  const nextWithDelivery = reader.query<DueRow>(`
    select channel_id, next_due_at as due from deliveries
    where state = 'pending' and channel_id > ? order by channel_id, next_due_at limit 1`);
  const nextWithMessage = reader.query<DueRow>(`
    select channel_id, coalesce(next_try_at, attempted_at) as due from messages
    where state in ('sending', 'queued') and channel_id > ?
    order by channel_id, coalesce(next_try_at, attempted_at) limit 1`);

  const nextWithFact = reader.query<DueRow>(`
    select channel_id, due_at as due from unmatched_facts
    where due_at is not null and channel_id > ? order by channel_id, due_at limit 1`);

  const untaken = reader.query<{ channel_id: Value }>(`
    select distinct channel_id from messages
    where epoch = 0 and state in ('sending', 'queued') and channel_id > '' order by channel_id limit ?`);
  const channelsWithOld = findChannelsWithOld(reader);

  return {
    serverTime: async () => null,
    channelsWithUntakenSends: async (limit) =>
      untaken.all(limit).map(({ channel_id }) => unpackId(channel_id)),
    async channelsWithDueWork(now, limit, after = '') {
      const found = new Set<string>();
      for (const next of [nextWithMessage, nextWithDelivery, nextWithFact])
        for (const channelId of await findDue(next, { now, limit, after })) found.add(channelId);
      return [...found].toSorted().slice(0, limit);
    },
    async dropFinished(before, stopping = new AbortController().signal) {
      await sweep(() => writer.call('dropUnmatchedSlice', before), stopping);
      let dropped = 0;
      for await (const channelId of channelsWithOld(before, stopping)) {
        dropped += await sweep(() => writer.call('dropFinishedSlice', channelId, before), stopping);
        let upTo: PagePosition = beforeAll;
        dropped += await sweep(async () => {
          const slice = await writer.call('dropDeliveriesSlice', channelId, before, upTo);
          ({ upTo } = slice);
          return slice;
        }, stopping);
      }
      return dropped;
    },
  };
}

/** Steps from channel to channel along the indexes of the logs: there is no index for the sweep alone. */
function findChannelsWithOld(
  reader: Reader,
): (before: number, stopping: AbortSignal) => AsyncGenerator<string> {
  const nextChannel = reader.query<{ id: Value }>(`
    select min(id) as id from (select min(channel_id) as id from messages where channel_id > ?1
      union all select min(channel_id) from deliveries where channel_id > ?1)`);
  const hasOld = reader.query<{ isSo: number }>(`
    select exists (select 1 from messages where channel_id = ?1 and created_at < ?2)
      or exists (select 1 from deliveries where channel_id = ?1 and created_at < ?2) as isSo`);
  return async function* channelsWithOld(before, stopping) {
    let last: Value = '';
    for (let steps = 1; !stopping.aborted; steps += 1) {
      const id: Value = nextChannel.get(last)?.id ?? null;
      if (id === null) return;
      if (hasOld.get(id, before)?.isSo === 1) yield unpackId(id);
      last = id;
      if (steps % stepsPerSlice === 0) await yieldToLoop();
    }
  };
}

interface Wanted {
  now: number;
  limit: number;
  after: string;
}

/**
 * The ids of endpoints are texts, which a file sorts before all packed ids of channels: each has its own part of the index. Both begin behind
 * `after`, so that the first ones of all are among what is found.
 */
async function findDue(next: Query<DueRow>, wanted: Wanted): Promise<string[]> {
  const packed = packId(readOwner(wanted.after).channelId);
  const firstPacked = typeof packed === 'string' ? new Uint8Array(0) : packed;
  return [
    ...(await collectDue(next, wanted, wanted.after)),
    ...(await collectDue(next, wanted, firstPacked)),
  ];
}

/**
 * Steps from channel to channel along the index, as long as the ids are of the kind of `from`, and looks only at each channel's earliest
 * work, so that a channel with a million pending deliveries costs one step.
 */
async function collectDue(
  next: Query<DueRow>,
  { now, limit }: Wanted,
  from: string | Uint8Array,
): Promise<string[]> {
  const found: string[] = [];
  let channelId: Value = from;
  for (let steps = 1; found.length < limit; steps += 1) {
    const row = next.get(channelId);
    if (row === undefined || typeof row.channel_id !== typeof from) break;
    if (row.due <= now) found.push(unpackId(row.channel_id));
    channelId = row.channel_id;
    if (steps % stepsPerSlice === 0) await yieldToLoop();
  }
  return found;
}
