/** Which tests cover which mutant, and whether one of them fails with it. */
import { bundle, bundleOf } from './bundles.mjs';
import { runJest } from './jest-runs.mjs';
import { WarmProcess } from './warm-process.mjs';

/** Code that runs when its module is loaded is covered by every test that imports it: this many files are tried, those that run most of the module. */
const filesForLoading = 12;
/** A file with more failing tests is left out whole. */
const fewTests = 3;
/** A run without a mutant never hangs, so this is generous: the slowest tests run mutated code ten thousand times, and other programs may use half of the CPU. */
const mapping = { untilMs: 1_200_000, testMs: 180_000 };

export class Tests {
  #folder;
  /** Each test file that passes without a mutant: the mutants that its tests cover, their durations, and the runner. */
  #files = [];

  /** Tests that take longer than `longest` ms are excluded. */
  #longest;

  constructor(folder, longest) {
    this.#folder = folder;
    this.#longest = longest;
  }

  /** Runs every file without a mutant, `workers` at a time; returns what fails then and is left out: tests, or a whole file with its first failure. */
  async map(files, workers) {
    await bundle(this.#folder, files);
    const waiting = [...files];
    const failing = [];
    const work = async () => {
      const process = new WarmProcess();
      while (waiting.length > 0) failing.push(...(await this.#mapFile(waiting.shift(), process)));
      process.stop();
    };
    await Promise.all(Array.from({ length: workers }, work));
    return failing;
  }

  async #mapFile(file, process) {
    const tried = await firstPassing([this.#warm(file), this.#inJest(file)], process);
    const isPassing = tried.note.failure === null;
    const { note, run, except } = isPassing ? tried : await this.#withoutFailing(file, process);
    if (note.failure === null) this.#files.push({ file, ...note, run });
    const whole = note.failure === null ? [] : [note.failure];
    return [...except, ...whole].map((name) => `${file}: ${name}`);
  }

  /** A test that measures the CPU may fail because mutants are switched: the others of its file remain. */
  async #withoutFailing(file, process) {
    const run = this.#warm(file);
    const except = [];
    let note = await run(mapping, process);
    while (note.failure !== null && note.failure in (note.took ?? {}) && except.length < fewTests) {
      except.push(note.failure);
      note = await run({ ...mapping, except }, process);
    }
    return { note, run, except };
  }

  get inJest() {
    return this.#files.filter(({ run }) => run.isJest).map(({ file }) => file);
  }

  #warm(file) {
    const of = { bundle: bundleOf(this.#folder, file) };
    return (task, process) => process.run({ ...of, ...task });
  }

  #inJest(file) {
    return Object.assign((task) => runJest(this.#folder, { file, ...task }), { isJest: true });
  }

  /** The first test that fails with the mutant; null if none does, undefined if none covers it. */
  async failingUnder(mutant, siblings, process) {
    const chosen = this.#running(mutant, siblings);
    if (chosen.length === 0) return undefined;
    for (const { file, run, ...of } of chosen) {
      const { failure } = await run({ mutant: mutant.id, ...of }, process);
      if (failure !== null) return `${file}: ${failure}`;
    }
    return null;
  }

  /** The files whose tests cover the mutant, the quickest first; of those that only load it, the ones that run most of its module first. */
  #running(mutant, siblings) {
    return this.#files
      .map((file) => taskOf(file, mutant, siblings, this.#longest))
      .filter((task) => task !== null)
      .toSorted((a, b) => b.near - a.near || a.cost - b.cost)
      .filter(({ isLoaded }, index) => !isLoaded || index < filesForLoading);
  }
}

async function firstPassing(runs, process) {
  let note;
  for (const run of runs) {
    note = await run(mapping, process);
    if (note.failure === null) return { note, run, except: [] };
  }
  return { note, except: [] };
}

function taskOf({ file, run, coverage, took }, { id }, siblings, longest) {
  const all = Object.values(coverage.perTest);
  const isLoaded = id in coverage.static;
  const only = Object.keys(took).filter(
    (name) => took[name] <= longest && (isLoaded || id in (coverage.perTest[name] ?? {})),
  );
  if (only.length === 0) return null;
  const near = isLoaded ? siblings.filter((one) => all.some((seen) => one in seen)).length : 0;
  const times = only.map((name) => took[name]);
  const hits = all.reduce((sum, seen) => sum + (seen[id] ?? 0), coverage.static[id] ?? 0);
  return { file, run, only, isLoaded, near, ...bounds(times), hitLimit: 1_000 + 100 * hits };
}

/** A run that takes four times as long as without a mutant, plus some seconds, counts as hanging. */
function bounds(times) {
  const cost = times.reduce((sum, ms) => sum + ms, 0);
  return { cost, testMs: 5_000 + 4 * Math.max(0, ...times), untilMs: 20_000 + 4 * cost };
}
