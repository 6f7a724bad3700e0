/** Reads run on the main thread: a point read is faster than a message to another thread and back. */
import { StoreUnavailable, asError } from '../../kernel/faults.ts';
import { damageAdvice, isDamage } from './damage.ts';
import { openReader } from './sqlite.ts';
import type { Database, Statement, Value } from './sqlite.ts';

/** A prepared query. Throws StoreUnavailable if the file cannot be read or the store is closed. */
export interface Query<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
}

export interface Reader {
  query<Row>(sql: string): Query<Row>;
  /** A query whose rows are arrays of values, which cost half as much as objects. */
  arrays(sql: string): Query<Value[]>;
  close(): void;
}

export async function makeReader(path: string, onDamage: OnDamage): Promise<Reader> {
  return readerOn(await openReader(path), onDamage);
}

/** Called with what SQLite says of a file that is damaged. */
type OnDamage = (why: string) => void;

/** Prepares each query once. `get` and `all` finish their read at once, so that no snapshot stays open. */
export function readerOn(db: Database, onDamage: OnDamage = () => undefined): Reader {
  const read = reading(onDamage);
  const queryOf = <Row>(statement: Statement<Row>): Query<Row> => ({
    get: (...values) => read(() => statement.get(...values)),
    all: (...values) => read(() => statement.all(...values)),
  });
  return {
    query: <Row>(sql: string): Query<Row> => queryOf(read(() => db.prepare<Row>(sql))),
    arrays(sql) {
      const statement = read(() => db.prepare<Value[]>(sql));
      statement.setReturnArrays(true);
      return queryOf(statement);
    },
    close: () => db.close(),
  };
}

function reading(onDamage: OnDamage): <T>(run: () => T) => T {
  return (run) => {
    try {
      return run();
    } catch (error) {
      const { message } = asError(error);
      if (!isDamage(message)) throw new StoreUnavailable(`the store could not read: ${message}`, 'no');
      onDamage(message);
      throw new StoreUnavailable(`trunkline.db in DATA_DIR is damaged (${message}): ${damageAdvice}`, 'no');
    }
  };
}
