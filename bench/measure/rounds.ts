/**
 * Interleaved rounds: in each round every server carries the same load, one after the other, and ratios are taken inside the
 * round, so that a machine that slows down slows all of them. [performance §3]
 */
import { cpuMsOf, machineCpuMs } from './proc.ts';
import { spreadOf } from './stats.ts';
import type { Spread } from './stats.ts';

/** What a load did. `units`: sends, ingests or events that were carried to their end. */
export interface Carried {
  units: number;
  failed: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

export interface Contender {
  name: string;
  pid: number;
  /** Its helper (the Redis of the naive one): measured and printed beside it, never mixed into it. */
  besidePid: number | null;
  carry: () => Promise<Carried>;
}

export interface Sample extends Carried {
  /** CPU µs per unit of the server process, all threads. */
  cpuUs: number;
  besideUs: number | null;
}

export interface Round {
  samples: Record<string, Sample>;
  /** Cores that processes which are not ours took, in the busiest load of the round. */
  othersCores: number;
  isValid: boolean;
}

/** Above it the round measures somebody else. [performance §3] */
export const maxOthersCores = 0.3;

export interface RoundsPlan {
  rounds: number;
  maxRounds: number;
  contenders: readonly Contender[];
  /** Every process that we started, this one included. */
  ourPids: () => readonly number[];
  tell: (line: string) => void;
}

/** Invalid rounds are repeated, within `mostRounds`: what disturbs this machine may never end. */
export async function interleave(plan: RoundsPlan): Promise<Round[]> {
  const rounds: Round[] = [];
  let valid = 0;
  while (valid < plan.rounds && rounds.length < plan.maxRounds) {
    const round = await oneRound(plan);
    rounds.push(round);
    if (round.isValid) valid += 1;
    plan.tell(lineOf(round, rounds.length));
  }
  return rounds;
}

async function oneRound({ contenders, ourPids }: RoundsPlan): Promise<Round> {
  const samples: Record<string, Sample> = {};
  let othersCores = 0;
  for (const contender of contenders) {
    const watch = watchOthers(ourPids);
    samples[contender.name] = await measure(contender);
    othersCores = Math.max(othersCores, watch());
  }
  return { samples, othersCores, isValid: othersCores <= maxOthersCores };
}

async function measure({ pid, besidePid, carry }: Contender): Promise<Sample> {
  const before = cpuMsOf(pid);
  const besideBefore = besidePid === null ? 0 : cpuMsOf(besidePid);
  const carried = await carry();
  const usPerUnit = (ms: number): number => (ms * 1_000) / carried.units;
  return {
    ...carried,
    cpuUs: usPerUnit(cpuMsOf(pid) - before),
    besideUs: besidePid === null ? null : usPerUnit(cpuMsOf(besidePid) - besideBefore),
  };
}

/** Starts watching; the answer is how many cores others took since. */
export function watchOthers(ourPids: () => readonly number[]): () => number {
  const ours = (): number => ourPids().reduce((ms, pid) => ms + cpuMsOf(pid), 0);
  const from = { at: performance.now(), machine: machineCpuMs(), ours: ours() };
  return () => {
    const others = machineCpuMs() - from.machine - (ours() - from.ours);
    return Math.max(0, others / (performance.now() - from.at));
  };
}

function lineOf({ samples, othersCores, isValid }: Round, number: number): string {
  const each = Object.entries(samples).map(
    ([name, s]) => `${name} ${s.cpuUs.toFixed(0)} µs ${s.perSecond.toFixed(0)}/s`,
  );
  const verdict = isValid ? '' : ` — INVALID, others took ${othersCores.toFixed(2)} cores`;
  return `  round ${number}: ${each.join(' · ')}${verdict}`;
}

/** Of the valid rounds; of all when none was valid, so that the table still shows something (marked INVALID). */
export function counted(rounds: readonly Round[]): readonly Round[] {
  const valid = rounds.filter((round) => round.isValid);
  return valid.length > 0 ? valid : rounds;
}

/** `pick` of `server` to `pick` of `other`, round by round. */
export function ratioOf(
  rounds: readonly Round[],
  server: string,
  other: string,
  pick: (sample: Sample) => number,
): Spread {
  const ratios = counted(rounds).flatMap(({ samples }) => {
    const [one, two] = [samples[server], samples[other]];
    return one === undefined || two === undefined ? [] : [pick(one) / pick(two)];
  });
  return spreadOf(ratios);
}
