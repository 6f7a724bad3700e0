/**
 * `npm run fuzz -- --door upstream --minutes 60 --seed 7`: inputs at one door, or at each in turn (`--door all`, `--door api,files`; the minutes are each
 * one's). What was found is left as files, whose names are printed; `--input FILE` tries one again. `--most 1` ends with the first. With `--keep` what
 * made new code run joins the corpus in `test/fuzz/corpus`.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import prepareRun from '../support/prepare-run.js';
import { Coverage } from './coverage.ts';
import { doorNames } from './door-names.ts';
import { doors } from './doors.ts';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    door: { type: 'string', default: 'all' },
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 1_000) % 1_000_000) },
    input: { type: 'string' },
    keep: { type: 'boolean', default: false },
    most: { type: 'string', default: '20' },
  },
});

/** Of a door: what is kept stays small. */
const maxKept = 12;
const maxKeptBytes = 2_048;

/** The mistaken door's own code is looked at as the service's is. */
const ours = /\/(src|actors)\/|\/mistaken\.ts/;
const others = /\/simulator\/|\/node_modules\/(?!\.cache\/)/;

const corpusOf = (door: string): string => join(import.meta.dirname, 'corpus', door);

async function readCorpus(door: string): Promise<Buffer[]> {
  const folder = corpusOf(door);
  if (!existsSync(folder)) return [];
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map((name) => readFile(join(folder, name))));
}

const nameOf = (input: Buffer): string => createHash('sha256').update(input).digest('hex').slice(0, 16);

async function keep(door: string, inputs: readonly Buffer[]): Promise<void> {
  const small = inputs.filter(({ length }) => length <= maxKeptBytes).slice(0, maxKept);
  await mkdir(corpusOf(door), { recursive: true });
  for (const input of small) await writeFile(join(corpusOf(door), nameOf(input)), input);
}

/** Whether nothing was found. */
async function fuzzAt(name: string): Promise<boolean> {
  if (!isDoor(name)) throw new Error(`no door ${name}: ${doorNames.join(', ')}, all`);
  const open = doors[name];
  const [door, corpus] = [await open(), await readCorpus(name)];
  try {
    if (values.input !== undefined) return await again(door.run(await readFile(values.input)));
    const fuzzed = await fuzz(door, {
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
    await door.close();
  }
}

const isDoor = (name: string): name is keyof typeof doors => Object.hasOwn(doors, name);

async function again(outcome: Promise<string>): Promise<boolean> {
  console.log(await outcome);
  return true;
}

prepareRun();
const coverage = await Coverage.start((url) => ours.test(url) && !others.test(url));
const kept: boolean[] = [];
for (const name of values.door === 'all' ? doorNames : values.door.split(',')) kept.push(await fuzzAt(name));
process.exit(kept.every(Boolean) ? 0 : 1);
