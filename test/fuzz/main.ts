/**
 * `npm run fuzz -- --target upstream --minutes 60 --seed 7` fuzzes one target, or several in turn (`--target all`, `--target api,files`),
 * each for the given minutes. Findings are saved as files, whose names are printed; `--input FILE` runs one again. `--most 1` stops at the
 * first finding. With `--keep`, inputs that cover new code join the corpus in `test/fuzz/corpus`.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import prepareRun from '../support/prepare-run.js';
import { Coverage } from './coverage.ts';
import { targetNames } from './target-names.ts';
import { targets } from './targets.ts';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'all' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    input: { type: 'string' },
    keep: { type: 'boolean', default: false },
    most: { type: 'string', default: '20' },
  },
});

/** Bounds of what one run adds to the corpus of a target: number of inputs, and size of each. */
const maxKept = 12;
const maxKeptBytes = 2_048;

/** Code whose coverage is measured: the service's, and that of the targets with a deliberate bug. */
const ours = /\/(src|actors)\/|\/mistaken\.ts/;
const others = /\/simulator\/|\/node_modules\/(?!\.cache\/)/;

const corpusOf = (target: string): string => join(import.meta.dirname, 'corpus', target);

async function readCorpus(target: string): Promise<Buffer[]> {
  const folder = corpusOf(target);
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}

const nameOf = (input: Buffer): string => createHash('sha256').update(input).digest('hex').slice(0, 16);

async function keep(target: string, inputs: readonly Buffer[]): Promise<void> {
  const small = inputs.filter(({ length }) => length <= maxKeptBytes).slice(0, maxKept);
  await mkdir(corpusOf(target), { recursive: true });
  for (const input of small) await writeFile(join(corpusOf(target), nameOf(input)), input);
}

/** Fuzzes one target; returns whether nothing was found. */
async function fuzzAt(name: string): Promise<boolean> {
  if (!isTarget(name))
    throw new Error(`unknown target ${name}; the targets are ${targetNames.join(', ')}, all`);
  const open = targets[name];
  const [target, corpus] = [await open(), await readCorpus(name)];
  try {
    if (values.input !== undefined) return await again(target.run(await readFile(values.input)));
    const fuzzed = await fuzz(target, {
      seed: Number(values.seed),
      untilMs: performance.now() + Number(values.minutes) * 60_000,
      corpus,
      maxFindings: Number(values.most),
      coverage,
    });
    const { executions, findings, kept, functions } = fuzzed;
    console.log(
      `${name}: seed ${values.seed}, ${executions} inputs, ${functions} functions, ${kept.length} kept, ${findings.length} found`,
    );
    if (values.keep) await keep(name, kept);
    const folder = findings.length === 0 ? '' : await mkdtemp(join(tmpdir(), `fuzz-${name}-`));
    for (const { input, what } of findings) {
      const path = join(folder, nameOf(input));
      await writeFile(path, input);
      console.log(`${name}: ${what.split('\n').slice(0, 4).join(' ')} (${path})`);
    }
    return findings.length === 0;
  } finally {
    await target.close();
  }
}

const isTarget = (name: string): name is keyof typeof targets => Object.hasOwn(targets, name);

async function again(outcome: Promise<string>): Promise<boolean> {
  console.log(await outcome);
  return true;
}

await prepareRun();
const coverage = await Coverage.start((url) => ours.test(url) && !others.test(url));
const kept: boolean[] = [];
for (const name of values.target === 'all' ? targetNames : values.target.split(','))
  kept.push(await fuzzAt(name));
process.exit(kept.every(Boolean) ? 0 : 1);
