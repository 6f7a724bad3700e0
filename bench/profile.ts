/**
 * `npx tsx bench/profile.ts [--from 6] bench/results/profile/*.cpuprofile`: CPU by function and by file, without idle time and without the
 * first seconds (starting, connecting, compiling; 6 by default). Profiles come from `npm run bench -- send --profile`. In the writing
 * thread, waiting for the disk counts as running.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tableOf } from './report.ts';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const most = 45;
const nothing = new Set(['(idle)', '(root)', '(program)']);

function hottest(
  { nodes, samples, timeDeltas }: CpuProfile,
  fromUs: number,
  nameOf: (frame: Frame) => string,
): string[][] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const us = new Map<string, number>();
  let total = 0;
  let at = 0;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    at += timeDeltas[index] ?? 0;
    if (at < fromUs || frame === undefined || nothing.has(frame.functionName)) continue;
    const spent = timeDeltas[index] ?? 0;
    total += spent;
    us.set(nameOf(frame), (us.get(nameOf(frame)) ?? 0) + spent);
  }
  const rows = [...us].toSorted(([, a], [, b]) => b - a).slice(0, most);
  return rows.map(([name, spent]) => [
    name,
    `${((spent / total) * 100).toFixed(1)} %`,
    `${(spent / 1_000).toFixed(0)} ms`,
  ]);
}

type Frame = CpuProfile['nodes'][0]['callFrame'];

function fileOf({ url }: Frame): string {
  return url.replace(/^.*\/(dist|node_modules)\//, '$1/').replace('dist/', '') || '(native)';
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '6' } },
});
const fromUs = Number(values.from) * 1e6;

for (const path of positionals) {
  const profile: CpuProfile = JSON.parse(readFileSync(path, 'utf8'));
  const byFunction = (frame: Frame): string =>
    `${frame.functionName || '(anonymous)'} ${fileOf(frame)}:${frame.lineNumber + 1}`;
  process.stdout.write(
    `${path}\n${tableOf(['function', 'self', ''], hottest(profile, fromUs, byFunction))}\n`,
  );
  process.stdout.write(`\n${tableOf(['file', 'self', ''], hottest(profile, fromUs, fileOf))}\n\n`);
}
