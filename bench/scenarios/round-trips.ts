/** Sequential round trips to MongoDB per send, measured from outside: by how much a slow connection to MongoDB delays a send. */
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
const sends = 30;

/** Sends one at a time to a channel whose `message.sent` goes to a client, first without and then with the delay. */
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
  const timed = async (): Promise<number> => {
    const ms: number[] = [];
    for (let n = 0; n < sends; n += 1) ms.push(await oneSend(url, channel.key, sendBody(channel.id)));
    return quantile(
      ms.toSorted((a, b) => a - b),
      0.5,
    );
  };
  await timed();
  const near = await timed();
  proxy.delay(delayMs / 2);
  const distant = await timed();
  proxy.delay(0);
  await cluster.stop();
  await proxy.close();
  return spreadOf([(distant - near) / delayMs]);
}

async function oneSend(url: string, key: string, body: string): Promise<number> {
  const from = performance.now();
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const answer = await fetch(url, { method: 'POST', headers, body });
  await answer.text();
  return performance.now() - from;
}
