// What is made of jest's report. A file that failed in the full parallel run is run once more alone: a machine that is
// short of breath fails tests that are right, and a test that is wrong fails twice.
//   node .ci/second-try.mjs failed FIRST          the files that failed, one a line
//   node .ci/second-try.mjs count FIRST [SECOND]  names those that passed only alone, then `N passed, N failed`
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** By file: how many of its tests passed and failed; null when there is no report that can be read. */
function read(path) {
  try {
    const files = new Map();
    for (const { name, status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
      const of = (word) => assertionResults.filter((test) => test.status === word).length;
      const failed = of('failed');
      files.set(name, {
        passed: of('passed'),
        // A file that did not even load, or that ended without its tests, is one failure.
        failed: status === 'failed' ? Math.max(failed, 1) : failed,
      });
    }
    return files;
  } catch {
    return null;
  }
}

const failing = (files) => [...files].filter(([, counts]) => counts.failed > 0).map(([name]) => name);

function count(first, second) {
  if (first === null || first.size === 0) return { alone: [], passed: 0, failed: 1 };
  const final = new Map(first);
  const alone = [];
  for (const name of failing(first)) {
    const again = second?.get(name);
    if (again === undefined) continue;
    final.set(name, again);
    if (again.failed === 0) alone.push(name);
  }
  const sum = (word) => [...final.values()].reduce((total, counts) => total + counts[word], 0);
  return { alone, passed: sum('passed'), failed: sum('failed') };
}

const [what, firstPath, secondPath] = process.argv.slice(2);
const first = read(firstPath);
const here = (name) => relative(process.cwd(), name);
if (what === 'failed') {
  if (first !== null) for (const name of failing(first)) console.log(here(name));
} else if (what === 'count') {
  const { alone, passed, failed } = count(first, secondPath === undefined ? null : read(secondPath));
  if (alone.length > 0)
    console.log(`passed only alone:\n${alone.map((name) => `  ${here(name)}`).join('\n')}`);
  console.log(`${passed} passed, ${failed} failed`);
} else {
  console.error('usage: second-try.mjs failed|count FIRST [SECOND]');
  process.exitCode = 2;
}
