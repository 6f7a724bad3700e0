/** The SQLite driver behind one narrow type, and how connections of ours are set up. */
import { DatabaseSync as PackagedDatabase } from '@photostructure/sqlite';

export type Value = string | number | Uint8Array | null;

/** `Row` is what the statement's own columns say: the schema is ours, so rows are not parsed a second time. */
export interface Statement<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  /** Rows as lists of their columns' values: half of what an object of twenty costs. */
  setReturnArrays(isOn: boolean): void;
}

export interface Database {
  exec(sql: string): void;
  prepare<Row>(sql: string): Statement<Row>;
  close(): void;
}

/** The values may come in parts, whose names differ: to put them together in a spread would cost more than the statement. */
interface NamedStatement {
  run(...parts: readonly Values[]): { changes: number | bigint };
}

type Values = Readonly<Record<string, Value>>;

/**
 * A statement whose values have names: `:name` in its SQL. Which place a name has is found here, once: the driver would look
 * each up by its text at every run.
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
 * The same API twice: built into Node, and a package with a prebuilt binary. Before 24.15 Node has none, or warns on stderr at every
 * start and in every thread that its own is an experiment.
 */
export async function databaseClass(): Promise<DatabaseClass> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 15)) return PackagedDatabase;
  const builtIn = 'node:sqlite'; // a variable: the types of Node 20 don't know this module
  const loaded: { DatabaseSync: DatabaseClass } = await import(builtIn);
  return loaded.DatabaseSync;
}

// Modest on purpose: the whole idle service stays under 120 MB. [operator-interface §1]
const writerCacheKb = 8_000;
const readerCacheKb = 4_000;
const walLimitBytes = 64 * 1024 * 1024;
/** 16 MB of log between checkpoints: a checkpoint costs two more fsyncs, in the writing thread only. */
const checkpointPages = 4_000;

/**
 * The one writing connection. A commit is on disk when it returns (`synchronous=FULL` syncs the log each time).
 * [faults: I1] What is erased is overwritten, also on pages that become free: otherwise payloads and contents stay readable
 * in the file. Most rows lie within a page that is written anyway; only those of several pages cost more. [spec: Payload storage]
 * `auto_vacuum` is for a file that is being made; it changes nothing of one that is there.
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
    pragma wal_autocheckpoint = ${checkpointPages};
  `);
  return db;
}

/** A connection that only reads; it sees every commit that returned before its statement began. */
export async function openReader(path: string): Promise<Database> {
  const Database = await databaseClass();
  const db = new Database(path, { readOnly: true });
  db.exec(`pragma busy_timeout = 5000; pragma query_only = on; pragma cache_size = -${readerCacheKb};`);
  return db;
}

/** Of one shape there is one statement, made when it is first asked for. */
export function oncePerShape<S>(): (shape: string, make: () => S) => S {
  const made = new Map<string, S>();
  return (shape, make) => {
    let statement = made.get(shape);
    if (statement === undefined) made.set(shape, (statement = make()));
    return statement;
  };
}

/** How many rows a statement changed, as a number with either driver. */
export function changed(result: { changes: number | bigint }): number {
  return Number(result.changes);
}

/** What a pragma says that answers with one number. */
export function readPragma(db: Database, pragma: string): number {
  const [value = 0] = Object.values(db.prepare<Record<string, number>>(`pragma ${pragma}`).get() ?? {});
  return value;
}
