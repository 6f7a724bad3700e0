/** Bench 11: one number at the full rate that upstream grants it, with an account of every event; beside it the naive baseline. */
import { join } from 'node:path';
import { BusyNumber } from '../load/busy.ts';
import type { BusyPlan } from '../load/busy.ts';
import { sentenceOf } from '../measure/ledger.ts';
import type { Account } from '../measure/ledger.ts';
import { maxOthersCores, watchOthers } from '../measure/others.ts';
import { cpuMsOfAll } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult, Row } from '../result.ts';
import { connect, phones } from '../world/channels.ts';
import { setUpstreamDelay, startService, takeTags } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { baselineHeaders, naivePhone, startNaive } from '../world/world.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { sendBody } from './targets.ts';
import { failedAttemptsOn, pendingOn } from './told.ts';

/** [performance §3, 11] Each send also causes three statuses. */
export const fullRate = { sends: 1_000, inbound: 300 };
export const allEvents = ['message.received', 'message.sent', 'message.delivered', 'message.read'];
const drainMs = 15_000;

export async function benchBusyNumber(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const service = await busyService(testbed, 'busy');
  const plan = planOf(bench, fullRate, options.busySeconds);
  const ours = await carry(testbed, { ...plan, ...service.side }, [service.program.pid], []);
  const failed = await failedAttemptsOn(service.program);
  await service.program.stop();
  tell(`  service: ${sentenceOf(ours.account)}`);
  const naive = await startNaive(testbed);
  const theirs = naive && (await carryNaive(testbed, plan, naive));
  if (theirs !== null) tell(`  naive: ${sentenceOf(theirs.account)}`);
  const { sends, posts, upstream, events } = ours.account;
  const about = {
    id: '11',
    title: `one busy number: ${plan.rate.sends} sends, ${3 * plan.rate.sends} statuses, ${plan.rate.inbound} inbound per second for ${plan.seconds} s, every event delivered`,
    unit: 'event',
    store: 'embedded (SQLite)',
    notes: [
      `service: ${sentenceOf(ours.account)}; ${failed} attempts at webhooks failed and were made again`,
      ...(theirs === null ? [] : [`naive, as far as it gets: ${sentenceOf(theirs.account)}`]),
    ],
  };
  const how = { rounds: 1, invalidRounds: ours.isValid ? 0 : 1 };
  const one = (value: number) => spreadOf([value]);
  const result = plainResult(bench, about, how, {
    'service CPU, cores': one(ours.cores),
    'sends not accepted': one(sends.asked - sends.accepted),
    'POSTs refused': one(posts.offered - posts.taken),
    'accepted sends that upstream did not get': one(upstream.missing),
    'sends that upstream got twice': one(upstream.twice),
    'events lost': one(events.lost),
    'events delivered twice': one(events.twice),
    'POST answered, p50 ms': one(ours.postP50Ms),
    'naive CPU with its Redis, cores': theirs && one(theirs.cores + theirs.besideCores),
    'naive events delivered, share of the service':
      theirs && one(theirs.account.events.delivered / events.delivered),
  });
  return { ...result, rows: [rowOf('service', ours), ...(theirs === null ? [] : [rowOf('naive', theirs)])] };
}

type Side = Pick<BusyPlan, 'sends' | 'hook' | 'pending'>;

/** Starts a separate service with one channel that subscribes to all events. */
export async function busyService(
  testbed: Testbed,
  name: string,
  flags: readonly string[] = [],
): Promise<{ program: Program; side: Side }> {
  const program = await startService(testbed, { dataDir: join(testbed.folder, name), flags });
  const webhook = { url: testbed.receiver.url, events: allEvents };
  const channel = await connect(testbed, program, phones.sender, webhook);
  const sends = {
    url: `${program.url}/api/v1/messages/send`,
    headers: { 'x-api-key': channel.key },
    body: () => sendBody(channel.id),
  };
  return {
    program,
    side: {
      sends,
      hook: { url: `${program.url}/upstream/webhooks`, phone: channel.phone },
      pending: () => pendingOn(program),
    },
  };
}

type Rates = Pick<BusyPlan, 'receiver' | 'rate' | 'seconds' | 'drainMs'>;

export function planOf({ testbed, options }: Bench, full: BusyPlan['rate'], seconds: number): Rates {
  const rate = {
    sends: Math.ceil(full.sends * options.rate),
    inbound: Math.ceil(full.inbound * options.rate),
  };
  return { receiver: testbed.receiver, rate, seconds, drainMs };
}

interface Busy {
  account: Account;
  /** CPU from the first send until the last event, divided by the duration of the load. */
  cores: number;
  besideCores: number;
  postP50Ms: number;
  row: Omit<Row, 'server'>;
  isValid: boolean;
}

export async function carry(
  testbed: Testbed,
  plan: BusyPlan,
  pids: readonly number[],
  beside: readonly number[],
): Promise<Busy> {
  // Warm up first: in production the code is always compiled already.
  await new BusyNumber({ ...plan, seconds: Math.min(10, plan.seconds / 2) }).run();
  await takeTags(testbed, [plan.hook.phone]);
  const load = new BusyNumber(plan);
  const watch = watchOthers(() => testbed.programs.pids());
  const before = [cpuMsOfAll(pids), cpuMsOfAll(beside)] as const;
  await load.run();
  const [cpuMs, besideMs] = [cpuMsOfAll(pids) - before[0], cpuMsOfAll(beside) - before[1]];
  const isValid = watch().cores <= maxOthersCores;
  const calls = await takeTags(testbed, [plan.hook.phone]);
  const account = load.ledger.account(calls.map(({ tag }) => messageIdOf(plan, tag)));
  const { sends, posts } = load.latencies;
  const perEvent = (ms: number) => spreadOf([(ms * 1_000) / account.events.delivered]);
  return {
    account,
    cores: cpuMs / 1_000 / plan.seconds,
    besideCores: besideMs / 1_000 / plan.seconds,
    postP50Ms: posts.p50Ms,
    row: {
      cpuUs: perEvent(cpuMs),
      besideUs: beside.length === 0 ? null : perEvent(besideMs),
      perSecond: spreadOf([account.events.delivered / plan.seconds]),
      p50Ms: spreadOf([sends.p50Ms]),
      p99Ms: spreadOf([sends.p99Ms]),
      failed: account.events.lost + sends.count - account.sends.accepted,
    },
    isValid,
  };
}

/** The service identifies a message by its tag; naive knows only upstream's id. */
function messageIdOf({ hook }: BusyPlan, tag: string): string {
  return hook.phone === naivePhone ? `wamid.${tag}` : tag;
}

function carryNaive(
  testbed: Testbed,
  plan: Rates,
  { program, redis }: { program: Program; redis: Program },
): Promise<Busy> {
  const sends = {
    url: `${program.url}/send`,
    headers: baselineHeaders,
    body: () => sendBody('b5e0c6d2-0000-4000-8000-000000000001'),
  };
  const hook = { url: `${program.url}/hook`, phone: naivePhone };
  return carry(testbed, { ...plan, sends, hook, pending: null }, [program.pid], [redis.pid]);
}

function rowOf(server: string, { row }: Busy): Row {
  return { server, ...row };
}
