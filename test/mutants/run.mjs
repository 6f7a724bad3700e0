/**
 * `npm run mutate -- --only src/rules/webhooks/url`: makes small changes in the sources, one at a time, and prints those that no test detects.
 * `--sample 50 --seed 7` tries fifty of them, `--seconds 60` starts no further one a minute after the tests are mapped, `--workers 2` tries two at a time,
 * `--at FILE:LINE,FILE:LINE` tries those in these lines.
 */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import prepareRun from '../support/prepare-run.js';
import { report, say } from './report.mjs';
import { testPlaces, testsLeftOut } from './modules.mjs';
import { makeSandbox, root } from './sandbox.mjs';
import { Tests } from './tests.mjs';
import { WarmProcess } from './warm-process.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    at: { type: 'string' },
    tests: { type: 'string' },
    sample: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    longest: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: 'Infinity' },
    verbose: { type: 'boolean', default: false },
    workers: { type: 'string', default: '1' },
    'at-least': { type: 'string', default: '95' },
  },
});
const survivors = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'));

/** mulberry32: the same sample for the same seed. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A sample of the given size, or all mutants in the order of the sources. */
function sampleOf(mutants, size, seed) {
  if (size >= mutants.length) return [...mutants];
  const random = seeded(seed);
  const keyed = mutants.map((mutant) => ({ mutant, key: random() }));
  return keyed
    .toSorted((a, b) => a.key - b.key)
    .slice(0, size)
    .map(({ mutant }) => mutant);
}

function filesIn(folder, place) {
  if (place.endsWith('.ts')) return [place];
  return readdirSync(join(folder, place), { recursive: true, encoding: 'utf8' }).map((name) =>
    join(place, name),
  );
}

function testFiles(folder) {
  const chosen = values.tests?.split(',') ?? testPlaces;
  return testPlaces
    .flatMap((place) => filesIn(folder, place))
    .filter((name) => name.endsWith('.test.ts') && (!testsLeftOut.test(name) || chosen.includes(name)))
    .filter((name) => chosen.some((beginning) => name.startsWith(beginning)));
}

const isListed = (mutant) =>
  survivors.some(
    (one) =>
      one.file === mutant.file &&
      (one.mutant === undefined
        ? isWithin(one, mutant)
        : one.code === mutant.code && one.mutant === mutant.mutant),
  );

/** An entry without a mutant stands for every mutant within its text. */
function isWithin({ file, code }, mutant) {
  const [before] = readFileSync(join(root, file), 'utf8').split(code);
  const first = before.split('\n').length;
  const last = first + code.split('\n').length - 1;
  return code.includes(mutant.code) && mutant.line >= first && mutant.line <= last;
}

function stateOf(mutant, failing) {
  if (typeof failing === 'string') return 'noticed';
  if (isListed(mutant)) return 'listed';
  return failing === null ? 'survived' : 'not run';
}

/** Yields the remaining mutants, one after another. */
async function tryAll(waiting, tests, siblingsOf, isInTime) {
  const process = new WarmProcess();
  const results = [];
  while (waiting.length > 0 && isInTime()) {
    const mutant = waiting.shift();
    const failing = await tests.failingUnder(mutant, siblingsOf(mutant), process);
    const result = { mutant, state: stateOf(mutant, failing), by: failing ?? null };
    if (values.verbose || result.state !== 'noticed') say(result);
    results.push(result);
  }
  process.stop();
  return results;
}

async function main() {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1_000);
  const places = values.at?.split(',').map((place) => place.split(':'));
  await prepareRun();
  const { folder, mutants } = await makeSandbox(places?.map(([file]) => file) ?? [values.only ?? '']);
  try {
    const tests = new Tests(folder, Number(values.longest));
    const failing = await tests.map(testFiles(folder), Number(values.workers));
    const mapped = seconds();
    console.log(`${mutants.length} mutants; tests mapped in ${mapped} s`);
    if (failing.length > 0) console.log(`left out, since they fail without a mutant:\n${failing.join('\n')}`);
    if (tests.inJest.length > 0) console.log(`in a process of jest each: ${tests.inJest.join(' ')}`);
    const isAt = (one) => places.some(([file, line]) => one.file === file && one.line === Number(line));
    const eligible = places === undefined ? mutants : mutants.filter(isAt);
    const waiting = sampleOf(eligible, Number(values.sample), Number(values.seed));
    const siblingsOf = ({ file }) => mutants.filter((one) => one.file === file).map(({ id }) => id);
    const work = () => tryAll(waiting, tests, siblingsOf, () => seconds() - mapped < Number(values.seconds));
    const results = await Promise.all(Array.from({ length: Number(values.workers) }, work));
    const share = report(results.flat(), { seed: values.seed, seconds: seconds() });
    if (share < Number(values['at-least'])) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
