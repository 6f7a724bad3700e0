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

/** Added round-trip time, half in each direction: far above the work itself, so that the quotient is a count. */
export const delayMs = 40;
const times = 30;

/**
 * Sends one at a time to a channel whose `message.sent` goes to a client, first without and then with the delay. A trip is what the delay
 * adds to a ping, because a busy machine delays by more.
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
  const timed = async (): Promise<{ send: number; trip: number }> => ({
    send: await medianOf(() => oneSend(url, channel.key, sendBody(channel.id))),
    trip: await medianOf(async () => void (await ping.db().command({ ping: 1 }))),
  });
  await timed();
  const near = await timed();
  proxy.delay(delayMs / 2);
  const distant = await timed();
  proxy.delay(0);
  await ping.close();
  await cluster.stop();
  await proxy.close();
  return spreadOf([(distant.send - near.send) / (distant.trip - near.trip)]);
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
