/**
 * The time that decisions are made by. Somebody sets the wall clock, NTP corrects it after a start with a wrong one, a virtual machine
 * resumes: then the wall steps, and whatever is under way would be an hour old, or not due for an hour. This time goes on instead, and
 * approaches the wall at half speed: after a step back it runs half as fast, after a step forward half as fast again, so that a wait of
 * 30 s takes 20 to 60 s until both agree. It never runs backwards. [faults: 19, 292]
 */

/** A difference below this is the usual correction of a clock that drifts, and is followed at once. */
const stepMs = 1_000;
/** Nobody waits two days for a clock: a step above this is believed at once. */
const mostApproachedMs = 24 * 3_600_000;
const approachPerMs = 0.5;

/** `ms`: by how much the wall went ahead of what had passed; negative: back. */
export interface ClockStep {
  ms: number;
  /** False: too large, so that what is under way ages by it at once. */
  isApproached: boolean;
}

export class SteadyTime {
  readonly #wall: () => number;
  readonly #monotonic: () => number;
  /** Both clocks at the last look; the wall is trusted for a second beyond it. */
  #seen: { wall: number; monotonic: number };
  /** What this time is ahead of the wall. */
  #ahead = 0;
  #told: (step: ClockStep) => void = () => undefined;

  constructor(wall: () => number, monotonic: () => number) {
    this.#wall = wall;
    this.#monotonic = monotonic;
    this.#seen = { wall: wall(), monotonic: monotonic() };
  }

  /** Called at each step that is noticed; must not throw. */
  onStep(told: (step: ClockStep) => void): void {
    this.#told = told;
  }

  /** Whole ms since the epoch. One reading of the wall while no step is possible: a send asks a dozen times. */
  now(): number {
    const wall = this.#wall();
    const sinceSeen = wall - this.#seen.wall;
    if (this.#ahead === 0 && sinceSeen >= 0 && sinceSeen <= stepMs) return wall;
    return this.#look(wall);
  }

  #look(wall: number): number {
    const monotonic = this.#monotonic();
    const passed = monotonic - this.#seen.monotonic;
    const stepped = wall - this.#seen.wall - passed;
    this.#seen = { wall, monotonic };
    this.#approach(passed);
    if (Math.abs(stepped) > stepMs) this.#stepped(stepped);
    return Math.floor(wall + this.#ahead);
  }

  #approach(passed: number): void {
    const left = Math.max(0, Math.abs(this.#ahead) - passed * approachPerMs);
    this.#ahead = left < 1 ? 0 : Math.sign(this.#ahead) * left;
  }

  #stepped(ms: number): void {
    const isApproached = Math.abs(this.#ahead - ms) <= mostApproachedMs;
    this.#ahead = isApproached ? this.#ahead - ms : 0;
    this.#told({ ms: Math.round(ms), isApproached });
  }
}
