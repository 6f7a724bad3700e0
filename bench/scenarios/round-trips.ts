/** Sequential round trips to MongoDB per send, measured from outside: by how much a slow connection to MongoDB delays a send. */
import { MongoClient } from 'mongodb';
import { Proxy } from '../../test/support/proxy.ts';
import { quantile, spreadOf } from '../measure/stats.ts';
import type { Spread } from '../measure/stats.ts';
import { startCluster } from '../world/cluster.ts';
import { setUpstreamDelay } from '../world/testbed.ts';
import type { Servers } from '../world/servers.ts';
import type { Bench } from './bench.ts';
import { allEvents } from './busy-number.ts';
import { sendBody } from './targets.ts';

/**
 * Added round-trip times, half in each direction. Two of them, because a delay of any length also adds about 8 ms to a send: its processes
 * sleep meanwhile and wake up with cold caches. From one delay to a longer one only the round trips grow.
 */
export const delaysMs = { near: 40, far: 200 } as const;
const times = 30;

/**
 * Sends one at a time to a channel whose `message.sent` goes to a client, first with the short and then with the long delay. A trip is what
 * this adds to a ping, because a busy machine delays by more.
 */
export async function roundTrips({ testbed }: Pick<Bench, 'testbed'>, servers: Servers): Promise<Spread> {
  await setUpstreamDelay(testbed, 0);
  const proxy = await Proxy.start(Number(new URL(servers.mongodbUri('x')).port));
  const far: Servers = {
    ...servers,
    mongodbUri: (database) => `mongodb://127.0.0.1:${proxy.port}/${database}?directConnection=true`,
  };
  const webhook = { url: testbed.receiver.url, events: allEvents };
  const cluster = await startCluster(testbed, far, { name: 'far', nodes: 1, webhook });
  const { nodes, channel } = cluster;
  const url = `${nodes[0]?.url}/api/v1/messages/send`;
  const ping = new MongoClient(far.mongodbUri('far'));
  const timed = async (delayMs: number): Promise<{ send: number; trip: number }> => {
    proxy.delay(delayMs / 2);
    return {
      send: await medianOf(() => oneSend(url, channel.key, sendBody(channel.id))),
      trip: await medianOf(async () => void (await ping.db().command({ ping: 1 }))),
    };
  };
  await timed(0);
  const near = await timed(delaysMs.near);
  const distant = await timed(delaysMs.far);
  proxy.delay(0);
  await ping.close();
  await cluster.stop();
  await proxy.close();
  const trips = (distant.send - near.send) / (distant.trip - near.trip);
  return spreadOf([Number(trips.toFixed(1))]); // the machine's noise is some hundredths
}

async function medianOf(act: () => Promise<void>): Promise<number> {
  const ms: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const from = performance.now();
    await act();
    ms.push(performance.now() - from);
  }
  return quantile(
    ms.toSorted((a, b) => a - b),
    0.5,
  );
}

async function oneSend(url: string, key: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
}
