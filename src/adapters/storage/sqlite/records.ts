/** Items of an entity: reads on this thread, writes through the line to the writing one. */
import { yieldToLoop } from '../../../kernel/yield-to-loop.ts';
import type { EntityName, ItemOf } from '../entities/index.ts';
import { orderOf } from '../records.ts';
import type { Engine, Listed, Records, RecordsOf } from '../records.ts';
import { asked, indexOf, listing } from './conditions.ts';
import type { Sql } from './conditions.ts';
import { columnName } from './columns.ts';
import { writeCondition } from './table.ts';
import { withExactBytes } from './exact-bytes.ts';
import type { Reader } from './reader.ts';
import type { Row } from './table.ts';
import { findTable } from './tables.ts';
import type { Writer } from './writer-thread.ts';

/** About 5 ms of reading between two turns of the event loop: a list without a limit may be long. [faults: I9] */
const rowsPerSlice = 200;

export function recordsOn(reader: Reader, writer: Writer): RecordsOf {
  return (name) => ({ ...makeReads(name, reader), ...makeWrites(name, writer) });
}

type Reads = 'one' | 'some' | 'list' | 'firsts';

function makeReads<N extends EntityName>(name: N, reader: Reader): Pick<Records<ItemOf<N>>, Reads> {
  type Item = ItemOf<N>;
  const table = findTable(name);
  const ask = asking(reader);

  function oneOf({ sql, values }: Sql): Item | null {
    const [row] = ask<Row<Item>>(`select ${table.list} from ${table.name} where ${sql} limit 1`, values);
    return row === undefined ? null : table.of(row);
  }

  function sliceOf(listed: Listed<Item>, limit: number): Item[] {
    const { sql, values } = listing(table, listed);
    return ask<Row<Item>>(sql, [...values, limit]).map(table.of);
  }

  return {
    one: async (which, range) => oneOf(asked(table, which, range)),
    async some(keys) {
      const found: Item[] = [];
      const column = columnName(table.entity.key[0] ?? '');
      for (const [index, key] of [...new Set(keys)].entries()) {
        if (index % rowsPerSlice === rowsPerSlice - 1) await yieldToLoop();
        const item = oneOf({ sql: `${column} = ?`, values: [key] });
        if (item !== null) found.push(item);
      }
      return found;
    },
    async list(listed) {
      const order = orderOf(indexOf(table, listed.by).on, listed.equal);
      const max = listed.limit ?? Infinity;
      // Without an order there is nothing to go on behind.
      if (order.length === 0 || max <= rowsPerSlice) return sliceOf(listed, listed.limit ?? -1);
      const found: Item[] = [];
      for (let next = listed; ; await yieldToLoop()) {
        const wanted = Math.min(rowsPerSlice, max - found.length);
        const slice = sliceOf(next, wanted);
        found.push(...slice);
        const last = slice.at(-1);
        if (last === undefined || slice.length < wanted || found.length >= max) return found;
        next = { ...listed, skip: 0, after: table.readPosition(last, order) };
      }
    },
    async firsts(by, after, limit) {
      const { on, where } = indexOf(table, by);
      const first = columnName(on[0] ?? '');
      const only = where === undefined ? '' : `and ${writeCondition(where)}`;
      const step = `select ${first} as value from ${table.name} where ${first} > ? ${only} order by ${first} limit 1`;
      const found: string[] = [];
      for (let last = after; found.length < limit; found.push(last)) {
        const [next] = ask<{ value: string }>(step, [last]);
        if (next === undefined) break;
        last = next.value;
      }
      return found;
    },
  };
}

/** Of one shape there is one statement, prepared when it is first asked. */
function asking(reader: Reader) {
  const queries = new Map<string, ReturnType<Reader['query']>>();
  return function ask<R>(sql: string, values: Sql['values']): R[] {
    let query = queries.get(sql);
    if (query === undefined) queries.set(sql, (query = reader.query(sql)));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement's own columns say what its rows are
    return query.all(...values) as R[];
  };
}

function makeWrites<N extends EntityName>(name: N, writer: Writer): Omit<Records<ItemOf<N>>, Reads> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread answers an item of the entity that it was told
  const typed = (item: object | null): ItemOf<N> | null => item as ItemOf<N> | null;
  return {
    async insert(item) {
      return (await writer.call('insertItems', name, [withExactBytes(item)])) === 1;
    },
    async insertEach(items) {
      await writer.call('insertItems', name, items.map(withExactBytes));
    },
    patch: async (patch) => typed(await writer.call('patchItem', name, patch)),
    patchEach: (patches) => writer.call('patchItems', name, patches),
    replace: (item) => writer.call('replaceItem', name, withExactBytes(item)),
    take: async (which, range) => typed(await writer.call('takeItem', name, which, range)),
    upsertEach: (items, joining) => writer.call('upsertItems', name, items, joining),
    remove: (which) => writer.call('removeItems', name, which),
    removeEach: (keys) => writer.call('removeItemsByKey', name, keys),
    async sweep(range) {
      for (let swept = 0; ;) {
        const slice = await writer.call('sweepItems', name, range);
        if (slice === 0) return swept;
        swept += slice;
      }
    },
  };
}

export function makeInsertTogether(writer: Writer): Engine['insertTogether'] {
  return (items) =>
    writer.call(
      'insertTogether',
      items.map(({ of, item }) => ({ of, item: withExactBytes(item) })),
    );
}
