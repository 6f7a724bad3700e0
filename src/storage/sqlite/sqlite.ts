/** The SQLite driver behind a narrow type, and the settings of our connections. */
import { DatabaseSync as PackagedDatabase } from '@photostructure/sqlite';

export type Value = string | number | Uint8Array | null;

/** `Row` follows from the statement's columns. Rows are not checked, because the schema is ours. */
export interface Statement<Row> {
  /** Also for a write of which nobody asks what it changed: `run` makes an object of that, which takes as long as a small write. */
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  run(...values: Value[]): { changes: number | bigint };
  /** Makes rows arrays of values, at half the cost of an object with twenty properties. */
  setReturnArrays(isOn: boolean): void;
}

export interface Database {
  exec(sql: string): void;
  prepare<Row>(sql: string): Statement<Row>;
  close(): void;
}

/** The values may come in several objects with different names: merging them by a spread would cost more than the statement. */
interface NamedStatement {
  run(...parts: readonly Values[]): { changes: number | bigint };
}

type Values = Readonly<Record<string, Value>>;

/**
 * Prepares a statement with named values (`:name` in its SQL). Names are resolved here once; the driver would look them up at every run.
 */
export function prepareNamed(db: Database, sql: string): NamedStatement {
  const names: string[] = [];
  const numbered = sql.replaceAll(/:([a-zA-Z]+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const statement = db.prepare(numbered);
  return { run: (...parts) => statement.run(...names.map((name) => findValue(parts, name))) };
}

function findValue(parts: readonly Values[], name: string): Value {
  for (const part of parts) {
    const value = part[name];
    if (value !== undefined) return value;
  }
  throw new Error(`the statement's :${name} has no value`);
}

type DatabaseClass = new (path: string, options?: { readOnly?: boolean }) => Database;

/**
 * Node's built-in driver, or a package with the same API and a prebuilt binary. Before 24.15 Node has none, or prints an experimental
 * warning on stderr at each start and in each thread. Its SQLite must count frames without copying them (3.51.0), and a WAL that begins anew
 * beside the checkpoint of another connection must lose no frame (3.51.3).
 */
export async function databaseClass(): Promise<DatabaseClass> {
  const { node, sqlite } = process.versions;
  if (!isAtLeast(node, [24, 15, 0]) || !isAtLeast(sqlite, [3, 51, 3])) return PackagedDatabase;
  const builtIn = 'node:sqlite'; // a variable, because the types of Node 20 lack this module
  const loaded: { DatabaseSync: DatabaseClass } = await import(builtIn);
  return loaded.DatabaseSync;
}

/** `version` as in `process.versions`. */
export function isAtLeast(version: string | undefined, least: readonly number[]): boolean {
  const parts = (version ?? '').split('.').map(Number);
  const at = least.findIndex((part, i) => part !== parts[i]);
  return at < 0 || (parts[at] ?? 0) > (least[at] ?? 0);
}

// Small on purpose: the idle service stays below 120 MB. [operator-interface §1]
const writerCacheKb = 8_000;
const readerCacheKb = 4_000;
const walLimitBytes = 64 * 1024 * 1024;
/** A WAL of 64 MB is copied by the writing thread, within a commit: the checkpointing thread is dead, or slower than the load. */
const ownCheckpointFrames = 16_000;

/**
 * The only connection that writes. A commit is durable when it returns (`synchronous=FULL` syncs the WAL each time). [faults: I1]
 * `secure_delete` overwrites erased data, also on freed pages; otherwise payloads and contents would stay readable in the file. It costs
 * little: most rows lie within a page that is written anyway. [spec: Payload storage] `auto_vacuum` affects new files only.
 */
export async function openWriter(path: string): Promise<Database> {
  const Database = await databaseClass();
  const db = new Database(path);
  db.exec(`
    pragma busy_timeout = 5000;
    pragma auto_vacuum = incremental;
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = off;
    pragma temp_store = memory;
    pragma secure_delete = on;
    pragma cache_size = -${writerCacheKb};
    pragma journal_size_limit = ${walLimitBytes};
    pragma wal_autocheckpoint = ${ownCheckpointFrames};
  `);
  return db;
}

/** A connection that only checkpoints: it copies pages, and syncs the WAL before. */
export async function openCheckpointer(path: string): Promise<Database> {
  const Database = await databaseClass();
  const db = new Database(path);
  db.exec(`
    pragma busy_timeout = 5000;
    pragma synchronous = full;
    pragma wal_autocheckpoint = 0;
  `);
  return db;
}

/** A read-only connection. It sees every commit that returned before its statement began. */
export async function openReader(path: string): Promise<Database> {
  const Database = await databaseClass();
  const db = new Database(path, { readOnly: true });
  db.exec(`pragma busy_timeout = 5000; pragma query_only = on; pragma cache_size = -${readerCacheKb};`);
  return db;
}

/** Caches one statement per shape, made at its first use. */
export function oncePerShape<S>(): (shape: string, make: () => S) => S {
  const made = new Map<string, S>();
  return (shape, make) => {
    let statement = made.get(shape);
    if (statement === undefined) made.set(shape, (statement = make()));
    return statement;
  };
}

/** Number of rows that a statement changed; the drivers return it as a number or a bigint. */
export function changed(result: { changes: number | bigint }): number {
  return Number(result.changes);
}

/** The value of a pragma that returns one number. */
export function readPragma(db: Database, pragma: string): number {
  const [value = 0] = Object.values(db.prepare<Record<string, number>>(`pragma ${pragma}`).get() ?? {});
  return value;
}
