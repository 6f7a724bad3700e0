import { parseArgs } from 'node:util';

export interface Options {
  smoke: boolean;
  /** Benches to run; null: all. */
  only: ReadonlySet<string> | null;
  rounds: number;
  /** Rounds in all, those that others disturbed included. */
  maxRounds: number;
  /** Of one load. */
  seconds: number;
  /** Longest time, and work, of the uncounted load before the first round. */
  warmUp: { seconds: number; units: number };
  /** Writes a CPU profile of the service here. */
  profileDir: string | null;
}

/** `npm run bench -- --smoke --only 1,4 --rounds 7 --seconds 3 --profile`. Throws a sentence on anything else. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      smoke: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'boolean', default: false },
    },
  });
  const { smoke, only } = values;
  const rounds = wholeOf('rounds', values.rounds, smoke ? 2 : 5, 50);
  return {
    smoke,
    only: only === undefined ? null : new Set(only.split(',').map((id) => id.trim())),
    rounds,
    maxRounds: smoke ? rounds + 1 : 2 * rounds,
    seconds: wholeOf('seconds', values.seconds, smoke ? 2 : 4, 60),
    warmUp: smoke ? { seconds: 2, units: 4_000 } : { seconds: 30, units: 20_000 },
    profileDir: values.profile ? 'bench/results/profile' : null,
  };
}

/** Every load is bounded, also by hand. [performance §3] */
function wholeOf(name: string, text: string | undefined, fallback: number, most: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} is 1 to ${most}`);
  return value;
}
