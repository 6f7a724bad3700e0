/**
 * Fuzzes one target for a time: inputs that run new code are kept and mutated further. Rules for each input: no unexpected error is thrown,
 * no turn of the event loop is long, nothing hangs, and the memory does not grow.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Random } from '../actors/support/random.ts';
import { Seen } from './coverage.ts';
import type { Coverage } from './coverage.ts';
import type { Target } from './target.ts';
import { Mutator } from './mutate.ts';

/** [faults: I9] */
const maxTurnMs = 50;
const hangsAfterMs = 15_000;
/** Interval of the memory checks. */
const lookEveryMs = 20_000;
const maxGrowthBytes = 128 * 2 ** 20;
/** The share of the time that may be used for coverage. */
const countingShare = 0.25;
const maxBatch = 400;

interface Finding {
  input: Buffer;
  /** The error; findings with the same first line count as one. */
  what: string;
}

interface Fuzzed {
  executions: number;
  findings: Finding[];
  /** Inputs that this run added to the corpus. */
  kept: Buffer[];
  /** Functions of ours that have run. */
  functions: number;
}

interface Fuzzing {
  seed: number;
  untilMs: number;
  corpus: readonly Buffer[];
  /** The run stops after this number of findings. */
  maxFindings: number;
  coverage: Coverage;
}

export async function fuzz(target: Target, fuzzing: Fuzzing): Promise<Fuzzed> {
  await fuzzing.coverage.take(); // drops the coverage of other targets
  return new Run(target, fuzzing).run();
}

class Run {
  readonly #target: Target;
  readonly #fuzzing: Fuzzing;
  readonly #coverage: Coverage;
  readonly #random: Random;
  readonly #mutator: Mutator;
  readonly #corpus: Buffer[];
  readonly #kept: Buffer[] = [];
  readonly #seen = new Seen();
  readonly #words = new Set<string>();
  readonly #findings = new Map<string, Finding>();
  readonly #thrown = (error: unknown): void => this.#found(this.#current, sayOf(error));
  #current: Buffer = Buffer.alloc(0);
  #executions = 0;
  #batch = 1;
  #baseline: number | null = null;
  #lookedAt = performance.now();

  constructor(target: Target, fuzzing: Fuzzing) {
    this.#target = target;
    this.#fuzzing = fuzzing;
    this.#coverage = fuzzing.coverage;
    this.#random = new Random(fuzzing.seed);
    this.#mutator = new Mutator(this.#random, target.maxBytes);
    this.#corpus = [...target.seeds.map((seed) => Buffer.from(seed)), ...fuzzing.corpus];
  }

  async run(): Promise<Fuzzed> {
    // An unhandled error would end the service, so it is a finding.
    process.on('uncaughtException', this.#thrown);
    try {
      return await this.#rounds();
    } finally {
      process.off('uncaughtException', this.#thrown);
    }
  }

  async #rounds(): Promise<Fuzzed> {
    for (const input of this.#corpus) this.#words.add((await this.#execute(input)) ?? '');
    this.#seen.add(await this.#coverage.take());
    while (performance.now() < this.#fuzzing.untilMs && this.#findings.size < this.#fuzzing.maxFindings) {
      await this.#round();
      if (performance.now() - this.#lookedAt > lookEveryMs) await this.#lookAtMemory();
    }
    return {
      executions: this.#executions,
      findings: [...this.#findings.values()],
      kept: this.#kept,
      functions: this.#seen.size,
    };
  }

  /** Runs a batch of inputs and reads the coverage once, because reading is slow; if new code has run, each input is repeated alone. */
  async #round(): Promise<void> {
    const startedAt = performance.now();
    const inputs = Array.from({ length: this.#batch }, () => this.#next());
    const words: string[] = [];
    for (const input of inputs) words.push((await this.#execute(input)) ?? '');
    const countingAt = performance.now();
    const ran = await this.#coverage.take();
    this.#adjust(countingAt - startedAt, performance.now() - countingAt);
    const isNew = this.#seen.isNew(ran);
    for (const [at, input] of inputs.entries()) {
      const word = words[at] ?? '';
      if (this.#words.has(word) && !(isNew && (await this.#runsAnew(input)))) continue;
      this.#words.add(word);
      this.#corpus.push(input);
      this.#kept.push(input);
    }
    this.#seen.add(ran);
  }

  #next(): Buffer {
    const random = this.#random;
    // Recent inputs are chosen more often, because they have been mutated less.
    const recent = random.chance(0.3) ? this.#corpus.slice(-20) : this.#corpus;
    return this.#mutator.changed(random.pick(recent), random.pick(this.#corpus));
  }

  async #runsAnew(input: Buffer): Promise<boolean> {
    await this.#execute(input);
    const ran = await this.#coverage.take();
    const isNew = this.#seen.isNew(ran);
    this.#seen.add(ran);
    return isNew;
  }

  #adjust(ranMs: number, countedMs: number): void {
    const isExpensive = countedMs > countingShare * (ranMs + countedMs);
    this.#batch = Math.max(
      1,
      Math.min(maxBatch, isExpensive ? this.#batch * 2 : Math.floor(this.#batch * 0.8)),
    );
  }

  /** The word for the outcome; null for a finding. */
  async #execute(input: Buffer): Promise<string | null> {
    this.#executions += 1;
    const startedAt = performance.now();
    const said = await this.#outcome(input);
    // An input with a finding is not measured again: a hang would take its whole time-out each time.
    if (said !== null && performance.now() - startedAt > maxTurnMs) {
      const turnMs = await this.#shortestLongTurn(input);
      if (turnMs > maxTurnMs) this.#found(input, `a turn takes long: ${Math.round(turnMs)} ms`);
    }
    return said;
  }

  async #outcome(input: Buffer): Promise<string | null> {
    const over = new AbortController();
    this.#current = input;
    try {
      return await Promise.race([
        this.#target.run(input),
        wait(this.#target.hangsAfterMs ?? hangsAfterMs, null, { signal: over.signal }).then(() =>
          Promise.reject(new Error('it hangs')),
        ),
      ]);
    } catch (error) {
      this.#found(input, sayOf(error));
      return null;
    } finally {
      over.abort();
    }
  }

  /** The shortest of up to five runs: other work in this process, or code that is not compiled yet, can make one turn long. */
  async #shortestLongTurn(input: Buffer): Promise<number> {
    let shortest = Infinity;
    for (let times = 0; times < 5 && shortest > maxTurnMs; times += 1)
      shortest = Math.min(shortest, await longestTurn(() => this.#outcome(input)));
    return shortest;
  }

  #found(input: Buffer, what: string): void {
    const name = (what.split('\n')[0] ?? '').replaceAll(/\d+/g, 'N');
    if (this.#findings.has(name)) return;
    this.#findings.set(name, { input, what });
    process.stderr.write(
      `found: ${what}\n  by ${JSON.stringify(input.subarray(0, 400).toString('latin1'))}\n`,
    );
  }

  async #lookAtMemory(): Promise<void> {
    await this.#target.tidy?.();
    globalThis.gc?.();
    await wait(50);
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const used = heapUsed + external;
    this.#lookedAt = performance.now();
    this.#baseline ??= used;
    if (used - this.#baseline > maxGrowthBytes)
      this.#found(
        Buffer.alloc(0),
        `the memory grows: ${Math.round((used - this.#baseline) / 2 ** 20)} MB more`,
      );
  }
}

function sayOf(error: unknown): string {
  return error instanceof Error ? `${error.message}\n${error.stack ?? ''}` : String(error);
}

/** CPU time of this process within one turn, ms, which does not depend on the load of the machine. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isOver] = [0, process.cpuUsage(), false];
  const look = (): void => {
    const { user, system } = process.cpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.cpuUsage();
  };
  const turn = (): void => {
    look();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  look();
  return longest;
}
