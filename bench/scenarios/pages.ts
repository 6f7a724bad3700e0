/**
 * Bench 16: the portal's pages, the console's, and the lists of the API, of an account with ten thousand channels and millions of messages.
 * CPU of the service for each, because the time on the clock depends on what else runs.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pagesOf } from '../../src/http/middleware/page-limits.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { cpuMsOf, rssMbOf } from '../measure/proc.ts';
import { spreadOf } from '../measure/stats.ts';
import type { BenchResult } from '../result.ts';
import { busyPerson } from '../world/large-account.ts';
import { Person } from '../world/person.ts';
import type { Program } from '../world/programs.ts';
import { startService } from '../world/testbed.ts';
import { plainResult } from './bench.ts';
import type { Bench } from './bench.ts';
import { makeLargeAccount, owner } from './large-account.ts';
import type { LargeAccount } from './large-account.ts';

const channels = 10_000;
const times = 20;
/** The code of a page is compiled by its first requests. */
const warmUps = 3;
const listed = 200;
/** On a fast machine one person would otherwise ask for more pages than the service lets a person have. */
const restMs = ((warmUps + times) / pagesOf.person.perSecond) * 1_000;

export async function benchPages(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const dataDir = join(testbed.folder, 'pages');
  const { messages } = options.grown;
  const account = await makeLargeAccount(testbed, dataDir, { channels, messages });
  tell(`  ${channels} channels, ${messages} messages`);
  const startedAt = performance.now();
  const program = await startService(testbed, { dataDir });
  const startMs = performance.now() - startedAt;
  const costs = await costsOf(program, account, tell);
  const rss = rssMbOf(program.pid);
  await program.stop();
  const about = {
    id: '16',
    title: `pages of an account with ${channels} channels and ${messages} messages of a week`,
    unit: 'request',
    store: 'embedded (SQLite)',
    notes: [`CPU of the service, mean of ${times} requests; of an export, until its first bytes`],
  };
  return plainResult(
    bench,
    about,
    { rounds: 1, invalidRounds: 0 },
    {
      'a page, ms of CPU': spreadOf(costs.page),
      'the slowest page, ms of CPU': spreadOf([Math.max(...costs.page)]),
      [`the slowest list of ${listed} of the API, ms of CPU`]: spreadOf([Math.max(...costs.list)]),
      'the slowest export, ms of CPU': spreadOf([Math.max(...costs.export)]),
      'start, ms': spreadOf([startMs]),
      'RSS at the end, MB': spreadOf([rss]),
    },
  );
}

type Kind = 'page' | 'list' | 'export';

/** ms of CPU of each request, by its kind. */
async function costsOf(
  { url, pid }: Program,
  account: LargeAccount,
  tell: Bench['tell'],
): Promise<Record<Kind, number[]>> {
  const person = new Person(url);
  await person.signIn(owner);
  await person.enterConsole();
  const costs: Record<Kind, number[]> = { page: [], list: [], export: [] };
  for (const asked of askedOf(account, await idsIn(url, account))) {
    const ask = () => (asked.kind === 'list' ? askApi(url, account.key, asked.path) : beginOf(person, asked));
    for (let n = 0; n < warmUps; n += 1) await ask();
    const before = cpuMsOf(pid);
    for (let n = 0; n < times; n += 1) await ask();
    const cost = (cpuMsOf(pid) - before) / times;
    costs[asked.kind].push(cost);
    tell(`  ${asked.name}: ${cost.toFixed(0)} ms`);
    await wait(restMs);
  }
  return costs;
}

interface Asked {
  name: string;
  kind: Kind;
  path: string;
}

/** Of a message that was sent, one that was received, and a delivery of the busy channel. */
interface Ids {
  sent: string;
  received: string;
  delivery: string;
}

async function idsIn(url: string, { key, channels: [busy = ''] }: LargeAccount): Promise<Ids> {
  const first = async (path: string, list: string, id: string): Promise<string> => {
    const answer = await fetch(url + path, { headers: { 'x-api-key': key } });
    const body: unknown = await answer.json();
    const items: unknown = Reflect.get(Object(body), list);
    return String(Reflect.get(Object(Array.isArray(items) ? items[0] : null), id));
  };
  return {
    sent: await first('/api/v1/messages?direction=outbound&limit=1', 'messages', 'message_id'),
    received: await first('/api/v1/messages?direction=inbound&limit=1', 'messages', 'message_id'),
    delivery: await first(`/api/v1/channels/${busy}/deliveries?limit=1`, 'deliveries', 'id'),
  };
}

async function askApi(url: string, key: string, path: string): Promise<void> {
  const answer = await fetch(url + path, { headers: { 'x-api-key': key } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
}

/** Of an export, only its first bytes are read. */
async function beginOf(person: Person, { kind, path }: Asked): Promise<void> {
  const answer = await person.ask(path);
  if (answer.status !== 200 && answer.status !== 302) throw new Error(`${path} answered ${answer.status}`);
  if (kind === 'page') return void (await answer.arrayBuffer());
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
}

function askedOf({ accountId, channels: all }: LargeAccount, ids: Ids): Asked[] {
  const [busy = '', some = ''] = [all[0], all[Math.floor(all.length / 2)]];
  const failing = all.at(-1) ?? '';
  const old = new Date(Date.now() - 5 * dayMs).toISOString().slice(0, 16);
  const page = (name: string, path: string): Asked => ({ name, kind: 'page', path });
  const list = (path: string): Asked => ({ name: path, kind: 'list', path: `${path}limit=${listed}` });
  const exported = (path: string): Asked => ({ name: path, kind: 'export', path });
  return [
    ...['', '?span=7d', '?span=30d'].map((span) => page(`Home ${span}`, `/portal${span}`)),
    ...[
      '',
      `?until=${old}`,
      '?status=failed',
      '?status=queued',
      `?channel=${busy}`,
      `?channel=${busy}&status=failed`,
      `?person=${busyPerson}`,
      `?person=${busyPerson}&status=failed`,
      `?person=${busyPerson}&channel=${some}`,
      '?q=0777',
    ].map((query) => page(`messages ${query}`, `/portal/messages${query}`)),
    ...[
      '',
      `?until=${old}`,
      '?state=failed',
      `?state=pending&until=${old}`,
      '?event=message.failed',
      `?channel=${busy}&event=message.failed`,
      `?channel=${failing}`,
    ].map((query) => page(`deliveries ${query}`, `/portal/deliveries${query}`)),
    page('one delivery', `/portal/channels/${busy}/deliveries/${ids.delivery}`),
    ...['', '?q=Shop+9876'].map((query) => page(`channels ${query}`, `/portal/channels${query}`)),
    ...[busy, some, failing].map((id) => page('a channel', `/portal/channels/${id}`)),
    ...['webhook', 'send', 'connection'].map((tab) => page(tab, `/portal/channels/${busy}/${tab}`)),
    ...['requests', 'templates', 'keys', 'redirects', 'people', 'audit', 'billing', 'mails', 'live'].map(
      (name) => page(name, `/portal/${name}`),
    ),
    ...['0777', '49159', 'Shop', 'zzzzz', ids.sent, ids.received, ids.delivery, 'wamid.nothing'].map(
      (typed) => page(`search ${typed}`, `/portal/search?q=${typed}`),
    ),
    ...[
      '',
      '/accounts',
      '/accounts?q=harbour',
      `/accounts/${accountId}`,
      `/channels/${failing}`,
      '/mails',
      '/audit',
    ].map((path) => page(`console ${path}`, `/operators${path}`)),
    list('/api/v1/messages?'),
    list('/api/v1/messages?status=failed&'),
    list(`/api/v1/messages?person=${busyPerson}&`),
    list('/api/v1/channels?'),
    list(`/api/v1/channels/${busy}/deliveries?`),
    list(`/api/v1/channels/${busy}/deliveries?event=message.failed&`),
    list('/api/v1/subscriptions?'),
    list('/api/v1/requests?'),
    ...['messages', 'deliveries', 'audit'].map((of) => exported(`/portal/${of}/export`)),
  ];
}
