/** Bench 10: the same sends on a service with few channels and no past, and on one with a hundred times the channels and a million messages. */
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids.ts';
import { bytesWrittenBy } from '../measure/proc.ts';
import { cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { cloneChannels, connect, inserter, openDatabase, phones, sealer } from '../world/channels.ts';
import type { BenchChannel, Row } from '../world/channels.ts';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import { setUpstreamDelay, startService } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { pacedSends, sendBody, sendLoad } from './targets.ts';
import type { Server } from './targets.ts';

const small = { channels: 1_000, messages: 0 };
const pacedPerSecond = 500;
const maxSends = 100_000;

interface Grown {
  server: Server;
  program: Program;
  /** Bytes written per send, one of each round. */
  bytes: number[];
}

export async function benchGrowth(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const [young, old] = [await grown(bench, 'young', small), await grown(bench, 'old', options.grown)];
  tell('  warming up');
  for (const { server } of [young, old]) await sendLoad(server, options.warmUp);
  const rounds = await measureRounds(
    bench,
    [young, old].map((one) => closed(one, options.seconds)),
  );
  const paced = await measureRounds(
    bench,
    [young, old].map(({ server }) => ({
      ...server,
      carry: () => pacedSends(server, pacedPerSecond, options.seconds),
    })),
  );
  await Promise.all([young, old].map(({ program }) => program.stop()));
  const about = {
    id: '10',
    title: `growth: ${small.channels} → ${options.grown.channels} channels, ${small.messages} → ${options.grown.messages} past messages`,
    unit: 'send',
    store: 'embedded (SQLite)',
    notes: [`p99: open loop at ${pacedPerSecond}/s; bytes: what the kernel wrote for the process, per send`],
  };
  return resultOf(bench, about, rounds, {
    'CPU, grown to young': ratioOf(rounds, 'old', 'young', cpuOf),
    'p99, grown to young': ratioOf(paced, 'old', 'young', ({ p99Ms }) => p99Ms),
    'bytes written per send, grown to young': bytesRatio(rounds, old, young),
    'bytes written per send, young': spreadOf(young.bytes),
  });
}

async function grown(
  { testbed, tell }: Bench,
  name: string,
  size: { channels: number; messages: number },
): Promise<Grown> {
  const dataDir = join(testbed.folder, name);
  const first = await startService(testbed, { dataDir });
  const channel = await connect(testbed, first, phones.sender, null);
  await oneSend(first, channel);
  await first.stop();
  const clones = await cloneChannels(dataDir, channel, size.channels);
  await pastMessages(dataDir, [channel, ...clones], size.messages);
  tell(`  ${name}: ${size.channels} channels, ${size.messages} messages of the past`);
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
  return { server, program, bytes: [] };
}

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

/** Half of them on the channels that send now, so that their own past is long. Copies of one real message, with its index row. */
async function pastMessages(
  dataDir: string,
  channels: readonly BenchChannel[],
  count: number,
): Promise<void> {
  if (count === 0) return;
  const db = await openDatabase(dataDir);
  const like = db.prepare<Row>('select * from messages limit 1').get();
  const index = db.prepare<Row>('select * from message_upstream_ids limit 1').get();
  if (like === undefined || index === undefined) throw new Error('there is no message to copy');
  const [insert, insertIndex] = [inserter(db, 'messages', like), inserter(db, 'message_upstream_ids', index)];
  const now = Date.now();
  db.exec('begin');
  for (let n = 0; n < count; n += 1) {
    const among = n % 2 === 0 ? Math.min(1_000, channels.length) : channels.length;
    const channelId = channels[(n * 7_919) % among]?.id ?? '';
    const id = newId();
    const at = now - (count - n) * 100;
    const own = {
      id,
      channel_id: channelId,
      recipient: `49159${n % 1_000_000}`,
      attempted_at: at,
      created_at: at,
    };
    const content =
      like['content'] === null ? null : sealer.seal(Buffer.alloc(0), sealContext.content(channelId, id));
    insert({ ...like, ...own, upstream_ids: JSON.stringify([`wamid.${id}`]), content });
    insertIndex({ ...index, channel_id: channelId, upstream_id: `wamid.${id}`, message_id: id });
    if (n % 50_000 === 49_999) db.exec('commit; begin');
  }
  db.exec('commit');
  db.close();
}

function closed(one: Grown, seconds: number): Contender {
  const { server, program, bytes } = one;
  const carry = async (): Promise<Carried> => {
    const before = bytesWrittenBy(program.pid);
    const carried = await sendLoad(server, { seconds, units: maxSends });
    bytes.push((bytesWrittenBy(program.pid) - before) / carried.units);
    return carried;
  };
  return { name: server.name, pids: server.pids, beside: [], carry };
}

/** Bytes do not depend on who else had the CPU: every round counts. */
function bytesRatio(rounds: readonly Round[], old: Grown, young: Grown) {
  const ratios = rounds.map((_, n) => (old.bytes[n] ?? NaN) / (young.bytes[n] ?? NaN));
  return spreadOf(ratios);
}
