/** A service whose store contains old messages, as many as months of traffic leave there. */
import { join } from 'node:path';
import { call } from '../../test/support/api.ts';
import { until } from '../../test/support/until.ts';
import { signed, statusPost } from '../load/upstream-posts.ts';
import { cloneChannels, connect, openDatabase, phones } from '../world/channels.ts';
import type { BenchChannel } from '../world/channels.ts';
import { insertPast } from '../world/past-rows.ts';
import type { Program } from '../world/programs.ts';
import { startService, takeTags } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import type { Bench } from './bench.ts';
import { doorsOf, sendBody } from './targets.ts';
import type { Server } from './targets.ts';

interface Past {
  channels: number;
  messages: number;
  /** Each message was delivered and read, and the client has got both events. */
  hasEvents: boolean;
  /** Time of the last of them, ms since 1970; the others were sent before it, ten a second. */
  until: number;
}

export interface WithPast {
  server: Server;
  program: Program;
  dataDir: string;
}

/** Sends go to the first thousand of its channels. */
export async function serviceWithPast({ testbed, tell }: Bench, name: string, past: Past): Promise<WithPast> {
  const dataDir = join(testbed.folder, name.replaceAll(' ', '-'));
  const channels = await makePast(testbed, dataDir, past);
  tell(`  ${name}: ${past.channels} channels, ${past.messages} messages of the past`);
  const program = await startService(testbed, { dataDir });
  return { server: serverOn(name, program, channels), program, dataDir };
}

function serverOn(name: string, program: Program, channels: readonly BenchChannel[]): Server {
  return {
    name,
    pids: [program.pid],
    beside: [],
    ...doorsOf(program, channels.slice(0, 1_000)),
  };
}

/** Returns the channels, all but the one that was connected. */
async function makePast(testbed: Testbed, dataDir: string, past: Past): Promise<BenchChannel[]> {
  const program = await startService(testbed, { dataDir });
  const webhook = past.hasEvents ? { url: testbed.receiver.url, events: Object.values(eventOf) } : null;
  const channel = await connect(testbed, program, phones.sender, webhook);
  await takeTags(testbed, [channel.phone]); // discards those of earlier benches
  await oneSend(program, channel);
  if (past.hasEvents) await oneReceipt(testbed, program, channel, dataDir);
  await program.stop();
  const clones = await cloneChannels(dataDir, channel, past.channels);
  const ids = [channel, ...clones].map(({ id }) => id);
  await insertPast(dataDir, { channels: ids, messages: past.messages, until: past.until });
  return clones;
}

/** Sends the message that the old messages are copies of. */
async function oneSend({ url }: Program, { id, key }: BenchChannel): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const answer = await fetch(`${url}/api/v1/messages/send`, {
    method: 'POST',
    headers,
    body: sendBody(id),
  });
  if (answer.status !== 200)
    throw new Error(`the send was answered ${answer.status}: ${await answer.text()}`);
}

/** No event that a send alone causes: sends under load must not cause deliveries. */
const eventOf = { delivered: 'message.delivered', read: 'message.read' } as const;

/** The message is delivered and read; resolves when the client has got both events. */
async function oneReceipt(
  testbed: Testbed,
  { url }: Program,
  { phone }: BenchChannel,
  dataDir: string,
): Promise<void> {
  const [sent] = await takeTags(testbed, [phone]);
  for (const status of Object.keys(eventOf)) {
    const body = statusPost(phone, sent?.tag ?? '', status);
    const answer = await call('POST', `${url}/upstream/webhooks`, { raw: body, headers: signed(body) });
    if (answer.status !== 200) throw new Error(`the status was answered ${answer.status}: ${answer.text}`);
  }
  const db = await openDatabase(dataDir);
  const delivered = db.prepare<{ all: number }>(
    `select count(*) as "all" from deliveries where state = 'delivered'`,
  );
  await until('both events to be delivered', () => delivered.get()?.all === Object.keys(eventOf).length);
  db.close();
}
