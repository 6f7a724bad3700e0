/**
 * `npx tsx bench/profile.ts [--from 6] bench/results/profile/*.cpuprofile`: CPU by function and by file, without idle time and without the
 * first seconds (starting, connecting, compiling; 6 by default). Profiles come from `npm run bench -- send --profile`; what they say of a
 * bundle is told of its sources, as long as that build is there. In the writing thread, waiting for the disk counts as running.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { tableOf } from './report.ts';

interface CpuProfile {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
}

/** Lines and columns count from 0. */
interface Frame {
  functionName: string;
  url: string;
  lineNumber: number;
  columnNumber: number;
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
    const name = nameOf(frame);
    us.set(name, (us.get(name) ?? 0) + spent);
  }
  const rows = [...us].toSorted(([, a], [, b]) => b - a).slice(0, most);
  return rows.map(([name, spent]) => [
    name,
    `${((spent / total) * 100).toFixed(1)} %`,
    `${(spent / 1_000).toFixed(0)} ms`,
  ]);
}

const maps = new Map<string, SourceMap | null>();

function mapOf(url: string): SourceMap | null {
  if (!url.startsWith('file:')) return null;
  const known = maps.get(url);
  if (known !== undefined) return known;
  const path = `${fileURLToPath(url)}.map`;
  const map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
  maps.set(url, map);
  return map;
}

function placeOf({ url, lineNumber, columnNumber }: Frame): { file: string; line: number } {
  const found = mapOf(url)?.findEntry(lineNumber, columnNumber);
  const isOfSource = found !== undefined && 'originalSource' in found;
  const [file, line] = isOfSource ? [found.originalSource, found.originalLine] : [url, lineNumber];
  const short = file
    .replace(/^.*\/node_modules\//, 'node_modules/')
    .replace(/^(?:file:.*\/dist|(?:\.\.\/)+)/, '');
  return { file: short || '(native)', line: line + 1 };
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string', default: '6' } },
});
const fromUs = Number(values.from) * 1e6;

for (const path of positionals) {
  const profile: CpuProfile = JSON.parse(readFileSync(path, 'utf8'));
  const byFile = (frame: Frame): string => placeOf(frame).file;
  const byFunction = (frame: Frame): string => {
    const { file, line } = placeOf(frame);
    return `${frame.functionName || '(anonymous)'} ${file}:${line}`;
  };
  process.stdout.write(
    `${path}\n${tableOf(['function', 'self', ''], hottest(profile, fromUs, byFunction))}\n`,
  );
  process.stdout.write(`\n${tableOf(['file', 'self', ''], hottest(profile, fromUs, byFile))}\n\n`);
}
