/** Records over SQLite: reads on the main thread, writes through the writing thread. */
import { yieldToLoop } from '../../kernel/clock.ts';
import type { Entity } from '../entities/entity.ts';
import { orderedFields } from '../records.ts';
import type { Listed, Reads, Records, RecordsOf } from '../records.ts';
import type { Engine } from '../engine.ts';
import { sweep } from '../sweep.ts';
import { matching, namedIndex, listing } from './conditions.ts';
import type { Sql } from './conditions.ts';
import { columnName } from './columns.ts';
import { writeCondition, Table } from './table.ts';
import { withExactBytes } from './exact-bytes.ts';
import { unpackId } from './packed-ids.ts';
import type { Reader } from './reader.ts';
import { oncePerShape } from './sqlite.ts';
import type { Value } from './sqlite.ts';
import type { Writer } from './writer-thread.ts';

/** About 5 ms of reading before yielding to the event loop: a list without a limit may be long. [faults: I9] */
const rowsPerSlice = 200;

export function recordsOn(reader: Reader, writer: Writer): RecordsOf {
  return (entity) => {
    const table = new Table(entity);
    const ask = asking(reader);
    return {
      ...makeReads(table, table, ask),
      ...makeCounts(table, ask),
      only: (...fields) => makeReads(table, table.pick(...fields), ask),
      ...makeWrites(entity, writer),
    };
  };
}

type Counts = 'count' | 'firsts';
type Written<T> = Omit<Records<T>, keyof Reads<T> | Counts | 'only'>;

/** The columns to select, and the conversion of a row. */
interface Part<V> {
  readonly list: string;
  ofValues(row: readonly Value[]): V;
}

export function makeReads<T extends object, V extends object>(
  table: Table<T>,
  columns: Part<V>,
  ask: Ask,
  perSlice = rowsPerSlice,
): Reads<T, V> {
  function readOne({ sql, values }: Sql): V | null {
    const [row] = ask(`select ${columns.list} from ${table.name} where ${sql} limit 1`, values);
    return row === undefined ? null : columns.ofValues(row);
  }

  function readSlice(listed: Listed<T>, limit: number): V[] {
    const { sql, values } = listing(table, listed, columns.list);
    return ask(sql, [...values, limit]).map((row) => columns.ofValues(row));
  }

  return {
    one: async (which, range) => readOne(matching(table, which, range)),
    async some(keys, equal = {}) {
      const found: V[] = [];
      const key = table.entity.key[0] ?? '';
      for (const [index, value] of [...new Set(keys)].entries()) {
        if (index % perSlice === perSlice - 1) await yieldToLoop();
        const item = readOne(matching(table, { ...equal, [key]: value }));
        if (item !== null) found.push(item);
      }
      return found;
    },
    async list(listed) {
      const { by, equal = {}, limit } = listed;
      const order = orderedFields(namedIndex(table, by).on, equal);
      const max = limit ?? Infinity;
      // Where items may share a position, a list cannot be continued from a position.
      const isPlace =
        order.length > 0 && table.entity.key.every((field) => order.includes(field) || field in equal);
      if (!isPlace || max <= perSlice) return readSlice(listed, limit ?? -1);
      const found: V[] = [];
      for (let next = listed; ; await yieldToLoop()) {
        const wanted = Math.min(perSlice, max - found.length);
        const slice = readSlice(next, wanted);
        found.push(...slice);
        const last = slice.at(-1);
        if (last === undefined || slice.length < wanted || found.length >= max) return found;
        next = { ...listed, skip: 0, after: readPlace(last, order) };
      }
    },
  };
}

/** An item's position in this order. */
function readPlace(item: object, order: readonly string[]): (string | number)[] {
  return order.map((field) => {
    const value: unknown = Reflect.get(item, field);
    return typeof value === 'number' ? value : String(value);
  });
}

function makeCounts<T extends object>(table: Table<T>, ask: Ask): Pick<Records<T>, Counts> {
  return {
    async count({ limit, ...counted }) {
      // A bounded count takes no longer than a slice of a list. It must not yield, so that a call accepted before `close` also completes.
      if ((limit ?? Infinity) > rowsPerSlice) await yieldToLoop();
      const { sql, values } = listing(table, { ...counted, limit }, '1');
      return Number(ask(`select count(*) from (${sql})`, [...values, limit ?? -1])[0]?.[0] ?? 0);
    },
    async firsts(by, after, limit) {
      const { on, where } = namedIndex(table, by);
      const key = on[0] ?? '';
      const first = columnName(key);
      const only = where === undefined ? '' : `and ${writeCondition(where)}`;
      const step = `select ${first} from ${table.name} where ${first} > ? ${only} order by ${first} limit 1`;
      const found: string[] = [];
      for (let last = after; found.length < limit; found.push(last)) {
        const [next] = ask(step, [table.toColumn(key, last)]);
        if (next === undefined) break;
        last = unpackId(next[0] ?? null);
      }
      return found;
    },
  };
}

type Ask = (sql: string, values: Sql['values']) => Value[][];

export function asking(reader: Reader): Ask {
  const once = oncePerShape<ReturnType<Reader['arrays']>>();
  return (sql, values) => once(sql, () => reader.arrays(sql)).all(...values);
}

function makeWrites<T extends object>({ name }: Entity<T>, writer: Writer): Written<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the thread returns an item of the named entity
  const typed = (item: object | null): T | null => item as T | null;
  return {
    async insert(item) {
      return (await writer.call('insertItems', name, [withExactBytes(item)])) === 1;
    },
    async insertEach(items) {
      await writer.call('insertItems', name, items.map(withExactBytes));
    },
    patch: async (patch) => typed(await writer.call('patchItem', name, patch)),
    async patchBoth(patch) {
      const both = await writer.call('patchItemBoth', name, patch);
      const [before, after] = [typed(both?.before ?? null), typed(both?.after ?? null)];
      return before === null || after === null ? null : { before, after };
    },
    patchEach: (patches) => writer.call('patchItems', name, patches),
    replace: (item) => writer.call('replaceItem', name, withExactBytes(item)),
    take: async (which, range) => typed(await writer.call('takeItem', name, which, range)),
    upsertEach: (items, joining) => writer.call('upsertItems', name, items, joining),
    remove: (which) => writer.call('removeItems', name, which),
    removeEach: (keys) => writer.call('removeItemsByKey', name, keys),
    sweep: (range, stopping, which = {}) =>
      sweep(() => writer.call('sweepItems', name, range, which), stopping),
  };
}

export function makeInsertTogether(writer: Writer): Engine['insertTogether'] {
  return (items) =>
    writer.call(
      'insertTogether',
      items.map((each) => each(({ name }, item) => ({ of: name, item: withExactBytes(item) }))),
    );
}
