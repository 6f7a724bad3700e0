/** A file gives back the room of what was erased, in the writing thread, a megabyte a second. [faults: 125] */
import { systemClock } from '../../../kernel/clock.ts';
import { readPragma } from './sqlite.ts';
import type { Database } from './sqlite.ts';

const everyMs = 1_000;
/** 1 MB: 0.6 ms of the writing thread, 3 ms at most. */
const pagesPerStep = 256;
/** What is erased today is written tomorrow: so much stays free, of a file and at least. */
const sparePart = 0.1;
const sparePages = 1_000;
/** `pragma auto_vacuum` of a file that can do it. One that was made before stays as it is until a backup takes its place. */
const incremental = 2;

/** Answers what stops it. */
export function startShrinking(db: Database): () => void {
  if (readPragma(db, 'auto_vacuum') !== incremental) return () => undefined;
  let stop = (): void => undefined;
  const step = (): void => {
    giveBackSome(db);
    stop = systemClock.after(everyMs, step);
  };
  stop = systemClock.after(everyMs, step);
  return () => stop();
}

function giveBackSome(db: Database): void {
  const spare = Math.max(sparePages, readPragma(db, 'page_count') * sparePart);
  if (readPragma(db, 'freelist_count') <= spare) return;
  try {
    db.exec(`pragma incremental_vacuum(${pagesPerStep})`);
  } catch {
    // The disk is full, or fails: the next write is told so, and a second later this is tried again.
  }
}
