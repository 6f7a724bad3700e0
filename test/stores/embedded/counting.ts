/** Counts what a use of the embedded store costs: statements by verb and table, and what tables and indexes hold more afterwards. */
import type { Database, Statement } from '../../../src/storage/sqlite/sqlite.ts';

export type Counts = Readonly<Record<string, number>>;

export class CountingDatabase implements Database {
  readonly #db: Database;
  readonly #statements = new Map<string, number>();

  constructor(db: Database) {
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare<Row>(sql: string): Statement<Row> {
    const statement = this.#db.prepare<Row>(sql);
    const name = nameOf(sql);
    const count = (): void => void this.#statements.set(name, (this.#statements.get(name) ?? 0) + 1);
    return {
      get: (...values) => (count(), statement.get(...values)),
      all: (...values) => (count(), statement.all(...values)),
      run: (...values) => (count(), statement.run(...values)),
      setReturnArrays: (isOn) => statement.setReturnArrays(isOn),
    };
  }

  close(): void {
    this.#db.close();
  }

  /** Statements since the last call, as in `insert messages: 1`. */
  takeStatements(): Counts {
    const counts = Object.fromEntries(this.#statements);
    this.#statements.clear();
    return counts;
  }

  /** Rows of each table and entries of each index that has any; an index that belongs to a primary key has its table's. */
  entries(): Counts {
    const parts = this.#db.prepare<Part>(
      "select type, name, tbl_name, sql from sqlite_master where type in ('table', 'index') and sql is not null",
    );
    const counts = parts.all().map(({ type, name, tbl_name: table, sql }) => {
      const where = type === 'index' ? (/\swhere\s.*/s.exec(sql)?.[0] ?? '') : '';
      const along = type === 'index' ? `indexed by ${name}` : '';
      const counted = this.#db.prepare<{ n: number }>(`select count(*) as n from ${table} ${along}${where}`);
      return [name, counted.get()?.n ?? 0] as const;
    });
    return Object.fromEntries(counts.filter(([, n]) => n > 0));
  }
}

interface Part {
  type: 'table' | 'index';
  name: string;
  tbl_name: string;
  sql: string;
}

/** The verb and the last table that the statement names after `into`, `update` or `from`. */
function nameOf(sql: string): string {
  const [verb = ''] = /\w+/.exec(sql) ?? [];
  const tables = [...sql.matchAll(/\b(?:into|update|from|cross join)\s+(\w+)/g)].map(([, table]) => table);
  return `${verb} ${tables.findLast((table) => table !== 'json_each') ?? ''}`.trim();
}

/** What `after` has more, or less, than `before`. */
export function difference(before: Counts, after: Counts): Counts {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const all = names.map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  return Object.fromEntries(all.filter(([, n]) => n !== 0));
}
