/** The vertical axis of a plot: whole numbers, at round steps. */
export interface Scale {
  /** The highest line; at least the largest value. */
  top: number;
  /** Values of the lines, from `top` down to 0. */
  lines: readonly number[];
}

const mostSteps = 4;
const factors = [1, 2, 5, 10];

/** `most`: the largest value, 0 or more. */
export function makeScale(most: number): Scale {
  const power = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most / mostSteps))));
  const steps = factors.map((factor) => factor * power);
  const step = steps.find((each) => each * mostSteps >= most) ?? 10 * power;
  const count = Math.max(1, Math.ceil(most / step));
  return {
    top: count * step,
    lines: Array.from({ length: count + 1 }, (_, index) => (count - index) * step),
  };
}
