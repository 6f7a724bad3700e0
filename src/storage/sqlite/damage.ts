import type { Database } from './sqlite.ts';

/** Pages of the file are not what SQLite wrote: a failing disk, or another program that wrote into the file. */
const said =
  /database disk image is malformed|malformed database schema|file is not a database|file is encrypted/;

/** What an operator does about it. */
export const damageAdvice = 'move DATA_DIR away and restore a backup';

export function isDamage(message: string): boolean {
  return said.test(message);
}

/**
 * Throws if the pages of the file do not fit together: two seconds for a gigabyte. Whether each index fits its table would take twenty times as
 * long.
 */
export function refuseDamaged(db: Database): void {
  const [first] = db.prepare<{ quick_check: string }>('pragma quick_check(1)').all();
  const found = first?.quick_check ?? 'ok';
  if (found === 'ok') return;
  throw new Error(`database disk image is malformed: ${found.replaceAll(/\s*\n\s*/g, ' ')}`);
}
