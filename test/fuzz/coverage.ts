/** Which parts of our code have run, by V8's counters. */
import { Session } from 'node:inspector/promises';

/** From, to: ranges in the text of a file, in order. */
type Pieces = readonly (readonly [number, number])[];

/** For each function that has run, the ranges that have not. */
type Ran = ReadonlyMap<string, Pieces>;

export class Coverage {
  readonly #session = new Session();
  readonly #isOurs: (url: string) => boolean;

  private constructor(isOurs: (url: string) => boolean) {
    this.#isOurs = isOurs;
  }

  /** Once per process: V8 counts no ranges of a function that ran before counting was stopped and started again. */
  static async start(isOurs: (url: string) => boolean): Promise<Coverage> {
    const coverage = new Coverage(isOurs);
    coverage.#session.connect();
    await coverage.#session.post('Profiler.enable');
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return coverage;
  }

  /** What has run since the last call. */
  async take(): Promise<Ran> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    const ran = new Map<string, Pieces>();
    for (const { url, scriptId, functions } of result) {
      if (!this.#isOurs(url)) continue;
      for (const {
        ranges: [whole, ...parts],
      } of functions) {
        if (whole === undefined || whole.count === 0) continue;
        const left = parts.filter(({ count }) => count === 0);
        ran.set(
          `${scriptId}:${whole.startOffset}:${whole.endOffset}`,
          left.map(({ startOffset, endOffset }) => [startOffset, endOffset]),
        );
      }
    }
    return ran;
  }

  stop(): void {
    this.#session.disconnect();
  }
}

/** Everything that has run so far. */
export class Seen {
  readonly #never = new Map<string, Pieces>();

  /** The number of functions that have run. */
  get size(): number {
    return this.#never.size;
  }

  /** Whether a part of it had never run before. */
  isNew(ran: Ran): boolean {
    for (const [name, left] of ran) {
      const never = this.#never.get(name);
      if (never === undefined || lengthOf(common(never, left)) < lengthOf(never)) return true;
    }
    return false;
  }

  add(ran: Ran): void {
    for (const [name, left] of ran) {
      const never = this.#never.get(name);
      this.#never.set(name, never === undefined ? left : common(never, left));
    }
  }
}

function common(one: Pieces, other: Pieces): Pieces {
  const both: [number, number][] = [];
  for (const [from, to] of one)
    for (const [start, end] of other) {
      const [left, right] = [Math.max(from, start), Math.min(to, end)];
      if (left < right) both.push([left, right]);
    }
  return both;
}

function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, [from, to]) => sum + to - from, 0);
}
