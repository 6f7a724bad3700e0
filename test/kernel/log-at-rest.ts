/** Prints the event loop turns of a process whose log wrote one line during an unfinished write, and nothing since. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatheringLines } from '../../src/kernel/gathering-lines.ts';
import { turnsAtRest } from '../support/loop-turns.ts';
import { openPipe, readUpTo } from '../support/pipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'trunkline-log-'));
const { writes, reads } = openPipe(folder);
rmSync(folder, { recursive: true });

const to = new GatheringLines(writes);
// More than the pipe holds: in flight until it is read.
to.write(`${'x'.repeat(200_000)}\n`);
to.write('beside\n');
await readUpTo('\nbeside\n', reads);
console.log(JSON.stringify([await turnsAtRest()]));
process.exit();
