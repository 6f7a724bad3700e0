/**
 * Brings a file to this version of the program. Tables, columns and indexes that it lacks are made from `tables/`: that needs
 * no line here. What they can't say (a column renamed, split or filled from others, an index whose definition changed) is a
 * rewrite. A rewrite, once released, is never edited: a change is a new one, at the end.
 */
import type { Database } from './sqlite.ts';
import { tables } from './tables/index.ts';

/** The version whose tables were made by hand: every rewrite came after it. */
const firstVersion = 2;

/** SQL, in order. Each runs once, before what is missing is made. */
const rewrites: readonly string[] = [];

const version = firstVersion + rewrites.length;

/**
 * All of it or nothing. Throws when the file was rewritten by a newer version of the program; tables and columns of one are
 * no hindrance, this version leaves them alone.
 */
export function migrate(db: Database): void {
  const { user_version: found = 0 } = db.prepare<{ user_version: number }>('pragma user_version').get() ?? {};
  if (found > version) {
    throw new Error(`the store was written by a newer version (schema ${found}, this one knows ${version})`);
  }
  db.exec('begin immediate');
  try {
    // An empty file has nothing to rewrite.
    if (found > 0) for (const sql of rewrites.slice(Math.max(0, found - firstVersion))) db.exec(sql);
    for (const table of tables) table.complete(db);
    db.exec(`pragma user_version = ${version}; commit;`);
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}
