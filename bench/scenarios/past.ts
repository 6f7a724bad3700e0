/** A service whose store contains old messages, as many as months of traffic leave there. */
import { join } from 'node:path';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import { packId } from '../../src/adapters/storage/sqlite/packed-ids.ts';
import { newId } from '../../src/kernel/ids.ts';
import { cloneChannels, connect, inserter, openDatabase, phones, sealer } from '../world/channels.ts';
import type { BenchChannel, Row } from '../world/channels.ts';
import type { Program } from '../world/programs.ts';
import { startService } from '../world/testbed.ts';
import type { Bench } from './bench.ts';
import { sendBody } from './targets.ts';
import type { Server } from './targets.ts';

interface Past {
  channels: number;
  messages: number;
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
  const first = await startService(testbed, { dataDir });
  const channel = await connect(testbed, first, phones.sender, null);
  await oneSend(first, channel);
  await first.stop();
  const clones = await cloneChannels(dataDir, channel, past.channels);
  await insertPast(dataDir, [channel, ...clones], past);
  tell(`  ${name}: ${past.channels} channels, ${past.messages} messages of the past`);
  const program = await startService(testbed, { dataDir });
  const server: Server = {
    name,
    pids: [program.pid],
    beside: [],
    sends: {
      url: `${program.url}/api/v1/messages/send`,
      headers: { 'x-api-key': channel.key },
      channels: clones.slice(0, 1_000),
    },
    hook: { url: '', phones: [] },
  };
  return { server, program, dataDir };
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

/**
 * Inserts copies of one real message, each with its index row. Half of them belong to the first thousand channels, so that those have a
 * long history.
 */
async function insertPast(
  dataDir: string,
  channels: readonly BenchChannel[],
  { messages: count, until }: Past,
): Promise<void> {
  if (count === 0) return;
  const db = await openDatabase(dataDir);
  const like = db.prepare<Row>('select * from messages limit 1').get();
  const index = db.prepare<Row>('select * from message_upstream_ids limit 1').get();
  if (like === undefined || index === undefined) throw new Error('there is no message to copy');
  const [insert, insertIndex] = [inserter(db, 'messages', like), inserter(db, 'message_upstream_ids', index)];
  db.exec('begin');
  for (let n = 0; n < count; n += 1) {
    const among = n % 2 === 0 ? Math.min(1_000, channels.length) : channels.length;
    const channelId = channels[(n * 7_919) % among]?.id ?? '';
    const id = newId();
    const at = until - (count - n) * 100;
    const own = {
      id: packId(id),
      channel_id: packId(channelId),
      recipient: `49159${n % 1_000_000}`,
      attempted_at: at,
      created_at: at,
    };
    const content =
      like['content'] === null ? null : sealer.seal(Buffer.alloc(0), sealContext.content(channelId, id));
    insert({ ...like, ...own, upstream_ids: JSON.stringify([`wamid.${id}`]), content });
    insertIndex({ ...index, channel_id: own.channel_id, upstream_id: `wamid.${id}`, message_id: own.id });
    if (n % 50_000 === 49_999) db.exec('commit; begin');
  }
  // Closing may leave the write-ahead log unmerged; then the service would merge it at its first send.
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}
