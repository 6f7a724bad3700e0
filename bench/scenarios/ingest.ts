/** Bench 3: upstream's statuses, one per POST, durable before the 200. */
import { closedLoop } from '../load/closed.ts';
import { openLoop } from '../load/open.ts';
import { statusPost, signed } from '../load/upstream-posts.ts';
import { ratioOf } from '../measure/rounds.ts';
import type { Carried } from '../measure/rounds.ts';
import { spreadOf } from '../measure/stats.ts';
import type { Program } from '../programs.ts';
import type { BenchResult } from '../result.ts';
import { baselineHeaders, floorPhone, setUpstreamDelay, takeTags } from '../world.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { connections, sendBody } from './send.ts';
import type { Bounds, Target } from './send.ts';

/** Upstream asks this of one busy number: three statuses per message and the inbound. [performance §1] */
const busyPerSecond = 3_300;
const statuses = ['sent', 'delivered', 'read'] as const;

/** Statuses that change something, of messages that were really sent: each says one thing once. */
class Statuses {
  readonly #phone: string;
  readonly #left: { tag: string; next: number }[];
  #next = 0;

  constructor(phone: string, tags: readonly string[]) {
    this.#phone = phone;
    this.#left = tags.map((tag) => ({ tag, next: 0 }));
  }

  /** In the order in which upstream tells them, over all messages. */
  post(): { body: string; headers: Record<string, string> } {
    const message = this.#left[this.#next % this.#left.length];
    this.#next += 1;
    if (message === undefined) throw new Error('there are no sent messages to report on');
    const body = statusPost(this.#phone, message.tag, statuses[message.next % 3] ?? 'read');
    message.next += 1;
    return { body, headers: { 'content-type': 'application/json', ...signed(body) } };
  }
}

export async function benchIngest(bench: Bench): Promise<BenchResult> {
  const { world, options, tell } = bench;
  await setUpstreamDelay(world, 0);
  // Invalid rounds are repeated, so there is enough for all of them.
  const perRound = options.smoke ? 6_000 : 10_000;
  const paced = busyPerSecond * options.seconds;
  const messages = Math.ceil(((options.maxRounds + 1) * perRound + paced) / statuses.length);
  tell(`  sending ${messages} messages to report on`);
  const { service, sender, floor, naive } = world;
  const served = new Statuses(sender.phoneNumberId, await sent(bench, 'service', messages));
  const floored = floor && new Statuses(floorPhone, await sent(bench, 'floor', messages));
  const target = (program: Program, path: string, of: Statuses): Target => {
    const load = ({ seconds, units: most }: Bounds): Promise<Carried> => {
      const body = { each: 'request', of: () => of.post() } as const;
      return closedLoop({ url: program.url + path, connections, seconds, most, headers: {}, body });
    };
    const { name, pid } = program;
    return {
      name,
      pid,
      besidePid: null,
      warmUp: load,
      carry: () => load({ seconds: options.seconds, units: perRound }),
    };
  };
  const targets = [
    ...(floor === null || floored === null ? [] : [target(floor, '/ingest', floored)]),
    target(service, '/upstream/webhooks', served),
    ...(naive === null ? [] : [target(naive.program, '/ingest', served)]),
  ];
  for (const one of targets) await one.warmUp({ ...options.warmUp, units: perRound });
  const rounds = await measureRounds(bench, targets);
  const url = `${service.url}/upstream/webhooks`;
  const busy = await openLoop({
    url,
    perSecond: busyPerSecond,
    seconds: options.seconds,
    request: () => served.post(),
  });
  return resultOf(
    bench,
    {
      id: '3',
      title: 'ingest of statuses, one per POST, durable before the 200',
      unit: 'POST',
      notes: [
        'naive here is stock Express that checks the signature and stores nothing',
        `open loop at ${busyPerSecond}/s: ${busy.perSecond.toFixed(0)}/s, p50 ${busy.p50Ms.toFixed(1)} ms, ${busy.failed} failed`,
      ],
    },
    rounds,
    rowsOf(rounds),
    {
      'CPU to floor': floor && ratioOf(rounds, 'service', 'floor', ({ cpuUs }) => cpuUs),
      'ingests per core to stock Express': naive && ratioOf(rounds, 'naive', 'service', ({ cpuUs }) => cpuUs),
      'p99 at 3300/s, ms': spreadOf([busy.p99Ms]),
    },
  );
}

/** Tags of at least `count` messages that this server sent; what earlier benches sent is used first. */
async function sent({ world }: Bench, by: 'service' | 'floor', count: number): Promise<string[]> {
  const { service, floor, sender } = world;
  const phone = by === 'service' ? sender.phoneNumberId : floorPhone;
  const url = by === 'service' ? `${service.url}/api/v1/messages/send` : `${floor?.url}/send`;
  const headers = by === 'service' ? { 'x-api-key': sender.key } : baselineHeaders;
  const tags = await takeTags(world, phone);
  if (tags.length < count) {
    const most = Math.max(connections, count - tags.length);
    const body = { each: 'connection', of: (n: number) => sendBody(sender.id, n) } as const;
    await closedLoop({ url, connections, seconds: 60, most, headers, body });
    tags.push(...(await takeTags(world, phone)));
  }
  return tags.slice(0, count);
}
