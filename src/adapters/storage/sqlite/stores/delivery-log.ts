/** The delivery log: the deliveries themselves, read along an index of their own. */
import type {
  DeliveryLogQuery,
  DeliveryLogStore,
  LoggedDelivery,
  WaitingDelivery,
} from '../../../../use-cases/ports/delivery-log.ts';
import type { PagePosition } from '../../../../use-cases/ports/paging.ts';
import { pageOfLog } from '../../delivery-page.ts';
import { yieldToLoop } from '../reader.ts';
import type { Query, Reader } from '../reader.ts';
import { deliveries } from '../tables.ts';
import type { Row } from '../table.ts';
import { afterAll } from './paging.ts';

/** About 2 ms of reading between two turns of the event loop. [faults: I9] */
const rowsPerSlice = 200;

const logged = [
  'id',
  'channelId',
  'accountId',
  'event',
  'messageId',
  'requestId',
  'state',
  'attempts',
  'firstTriedAt',
  'nextDueAt',
  'lastResult',
  'attemptLog',
  'person',
  'messageType',
  'createdAt',
  'keptSince',
] as const;
const columns = deliveries.pick(...logged);
const waiting = deliveries.pick(...logged, 'payload');

export function deliveryLogStore(reader: Reader): DeliveryLogStore {
  const newestOf = (which: string): Query<Row<LoggedDelivery>> =>
    reader.query(`
      select ${columns.list} from deliveries
      where channel_id = ? and (created_at, id) < (?, ?) and created_at >= ? ${which}
      order by created_at desc, id desc limit ?`);
  const all = newestOf('');
  const failed = newestOf("and state = 'failed'");
  const byId = reader.query<Row<LoggedDelivery>>(
    `select ${columns.list} from deliveries where id = ? and channel_id = ? and account_id = ?`,
  );

  const byIds = reader.query<Row<LoggedDelivery>>(`
    select ${columns.list} from json_each(?1)
    cross join deliveries on deliveries.id = json_each.value and channel_id = ?2 and account_id = ?3
    order by created_at, deliveries.id`);
  const oldestAfter = reader.query<Row<WaitingDelivery>>(`
    select ${waiting.list} from deliveries
    where channel_id = ? and (created_at, id) > (?, ?) and account_id = ? order by created_at, id limit ?`);
  const counted = reader.query<{ n: number }>(`
    select count(*) as n from
      (select 1 from deliveries where channel_id = ? and created_at >= ? and created_at < ? limit ?)`);

  async function* newestFirst(query: DeliveryLogQuery): AsyncGenerator<LoggedDelivery> {
    const { channelId, since, state, event, page } = query;
    const read = state === 'failed' ? failed : all;
    const perSlice = state === null && event === null ? Math.min(page.limit + 1, rowsPerSlice) : rowsPerSlice;
    for (let place: PagePosition = page.cursor ?? afterAll; ; await yieldToLoop()) {
      const rows = read.all(channelId, place.createdAt, place.id, since, perSlice);
      const found = rows.map(columns.of);
      yield* found;
      const last = found.at(-1);
      if (last === undefined || found.length < perSlice) return;
      place = last;
    }
  }

  return {
    list: (query) => pageOfLog(newestFirst(query), query),
    async after({ channelId, place, accountId, limit }) {
      await yieldToLoop();
      return oldestAfter.all(channelId, place.createdAt, place.id, accountId, limit).map(waiting.of);
    },
    async count({ channelId, from, until, limit }) {
      await yieldToLoop();
      return counted.get(channelId, from, until, limit)?.n ?? 0;
    },
    async find({ id, channelId, accountId }) {
      const row = byId.get(id, channelId, accountId);
      return row === undefined ? null : columns.of(row);
    },
    async among({ accountId, channelId, ids }) {
      return byIds.all(JSON.stringify(ids), channelId, accountId).map(columns.of);
    },
  };
}
