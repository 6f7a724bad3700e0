/** Reads run on the main thread: a point read is faster than a message to another thread and back. */
import { StoreUnavailable, asError } from '../../kernel/faults.ts';
import { openReader } from './sqlite.ts';
import type { Database, Value } from './sqlite.ts';

/** A prepared query. Throws StoreUnavailable if the file cannot be read or the store is closed. */
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

/** Prepares each query once. `get` and `all` finish their read at once, so that no snapshot stays open. */
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
