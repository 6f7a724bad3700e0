/** The list of mutants that are no faults: each changes a text that still exists. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

interface Survivor {
  file: string;
  code: string;
  /** If it is missing, every mutant within the text. */
  mutant?: string;
  why: string;
}

const root = join(import.meta.dirname, '../..');
const listed: Survivor[] = JSON.parse(readFileSync(join(root, 'test/mutants/survivors.json'), 'utf8'));

test('every listed mutant changes a text that its file still contains, and has a reason why it is no fault', () => {
  const gone = listed.filter(({ file, code }) => !readFileSync(join(root, file), 'utf8').includes(code));
  const unexplained = listed.filter(({ why }) => why.length < 20);
  expect({ gone, unexplained }).toEqual({ gone: [], unexplained: [] });
});
