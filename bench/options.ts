import { parseArgs } from 'node:util';

export interface Options {
  smoke: boolean;
  /** Benches to run, by number or name; null: all. */
  only: ReadonlySet<string> | null;
  rounds: number;
  /** Limit of all rounds, including the disturbed ones. */
  maxRounds: number;
  /** Duration of one load. */
  seconds: number;
  /** Duration of bench 11; below, of benches 12 and 15. */
  busySeconds: number;
  soakSeconds: number;
  /** Share of the full rate, for benches 11, 12 and 15 on a machine that cannot give them two cores. */
  rate: number;
  /**
   * Idle channels of bench 8, a separate run for each number; then channels and past messages of benches 10 and 10b; bench 16 has as many
   * messages.
   */
  channels: readonly number[];
  grown: { channels: number; messages: number };
  /** The past messages of bench 10b have two delivered events each. */
  hasEvents: boolean;
  /** Live channels of bench 7's three nodes; a third of them lose their owner. */
  owned: number;
  /** Limits of the uncounted load before the first round. */
  warmUp: { seconds: number; units: number };
  /** Folder for CPU profiles of the service; null: none are written. */
  profileDir: string | null;
}

export const usage = `Usage: npm run bench -- [BENCH ...] [options]

  BENCH           number or name, as bench/README.md lists them; none: all
  --smoke         seconds instead of minutes; fails on budgets
  --compare REF   this tree against another commit
  --table         the latest results as the table of bench/README.md
  --rounds N      counted rounds of each (5)
  --seconds N     of one load (4)
  --busy-seconds N, --soak-seconds N   of bench 11, of 12 and 15 (60, 420)
  --rate R        of the full rate of benches 11, 12 and 15, above 0 (1)
  --channels N,…  idle channels of bench 8 (10000,100000)
  --messages N    past messages of benches 10 and 10b, and messages of bench 16 (1000000)
  --events        those of 10b have two delivered events each: four rows a message
  --owned N       live channels of bench 7, a third of which lose their owner (3000)
  --profile       writes CPU profiles of the service to bench/results/profile
`;

type Command =
  | { command: 'run'; options: Options }
  /** Compares this tree with another commit. */
  | { command: 'compare'; ref: string; options: Options }
  /** Writes the latest results as the table of bench/README.md. */
  | { command: 'table' }
  | { command: 'help' };

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  smoke: { type: 'boolean', default: false },
  table: { type: 'boolean', default: false },
  compare: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  'busy-seconds': { type: 'string' },
  'soak-seconds': { type: 'string' },
  rate: { type: 'string' },
  channels: { type: 'string' },
  messages: { type: 'string' },
  events: { type: 'boolean', default: false },
  owned: { type: 'string' },
  profile: { type: 'boolean', default: false },
} as const;

/** Parses e.g. `npm run bench -- send ingest --rounds 7 --seconds 3`. Throws an error with a readable sentence for invalid arguments. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parseArgs({ args: [...args], options: flags, allowPositionals: true });
  if (values.help) return { command: 'help' };
  if (values.table) return { command: 'table' };
  const options = optionsOf(values, positionals);
  return values.compare === undefined
    ? { command: 'run', options }
    : { command: 'compare', ref: values.compare, options };
}

interface Values {
  smoke: boolean;
  profile: boolean;
  events: boolean;
  rounds?: string | undefined;
  seconds?: string | undefined;
  'busy-seconds'?: string | undefined;
  'soak-seconds'?: string | undefined;
  rate?: string | undefined;
  channels?: string | undefined;
  messages?: string | undefined;
  owned?: string | undefined;
}

function optionsOf(values: Values, named: readonly string[]): Options {
  const { smoke } = values;
  const rounds = wholeOf('rounds', values.rounds, smoke ? 3 : 5, 50);
  const only = named.map((name) => name.trim()).filter(Boolean);
  const seconds = wholeOf('seconds', values.seconds, smoke ? 1 : 4, 60);
  return {
    smoke,
    only: only.length === 0 ? null : new Set(only),
    rounds,
    maxRounds: smoke ? rounds : 2 * rounds, // the smoke has no time to repeat disturbed rounds
    seconds,
    busySeconds: wholeOf('busy-seconds', values['busy-seconds'], 60, 600),
    soakSeconds: wholeOf('soak-seconds', values['soak-seconds'], 420, 3_600),
    rate: shareOf('rate', values.rate),
    channels: (values.channels ?? '10000,100000')
      .split(',')
      .map((count) => wholeOf('channels', count, 1, 1_000_000)),
    grown: { channels: 100_000, messages: wholeOf('messages', values.messages, 1_000_000, 100_000_000) },
    hasEvents: values.events,
    owned: wholeOf('owned', values.owned, 3_000, 300_000),
    warmUp: smoke ? { seconds: 1, units: 3_000 } : { seconds: Math.min(20, 5 * seconds), units: 20_000 },
    profileDir: values.profile ? 'bench/results/profile' : null,
  };
}

function shareOf(name: string, text = '1'): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new Error(`--${name} is above 0 and 1 at most`);
  return value;
}

/** Every load is limited, also one with options given by hand. [performance §3] */
function wholeOf(name: string, text: string | undefined, fallback: number, most: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Error(`--${name} is 1 to ${most}`);
  return value;
}
