/** Bench 1b: what the service adds to an upstream that takes 20 ms, at half of the capacity that bench 1 measured. */
import { closedLoop } from '../load/closed.ts';
import { openLoop } from '../load/open.ts';
import type { Paced } from '../load/open.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import { counted } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { naivePhone, setUpstreamDelay } from '../world.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { loopDelayMs } from './loop-delay.ts';
import { connections, sendBody } from './send.ts';

const upstreamMs = 20;

export async function benchSendLatency(bench: Bench): Promise<BenchResult> {
  const { world, tell } = bench;
  const perSecond = Math.floor((bench.capacity.sends ?? (await capacityOf(bench))) / 2);
  tell(`  at ${perSecond}/s`);
  await setUpstreamDelay(world, upstreamMs);
  await loopDelayMs(world.service); // the first look begins the sampling
  const contenders = [directly(bench, perSecond), throughService(bench, perSecond)];
  for (const contender of contenders) await contender.carry();
  const rounds = await measureRounds(bench, contenders);
  const delay = await loopDelayMs(world.service);
  await setUpstreamDelay(world, 0);
  const added = (pick: (carried: Carried) => number): Spread =>
    spreadOf(
      counted(rounds).flatMap(({ samples }) => {
        const [direct, service] = [samples['direct'], samples['service']];
        return direct === undefined || service === undefined ? [] : [pick(service) - pick(direct)];
      }),
    );
  return resultOf(
    bench,
    {
      id: '1b',
      title: `latency added to a ${upstreamMs} ms upstream, open loop at ${perSecond}/s (half of capacity)`,
      unit: 'send',
      notes: [`event-loop delay of the service meanwhile, p99: ${delay.toFixed(1)} ms (resolution 10 ms)`],
    },
    rounds,
    rowsOf(rounds),
    { 'p50 added, ms': added(({ p50Ms }) => p50Ms), 'p99 added, ms': added(({ p99Ms }) => p99Ms) },
  );
}

async function capacityOf({ world, options }: Bench): Promise<number> {
  await setUpstreamDelay(world, 0);
  const { service, sender } = world;
  const { perSecond } = await closedLoop({
    url: `${service.url}/api/v1/messages/send`,
    connections,
    seconds: options.seconds,
    most: 100_000,
    headers: { 'x-api-key': sender.key },
    body: { each: 'connection', of: (n) => sendBody(sender.id, n) },
  });
  return perSecond;
}

function directly({ world, options }: Bench, perSecond: number): Contender {
  const url = `${world.stub.url}/v25.0/${naivePhone}/messages`;
  const headers = { 'content-type': 'application/json' };
  const request = (n: number) => ({ headers, body: sendBody('', n) });
  const carry = async () => carriedOf(await openLoop({ url, perSecond, seconds: options.seconds, request }));
  return { name: 'direct', pid: world.stub.pid, besidePid: null, carry };
}

function throughService({ world, options }: Bench, perSecond: number): Contender {
  const { service, sender } = world;
  const url = `${service.url}/api/v1/messages/send`;
  const headers = { 'content-type': 'application/json', 'x-api-key': sender.key };
  const request = (n: number) => ({ headers, body: sendBody(sender.id, n) });
  const carry = async () => carriedOf(await openLoop({ url, perSecond, seconds: options.seconds, request }));
  return { name: 'service', pid: service.pid, besidePid: null, carry };
}

export function carriedOf({ count, failed, perSecond, p50Ms, p99Ms }: Paced): Carried {
  return { units: count, failed, perSecond, p50Ms, p99Ms };
}
