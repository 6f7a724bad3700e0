/**
 * `npm run bench -- --compare <ref>`: compares this tree with another commit. Each is built and started from its own checkout; both run on
 * the same machine, interleaved in the same rounds. Every figure is the ratio of this tree to the other: below 1, this tree costs less.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuOf, quietestRatioOf, ratioOf } from './measure/rounds.ts';
import type { Pick, Round } from './measure/rounds.ts';
import { spreadOf } from './measure/stats.ts';
import type { BenchResult, RunResult } from './result.ts';
import { commitOf, isCheckout } from './results.ts';
import { closedStatuses } from './scenarios/ingest.ts';
import { measureRounds, plainResult, resultOf } from './scenarios/bench.ts';
import type { Bench } from './scenarios/bench.ts';
import { timeStarts } from './scenarios/start.ts';
import { contender, doorsOf, eventLoad, livesOf, pacedSends, sendLoad } from './scenarios/targets.ts';
import type { Server } from './scenarios/targets.ts';
import { chosen } from './suite.ts';
import { buildService } from './world/build.ts';
import { connect, phones } from './world/channels.ts';
import { setUpstreamDelay, startService, staysWarm } from './world/testbed.ts';
import { root } from './world/programs.ts';

const [ours, theirs] = ['this tree', 'other'];
const pacedPerSecond = 500;
const inFlight = 64;
const store = 'embedded (SQLite)';

export async function compareWith(ref: string, bench: Bench, result: RunResult): Promise<void> {
  const { tell } = bench;
  const tree = await checkedOut(ref);
  try {
    tell(`building ${commitOf(tree)}`);
    buildService(tree);
    const both = [await serverOf(bench, root, ours), await serverOf(bench, tree, theirs)];
    const about = (id: string, title: string, unit: string) => {
      const whole = `${title}: this tree against ${ref} (${commitOf(tree)})`;
      return {
        id,
        title: whole,
        unit,
        store,
        notes: ['ratios of this tree to the other: below 1 it costs less'],
      };
    };
    const comparisons: Readonly<Record<string, () => Promise<BenchResult>>> = {
      '1': () => compareSends(bench, both, about('1', 'send', 'send')),
      '1b': () => compareLatency(bench, both, about('1b', `send at ${pacedPerSecond}/s`, 'send')),
      '3': () => compareIngest(bench, both, about('3', 'ingest', 'POST')),
      '4': () => compareEvents(bench, both, about('4', 'in → out', 'event')),
      '9': () => compareStarts(bench, tree, about('9', 'start', 'start')),
    };
    for (const { id } of chosen(bench.options.only, false)) {
      const compared = await comparisons[id]?.();
      if (compared !== undefined) result.benches.push(compared);
    }
  } finally {
    removeTree(tree);
  }
}

type About = Parameters<typeof resultOf>[1];

/** A separate worktree in the system's temporary folder. It links to the packages of this tree, so that both use the same versions. */
async function checkedOut(ref: string): Promise<string> {
  if (!isCheckout(root))
    throw new Error('--compare needs a git checkout: a source archive has no other commits');
  const tree = join(await mkdtemp(join(tmpdir(), 'trunkline-compare-')), 'tree');
  process.once('exit', () => removeTree(tree)); // also when the run is interrupted: git would keep the worktree registered
  execFileSync('git', ['worktree', 'add', '--detach', tree, ref], { cwd: root, stdio: 'pipe' });
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'));
  return tree;
}

function removeTree(tree: string): void {
  if (!existsSync(tree)) return;
  execFileSync('git', ['worktree', 'remove', '--force', tree], { cwd: root, stdio: 'pipe' });
  rmSync(join(tree, '..'), { recursive: true, force: true });
}

/** Each server has two channels: one sends, one receives and has a client webhook. */
async function serverOf({ testbed }: Bench, tree: string, name: string): Promise<Server> {
  const dataDir = join(testbed.folder, name.replaceAll(' ', '-'));
  const program = await startService(testbed, { name, dataDir, tree, flags: staysWarm });
  // Different phone numbers for each server: the stub records sends by sender.
  const numbers = name === ours ? [phones.sender, phones.inbound] : [phones.inbound, phones.sender];
  const sender = await connect(testbed, program, numbers[0] ?? '', null);
  const webhook = { url: testbed.receiver.url, events: ['message.received'] };
  const inbound = await connect(testbed, program, numbers[1] ?? '', webhook);
  return {
    name,
    pids: [program.pid],
    beside: [],
    ...doorsOf(program, [sender], [inbound]),
  };
}

async function compareSends(bench: Bench, both: readonly Server[], about: About): Promise<BenchResult> {
  const { testbed, options } = bench;
  await setUpstreamDelay(testbed, 0);
  for (const server of both) await sendLoad(server, options.warmUp);
  const bounds = { seconds: options.seconds, units: 200_000 };
  const rounds = await measureRounds(
    bench,
    both.map((one) => contender(one, () => sendLoad(one, bounds))),
  );
  return resultOf(bench, about, rounds, ratios(rounds));
}

async function compareLatency(bench: Bench, both: readonly Server[], about: About): Promise<BenchResult> {
  const { testbed, options } = bench;
  await setUpstreamDelay(testbed, 20);
  const load = (one: Server) => pacedSends(one, pacedPerSecond, options.seconds);
  const rounds = await measureRounds(
    bench,
    both.map((one) => contender(one, () => load(one))),
  );
  await setUpstreamDelay(testbed, 0);
  return resultOf(bench, about, rounds, ratios(rounds));
}

async function compareIngest(bench: Bench, both: readonly Server[], about: About): Promise<BenchResult> {
  const { testbed, options } = bench;
  const posts = Math.min(12_000, 6_000 * options.seconds);
  const feeds = both.map((server) => ({ server, lives: livesOf(testbed, server) }));
  const contenders = feeds.map((feed) => closedStatuses(feed, posts, options.seconds));
  for (const { prepare, carry } of contenders) {
    await prepare?.();
    await carry();
  }
  const rounds = await measureRounds(bench, contenders);
  return resultOf(bench, about, rounds, ratios(rounds));
}

async function compareEvents(bench: Bench, both: readonly Server[], about: About): Promise<BenchResult> {
  const { testbed, options } = bench;
  const bounds = { seconds: options.seconds, units: 100_000 };
  const load = (one: Server) => eventLoad(one, testbed, bounds, { inFlight });
  for (const one of both) await eventLoad(one, testbed, options.warmUp, { inFlight });
  const rounds = await measureRounds(
    bench,
    both.map((one) => contender(one, () => load(one))),
  );
  return resultOf(bench, about, rounds, ratios(rounds));
}

async function compareStarts(bench: Bench, tree: string, about: About): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const pairs: { our: number; other: number; isValid: boolean }[] = [];
  while (pairs.length < options.rounds + 1) {
    const our = await timeStarts(testbed, root, pairs.length);
    const other = await timeStarts(testbed, tree, pairs.length);
    pairs.push({ our: our.serviceMs, other: other.serviceMs, isValid: our.isValid && other.isValid });
    tell(`  start: ${ours} ${our.serviceMs.toFixed(0)} ms · ${theirs} ${other.serviceMs.toFixed(0)} ms`);
  }
  const valid = pairs.filter(({ isValid }) => isValid);
  const of = valid.length > 0 ? valid : pairs;
  const how = { rounds: pairs.length, invalidRounds: pairs.length - valid.length };
  return plainResult(bench, about, how, {
    'start, new data directory': spreadOf(of.map(({ our, other }) => our / other)),
  });
}

const mainOf: Pick = ({ mainUs }) => mainUs;
const othersOf: Pick = ({ cpuUs, mainUs }) => cpuUs - mainUs;

function ratios(rounds: readonly Round[]) {
  const of = (pick: Pick) => ratioOf(rounds, ours, theirs, pick);
  return {
    'CPU per unit': of(cpuOf),
    'CPU per unit, quietest tenth': quietestRatioOf(rounds, ours, theirs, cpuOf),
    'CPU of the main thread': of(mainOf),
    'CPU of the main thread, quietest tenth': quietestRatioOf(rounds, ours, theirs, mainOf),
    'CPU of the other threads, quietest tenth': quietestRatioOf(rounds, ours, theirs, othersOf),
    'units per second': of(({ perSecond }) => perSecond),
    p50: of(({ p50Ms }) => p50Ms),
    p99: of(({ p99Ms }) => p99Ms),
  };
}
