/**
 * `npm run mutate -- --only actors/channel --sample 50 --seed 7`: changes the sources in small ways, one at a time, and says which
 * changes no test notices. `--seconds 60` begins no further mutant after a minute, `--workers 2` tries two at a time,
 * `--at FILE:LINE,FILE:LINE` tries those of these lines.
 */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runJest } from './jest-runs.mjs';
import { testPlaces, testsLeftOut } from './rooms.mjs';
import { makeSandbox } from './sandbox.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    at: { type: 'string' },
    tests: { type: 'string' },
    sample: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    seconds: { type: 'string', default: '3600' },
    workers: { type: 'string', default: '1' },
    'at-least': { type: 'string', default: '95' },
  },
});
const survivors = JSON.parse(readFileSync(join(import.meta.dirname, 'survivors.json'), 'utf8'));
/** What a module does while it is loaded is seen by every test of a file: so many files, those that run most of it. */
const filesForLoading = 12;
/** Without a mutant nothing hangs. The slowest tests count ten thousand turns of mutated code; other programs may take half the machine. */
const mapping = { untilMs: 1_200_000, testMs: 180_000 };

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

function sampleOf(mutants, size, seed) {
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
    .filter((name) => name.endsWith('.test.ts') && !testsLeftOut.test(name))
    .filter((name) => chosen.some((beginning) => name.startsWith(beginning)));
}

/** For each mutant the test files that run it, with the tests that do; null for all of a file. */
async function whatRunsWhat(folder, workers) {
  const files = testFiles(folder);
  const { notes, said } = await runJest(folder, { files, workers, ...mapping });
  const without = files.filter((file) => !notes.some((note) => note.file === file));
  if (notes.length === 0) throw new Error(`no test file passes without a mutant\n${said.slice(-4_000)}`);
  if (without.length > 0)
    console.log(
      `left out, since they fail without a mutant: ${without.join(' ')}\n${failuresIn(said).join('\n')}`,
    );
  return notes.filter((note) => note.coverage !== undefined);
}

/** What jest says of the tests that fail. */
const failuresIn = (said) => said.split('\n').filter((line) => line.startsWith('  ● '));

function testsFor(mutant, notes, siblings) {
  const found = [];
  for (const { file, coverage, took } of notes) {
    const names = Object.keys(coverage.perTest).filter((name) => mutant.id in coverage.perTest[name]);
    const isLoaded = mutant.id in coverage.static;
    if (names.length === 0 && !isLoaded) continue;
    const all = Object.values(coverage.perTest);
    const near = isLoaded ? siblings.filter((id) => all.some((seen) => id in seen)).length : 0;
    const times = (isLoaded ? Object.keys(took) : names).map((name) => took[name] ?? 0);
    const cost = times.reduce((sum, ms) => sum + ms, 0);
    found.push({ file, names: isLoaded ? null : names, near, cost, longest: Math.max(0, ...times) });
  }
  return found
    .toSorted((a, b) => b.near - a.near || a.cost - b.cost)
    .filter(({ names }, index) => names !== null || index < filesForLoading);
}

const isListed = (mutant) =>
  survivors.some(
    (one) => one.file === mutant.file && one.code === mutant.code && one.mutant === mutant.mutant,
  );

async function tried(folder, mutant, chosen) {
  if (chosen.length === 0) return { state: 'not run' };
  const tests = Object.fromEntries(chosen.map(({ file, names }) => [file, names]));
  const files = chosen.map(({ file }) => file);
  const { code, notes } = await runJest(folder, {
    files,
    tests,
    mutant: mutant.id,
    workers: 1,
    ...hangs(chosen),
  });
  if (code === 0) return { state: 'survived' };
  return { state: 'noticed', by: notes.at(0)?.noticedBy ?? (code === null ? 'hangs' : 'does not load') };
}

/** What takes four times as long as without a mutant, and 20 s more, hangs. */
function hangs(chosen) {
  const testMs = 20_000 + 4 * Math.max(...chosen.map(({ longest }) => longest));
  return { testMs, untilMs: 60_000 + 4 * chosen.reduce((sum, { cost }) => sum + cost, 0) };
}

function say(mutant, { state, by }) {
  const short = (text) => text.replaceAll(/\s+/g, ' ').slice(0, 160);
  console.log(
    `${state}: ${mutant.file}:${mutant.line} ${mutant.mutator}${by === undefined ? '' : ` (${by})`}`,
  );
  if (state !== 'noticed') console.log(`    ${short(mutant.code)}\n    → ${short(mutant.mutant)}`);
}

function report(results) {
  const count = (state) => results.filter((result) => result.state === state).length;
  const noticed = count('noticed');
  const judged = results.length - count('listed');
  const share = judged === 0 ? 100 : (100 * noticed) / judged;
  console.log(
    `${results.length} mutants, seed ${values.seed}: ${noticed} noticed, ${count('survived')} survived, ` +
      `${count('not run')} run by no test, ${count('listed')} listed as no faults: ${share.toFixed(1)} % noticed`,
  );
  return share;
}

async function main() {
  const began = Date.now();
  const isInTime = () => Date.now() - began < Number(values.seconds) * 1_000;
  const places = values.at?.split(',').map((place) => place.split(':'));
  const { folder, mutants } = await makeSandbox(places?.map(([file]) => file) ?? [values.only ?? '']);
  try {
    const notes = await whatRunsWhat(folder, 2);
    const isAt = (one) => places.some(([file, line]) => one.file === file && one.line === Number(line));
    const eligible = places === undefined ? mutants : mutants.filter(isAt);
    const waiting = sampleOf(eligible, Number(values.sample), Number(values.seed));
    console.log(`${mutants.length} mutants; tests mapped in ${Math.round((Date.now() - began) / 1_000)} s`);
    const results = [];
    const work = async () => {
      while (waiting.length > 0 && isInTime()) {
        const mutant = waiting.shift();
        const siblings = mutants.filter((one) => one.file === mutant.file).map(({ id }) => id);
        const result = await tried(folder, mutant, testsFor(mutant, notes, siblings));
        if (result.state !== 'noticed' && isListed(mutant)) result.state = 'listed';
        results.push(result);
        say(mutant, result);
      }
    };
    await Promise.all(Array.from({ length: Number(values.workers) }, work));
    if (report(results) < Number(values['at-least'])) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
