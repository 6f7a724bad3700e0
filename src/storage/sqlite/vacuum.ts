/** Returns a file's free pages to the disk, in the writing thread, 1 MB per second. [faults: 125] */
import { systemClock } from '../../kernel/clock.ts';
import { readPragma } from './sqlite.ts';
import type { Database } from './sqlite.ts';

const everyMs = 1_000;
/** 1 MB: takes 0.6 ms of the writing thread, at most 3 ms. */
const pagesPerStep = 256;
/** Free pages to keep, as a part of the file and at least: they are soon written again. */
const sparePart = 0.1;
const sparePages = 1_000;
/** Value of `pragma auto_vacuum` in a file that can shrink. A file of an older version cannot, until a backup of it is restored. */
const incremental = 2;

/** Returns a function that stops it. */
export function startVacuum(db: Database): () => void {
  if (readPragma(db, 'auto_vacuum') !== incremental) return () => undefined;
  let stop = (): void => undefined;
  const step = (): void => {
    vacuumStep(db);
    stop = systemClock.after(everyMs, step);
  };
  stop = systemClock.after(everyMs, step);
  return () => stop();
}

function vacuumStep(db: Database): void {
  try {
    const spare = Math.max(sparePages, readPragma(db, 'page_count') * sparePart);
    if (readPragma(db, 'freelist_count') <= spare) return;
    db.exec(`pragma incremental_vacuum(${pagesPerStep})`);
  } catch {
    // The disk is full or failing: the next write reports that, and this is retried in a second.
  }
}
