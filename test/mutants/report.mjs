/** The report of a run: the mutants that no test detects, and the figures of each folder. */
import { dirname } from 'node:path';

const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 160);

export function say({ mutant, state, by }) {
  console.log(
    `${state}: ${mutant.file}:${mutant.line} ${mutant.mutator}${by === null ? '' : ` (${short(by)})`}`,
  );
  console.log(`    ${short(mutant.code)}\n    → ${short(mutant.mutant)}`);
}

const count = (results, state) => results.filter((result) => result.state === state).length;

function shareOf(results) {
  const judged = results.length - count(results, 'listed');
  return judged === 0 ? 100 : (100 * count(results, 'noticed')) / judged;
}

function lineOf(name, results) {
  const [noticed, survived, notRun, listed] = ['noticed', 'survived', 'not run', 'listed'].map((state) =>
    count(results, state),
  );
  return `| ${name} | ${results.length} | ${noticed} | ${survived} | ${notRun} | ${listed} | ${shareOf(results).toFixed(1)} % |`;
}

/** Prints the table; returns the share of detected mutants, without the listed ones. */
export function report(results, { seed, seconds }) {
  const folders = new Map();
  for (const result of results) {
    const folder = dirname(result.mutant.file);
    folders.set(folder, [...(folders.get(folder) ?? []), result]);
  }
  console.log(`\n${results.length} mutants, seed ${seed}, ${seconds} s\n`);
  console.log('| folder | tried | noticed | survived | run by no test | listed | noticed of those judged |');
  console.log('|---|---|---|---|---|---|---|');
  for (const [folder, of] of [...folders].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    console.log(lineOf(folder, of));
  console.log(lineOf('together', results));
  return shareOf(results);
}
