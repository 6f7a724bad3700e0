/**
 * Interleaved rounds: in each round every server carries the same load, one after the other. Ratios are taken within a round, so that a
 * change of the machine's speed affects all servers. [performance §3]
 */
import { maxOthersCores, watchOthers } from './others.ts';
import type { Others } from './others.ts';
import { cpuMsOf, cpuMsOfFamilies, mainThreadMsOf } from './proc.ts';
import { quantile, spreadOf } from './stats.ts';
import type { Spread } from './stats.ts';

/** Result of a load. `units`: sends, ingests or events that were carried to their end. */
export interface Carried {
  units: number;
  failed: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface Contender {
  name: string;
  /** All processes that do the work: one, or all nodes of a cluster. */
  pids: readonly number[];
  /** Its servers (Redis, MongoDB): measured and printed separately, never part of `cpuUs`. */
  beside: readonly number[];
  /** Prepares the load and is not measured, e.g. sends the messages that statuses will report on. */
  prepare?: () => Promise<void>;
  carry: () => Promise<Carried>;
}

interface Sample extends Carried {
  /** CPU of the server per unit in µs, all processes and threads. */
  cpuUs: number;
  /** The part of the main threads in it. */
  mainUs: number;
  besideUs: number | null;
}

export interface Round {
  samples: Record<string, Sample>;
  /** CPU of processes that are not ours, in the most disturbed load of the round. */
  others: Others;
  isValid: boolean;
}

interface RoundsPlan {
  rounds: number;
  maxRounds: number;
  contenders: readonly Contender[];
  /** All processes that we started, and this one. */
  ourPids: () => readonly number[];
  tell: (line: string) => void;
}

/** Invalid rounds are repeated, up to `maxRounds` in all, because a disturbance may never end. */
export async function interleave(plan: RoundsPlan): Promise<Round[]> {
  const rounds: Round[] = [];
  let valid = 0;
  while (valid < plan.rounds && rounds.length < plan.maxRounds) {
    const round = await oneRound(plan, rounds.length);
    rounds.push(round);
    if (round.isValid) valid += 1;
    plan.tell(lineOf(round, rounds.length));
  }
  return rounds;
}

/** Each round starts with a different contender, so that none always runs on a machine that the previous one has warmed up. */
async function oneRound({ contenders, ourPids }: RoundsPlan, number: number): Promise<Round> {
  const samples = new Map<string, Sample>();
  let others: Others = { cores: 0, busiest: '' };
  for (const contender of turned(contenders, number)) {
    await contender.prepare?.();
    const watch = watchOthers(ourPids);
    samples.set(contender.name, await measure(contender));
    const meanwhile = watch();
    if (meanwhile.cores > others.cores) others = meanwhile;
  }
  const inOrder = contenders.flatMap(({ name }) => {
    const sample = samples.get(name);
    return sample === undefined ? [] : [[name, sample] as const];
  });
  return { samples: Object.fromEntries(inOrder), others, isValid: others.cores <= maxOthersCores };
}

export function turned<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

async function measure({ pids, beside, carry }: Contender): Promise<Sample> {
  const before = cpuMsOfAll(pids);
  const mainBefore = mainMsOfAll(pids);
  const besideBefore = cpuMsOfFamilies(beside);
  const carried = await carry();
  const usPerUnit = (ms: number): number => (ms * 1_000) / carried.units;
  return {
    ...carried,
    cpuUs: usPerUnit(cpuMsOfAll(pids) - before),
    mainUs: usPerUnit(mainMsOfAll(pids) - mainBefore),
    besideUs: beside.length === 0 ? null : usPerUnit(cpuMsOfFamilies(beside) - besideBefore),
  };
}

export function cpuMsOfAll(pids: readonly number[]): number {
  return pids.reduce((ms, pid) => ms + cpuMsOf(pid), 0);
}

function mainMsOfAll(pids: readonly number[]): number {
  return pids.reduce((ms, pid) => ms + mainThreadMsOf(pid), 0);
}

function lineOf({ samples, others, isValid }: Round, number: number): string {
  const each = Object.entries(samples).map(
    ([name, s]) => `${name} ${s.cpuUs.toFixed(0)} µs ${s.perSecond.toFixed(0)}/s`,
  );
  const who = others.busiest === '' ? '' : ` (${others.busiest})`;
  const verdict = isValid ? '' : ` — INVALID, others took ${others.cores.toFixed(2)} cores${who}`;
  return `  round ${number}: ${each.join(' · ')}${verdict}`;
}

/** The valid rounds; all rounds if none was valid, so that the table still shows figures (marked INVALID). */
export function counted(rounds: readonly Round[]): readonly Round[] {
  const valid = rounds.filter((round) => round.isValid);
  return valid.length > 0 ? valid : rounds;
}

export type Pick = (sample: Sample) => number;

export const cpuOf: Pick = ({ cpuUs }) => cpuUs;
export const p50Of: Pick = ({ p50Ms }) => p50Ms;
/** For a baseline that cannot work without its server: the full cost of one unit. [performance §3, 1] */
export const cpuWithHelpers: Pick = ({ cpuUs, besideUs }) => cpuUs + (besideUs ?? 0);

/** Ratio of `pick` of `server` to `pick` of `other`, per round; null if one of them did not take part. */
export function ratioOf(
  rounds: readonly Round[],
  server: string,
  other: string,
  pick: Pick,
  pickOther: Pick = pick,
): Spread | null {
  return overPairs(rounds, server, other, (one, two) => pick(one) / pickOther(two));
}

/** `pick` of `server` minus `pick` of `other`, per round. */
export function differenceOf(
  rounds: readonly Round[],
  server: string,
  other: string,
  pick: Pick,
): Spread | null {
  return overPairs(rounds, server, other, (one, two) => pick(one) - pick(two));
}

const quietestShare = 0.1;

/**
 * Ratio of what each needed in its quietest rounds: the tenth percentile of all, also the invalid ones, because others can only add. It
 * stays within a few percent beside other work, where a ratio within a round follows whoever was disturbed.
 */
export function quietestRatioOf(
  rounds: readonly Round[],
  server: string,
  other: string,
  pick: Pick,
): Spread | null {
  const quietest = (name: string): number =>
    quantile(
      rounds
        .flatMap(({ samples: { [name]: sample } }) => (sample === undefined ? [] : [pick(sample)]))
        .toSorted((a, b) => a - b),
      quietestShare,
    );
  const ratio = quietest(server) / quietest(other);
  return Number.isNaN(ratio) ? null : spreadOf([ratio]);
}

function overPairs(
  rounds: readonly Round[],
  server: string,
  other: string,
  of: (one: Sample, two: Sample) => number,
): Spread | null {
  const values = counted(rounds).flatMap(({ samples }) => {
    const [one, two] = [samples[server], samples[other]];
    return one === undefined || two === undefined ? [] : [of(one, two)];
  });
  return values.length === 0 ? null : spreadOf(values);
}

/** `pick` of one server over the counted rounds. */
export function spreadOver(rounds: readonly Round[], server: string, pick: Pick): Spread | null {
  const values = counted(rounds).flatMap(({ samples }) => {
    const sample = samples[server];
    return sample === undefined ? [] : [pick(sample)];
  });
  return values.length === 0 ? null : spreadOf(values);
}
