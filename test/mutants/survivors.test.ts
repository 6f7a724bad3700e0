/** The mutants that are listed as no faults: the text each of them changes is still there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

interface Survivor {
  file: string;
  code: string;
  /** Without it: every mutant within the text. */
  mutant?: string;
  why: string;
}

const root = join(import.meta.dirname, '../..');
const listed: Survivor[] = JSON.parse(readFileSync(join(root, 'test/mutants/survivors.json'), 'utf8'));

test('every listed mutant changes a text that its file still has, and says why it is no fault', () => {
  const gone = listed.filter(({ file, code }) => !readFileSync(join(root, file), 'utf8').includes(code));
  const unexplained = listed.filter(({ why }) => why.length < 20);
  expect({ gone, unexplained }).toEqual({ gone: [], unexplained: [] });
});
