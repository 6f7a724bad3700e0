/** Bench 1c: a file and a template beside a text, on one service and one channel; and the list of a thousand cached templates. */
import { join } from 'node:path';
import { newId } from '../../src/kernel/ids.ts';
import { closedLoop } from '../load/closed.ts';
import { cpuOf, ratioOf } from '../measure/rounds.ts';
import type { Contender } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { connect, inserter, openDatabase, phones } from '../world/channels.ts';
import type { BenchChannel, Row } from '../world/channels.ts';
import { setUpstreamDelay, startService } from '../world/testbed.ts';
import type { Program } from '../world/programs.ts';
import { measureRounds, resultOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { connections, personal } from './targets.ts';
import type { Bounds } from './targets.ts';

const maxSends = 100_000;
const cached = 1_000;
const lists = 100;

const text = 'Your order is ready. Come by whenever it suits you, we are here until six.';
/** Its stored content has the 284 bytes of that of the template. */
const longText = Array.from({ length: 4 }, () => text)
  .join(' ')
  .slice(0, 260);

/** URL and body of each kind, without channel and recipient. Nothing fetches the file: the stub accepts any link. */
const kinds = {
  text: ['send', { text }],
  'long text': ['send', { text: longText }],
  file: [
    'send-media',
    { media_type: 'image', media_url: 'https://files.example/cake.jpg', caption: 'Today' },
  ],
  template: [
    'send-template',
    {
      template_name: 'order_ready',
      language: 'en_US',
      variables: {
        header: ['Harbour Bakery'],
        body: ['Mia', 'A-1007'],
        buttons: [{ index: 0, value: 'A-1007' }],
      },
    },
  ],
} as const satisfies Record<string, readonly [string, object]>;

export async function benchSendKinds(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  await setUpstreamDelay(testbed, 0);
  const dataDir = join(testbed.folder, 'kinds');
  const program = await startService(testbed, { dataDir });
  const channel = await connect(testbed, program, phones.sender, null);
  await timeList(program, channel, true);
  const of = (bounds: Bounds) =>
    Object.keys(kinds).map((name) => contenderOf(program, channel, name, bounds));
  tell('  warming up');
  for (const { carry } of of(options.warmUp)) await carry();
  const rounds = await measureRounds(bench, of({ seconds: options.seconds, units: maxSends }));
  await program.stop();
  tell(`  and a list of ${cached} templates`);
  const listMs = await timesOfLists(bench, dataDir, channel);
  const about = {
    id: '1c',
    title: `texts, files and templates on one channel, ${connections} connections; a list of ${cached} cached templates`,
    unit: 'send',
    store: 'embedded (SQLite)',
    notes: [
      `the list: ${lists} times, one after the other, until the client has its last byte`,
      "the client's parsing of its megabyte is left out",
    ],
  };
  return resultOf(bench, about, rounds, {
    'CPU of a file to a text': ratioOf(rounds, 'file', 'text', cpuOf),
    'CPU of a template to a text': ratioOf(rounds, 'template', 'text', cpuOf),
    'CPU of a text as long as the template to a text': ratioOf(rounds, 'long text', 'text', cpuOf),
    'list of 1,000 cached templates, ms': spreadOf(listMs),
  });
}

function contenderOf({ url, pid }: Program, channel: BenchChannel, name: string, bounds: Bounds): Contender {
  const [path, own] = Object.entries(kinds).find(([kind]) => kind === name)?.[1] ?? kinds.text;
  const { seconds, units: most } = bounds;
  return {
    name,
    pids: [pid],
    beside: [],
    carry: () =>
      closedLoop({
        url: `${url}/api/v1/messages/${path}`,
        connections,
        seconds,
        most,
        headers: { 'x-api-key': channel.key },
        request: () => ({ headers: {}, body: JSON.stringify({ ...personal(channel.id), ...own }) }),
      }),
  };
}

/** Inserts rows like that of `order_ready` while the service does not run, then times the list. */
async function timesOfLists(bench: Bench, dataDir: string, channel: BenchChannel): Promise<number[]> {
  const db = await openDatabase(dataDir);
  const like = db
    .prepare<Row>("select * from templates where name = 'order_ready' and language = 'en_US'")
    .get();
  const count = db.prepare<{ n: number }>('select count(*) as n from templates').get()?.n ?? 0;
  if (like === undefined) throw new Error('the channel has no template order_ready');
  const insert = inserter(db, 'templates', like);
  for (let n = count; n < cached; n += 1)
    insert({ ...like, id: newId(), name: `order_ready_${n}`, upstream_id: String(900_000_000_100_000 + n) });
  db.close();
  const program = await startService(bench.testbed, { dataDir });
  const times: number[] = [];
  for (let n = 0; n < lists + 10; n += 1) {
    const { total, ms } = await timeList(program, channel, false);
    if (total !== cached) throw new Error(`the list has ${total} templates`);
    if (n >= 10) times.push(ms);
  }
  await program.stop();
  return times;
}

interface TimedList {
  total: number;
  ms: number;
}

async function timeList({ url }: Program, { id, key }: BenchChannel, sync: boolean): Promise<TimedList> {
  const startedAt = performance.now();
  const path = `/api/v1/channels/${id}/templates?sync=${sync}`;
  const answer = await fetch(url + path, { headers: { 'x-api-key': key } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  const ms = performance.now() - startedAt;
  if (answer.status !== 200) throw new Error(`templates answered ${answer.status}: ${bytes.toString()}`);
  const { total }: { total: number } = JSON.parse(bytes.toString());
  return { total, ms };
}
