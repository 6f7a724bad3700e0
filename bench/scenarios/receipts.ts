/** Bench 5: statuses in batches of ten, stored durably; afterwards the store must show every message as read. */
import { join } from 'node:path';
import { silentLog } from '../../test/support/silent-log.ts';
import { closedLoop } from '../load/closed.ts';
import { exactLoop } from '../load/exact.ts';
import { Lives } from '../load/lives.ts';
import type { Turn } from '../load/lives.ts';
import { signed, statusesPost } from '../load/upstream-posts.ts';
import { spreadOver } from '../measure/rounds.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { connect, phones } from '../world/channels.ts';
import { setUpstreamDelay, startService, takeTags } from '../world/testbed.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { connections, sendBody } from './targets.ts';
import { openEmbeddedStore } from '../../test/support/stores.ts';

const batch = 10;
const atOnce = 32;
const rankOfRead = 3;

export async function benchReceipts(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const dataDir = join(testbed.folder, 'receipts');
  const program = await startService(testbed, { dataDir });
  const channel = await connect(testbed, program, phones.sender, null);
  const told = new Set<string>();
  const lives = new Lives(async (count) => {
    const send = { url: `${program.url}/api/v1/messages/send`, headers: { 'x-api-key': channel.key } };
    const request = () => ({ headers: {}, body: sendBody(channel.id) });
    await takeTags(testbed, [channel.phone]); // discards those of earlier benches: this store does not know them
    await closedLoop({ ...send, connections, seconds: 60, most: count, request });
    return takeTags(testbed, [channel.phone]);
  });
  const posts = options.smoke ? 1_000 : 3_000;
  const hook = `${program.url}/upstream/webhooks`;
  const carry = async (): Promise<Carried> => {
    const load = {
      url: hook,
      connections: atOnce,
      seconds: 30,
      most: posts,
      next: () => nextBatch(lives, told),
    };
    const { units, perSecond, ...rest } = await exactLoop(load);
    return { ...rest, units: units * batch, perSecond: perSecond * batch };
  };
  const prepare = () => lives.stock(posts * batch);
  await prepare();
  await carry();
  const service: Contender = { name: 'service', pids: [program.pid], beside: [], prepare, carry };
  const rounds = await measureRounds(bench, [service]);
  await program.stop();
  const lost = await notRead(dataDir, channel.id, [...told]);
  tell(`  ${told.size} messages told read, ${lost} of them not read in the store`);
  const about = {
    id: '5',
    title: `receipts in batches of ${batch}, ${atOnce} POSTs at once, durable before the 200`,
    unit: 'status',
    store: 'embedded (SQLite)',
    notes: [`${told.size} messages were told read; in the store ${lost} of them are not`],
  };
  return resultOf(bench, about, rounds, {
    'statuses per core and second': spreadOver(rounds, 'service', ({ cpuUs }) => 1e6 / cpuUs),
    'messages without their rank': spreadOf([lost]),
  });
}

function nextBatch(lives: Lives, told: Set<string>) {
  const turns: Turn[] = [];
  while (turns.length < batch) turns.push(lives.next());
  const body = statusesPost(turns[0]?.phone ?? '', turns);
  const taken = (): void => {
    for (const { tag, status } of turns) if (status === 'read') told.add(tag);
  };
  return { body, headers: { 'content-type': 'application/json', ...signed(body) }, taken };
}

async function notRead(dataDir: string, channelId: string, ids: readonly string[]): Promise<number> {
  const store = await openEmbeddedStore({ dataDir, log: silentLog });
  let lost = 0;
  for (let from = 0; from < ids.length; from += 500) {
    const asked = ids.slice(from, from + 500);
    const found = await store.channelState.findMessages(channelId, { ids: asked, upstreamIds: [] });
    lost += asked.length - found.filter(({ rank }) => rank === rankOfRead).length;
  }
  await store.close();
  return lost;
}
