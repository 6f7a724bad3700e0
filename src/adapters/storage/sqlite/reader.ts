/** Reads, on the main thread: a point read is quicker than a message to another thread and back. */
import { StoreUnavailable, asError } from '../../../kernel/faults.ts';
import { openReader } from './sqlite.ts';
import type { Database, Value } from './sqlite.ts';

/** A prepared query. Throws StoreUnavailable when the file can't be read or the store is closed. */
export interface Query<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

export interface Reader {
  query<Row>(sql: string): Query<Row>;
  close(): void;
}

export async function makeReader(path: string): Promise<Reader> {
  return readerOn(await openReader(path));
}

/** A query is prepared once. `get` and `all` end their read at once: no snapshot is held. */
export function readerOn(db: Database): Reader {
  return {
    query<Row>(sql: string): Query<Row> {
      const statement = read(() => db.prepare<Row>(sql));
      return {
        get: (...values) => read(() => statement.get(...values)),
        all: (...values) => read(() => statement.all(...values)),
      };
    },
    close: () => db.close(),
  };
}

function read<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new StoreUnavailable(`the store could not read: ${asError(error).message}`, 'no');
  }
}
