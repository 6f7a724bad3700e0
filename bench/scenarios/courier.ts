/** Bench 17: the same work beside nyaruka/courier, another gateway of this kind, from a checkout of the reader's own (BENCH_COURIER). */
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { closedLoop } from '../load/closed.ts';
import { Lives } from '../load/lives.ts';
import type { Message } from '../load/lives.ts';
import { inboundPost, signed } from '../load/upstream-posts.ts';
import { cpuWithHelpers, ratioOf } from '../measure/rounds.ts';
import type { Carried, Contender, Round } from '../measure/rounds.ts';
import { checkoutAt, needPrograms } from '../peer/checkout.ts';
import { courierPhone, startCourier } from '../peer/courier.ts';
import type { Courier } from '../peer/courier.ts';
import type { BenchResult, Row } from '../result.ts';
import { setUpstreamDelay, takeTags } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import { measureRounds, resultOf, rowsOf } from './bench.ts';
import type { Bench } from './bench.ts';
import { closedStatuses } from './ingest.ts';
import { eventLoad, livesOf, sendLoad, serviceServer } from './targets.ts';
import type { Server } from './targets.ts';

const inFlight = 64;
/** The peer answers a status before it is written, and writes at most this much later; twice that is waited for. */
const writtenWithinMs = 500;

export async function benchCourier(bench: Bench): Promise<BenchResult> {
  const { testbed, options, tell } = bench;
  const checkout = checkoutAt(process.env['BENCH_COURIER']);
  needPrograms();
  const world = await bench.world();
  await setUpstreamDelay(testbed, 0);
  tell(`  building and starting ${checkout.module} of ${checkout.folder}`);
  const courier = await startCourier(testbed, checkout);
  try {
    await sendLoad(serviceServer(world), options.warmUp);
    const rounds = await roundsOf(bench, serviceServer(world), courier);
    return told(bench, world.store, rounds, courier.stored());
  } finally {
    await courier.stop();
  }
}

async function roundsOf(bench: Bench, service: Server, courier: Courier): Promise<Record<string, Round[]>> {
  const kinds = { send: sends, status: statuses, received } as const;
  const rounds: Record<string, Round[]> = {};
  for (const [kind, contendersOf] of Object.entries(kinds)) {
    const contenders = contendersOf(bench, service, courier);
    bench.tell(`  ${kind}: warming up`);
    for (const { prepare, carry } of contenders) {
      await prepare?.();
      await carry();
    }
    rounds[kind] = await measureRounds(bench, contenders);
  }
  return rounds;
}

type Contenders = (bench: Bench, service: Server, courier: Courier) => Contender[];

const sends: Contenders = ({ testbed, options }, service, courier) => {
  const count = 1_000 * options.seconds;
  let messages: string[] = [];
  return [
    { ...of(service), carry: () => sendLoad(service, { seconds: options.seconds, units: 200_000 }) },
    {
      ...peer(courier),
      prepare: async () => {
        messages = courier.write(count);
        await takeTags(testbed, [courierPhone]);
      },
      carry: async () => {
        const startedAt = performance.now();
        await sentBy(testbed, courier, messages);
        const perSecond = count / ((performance.now() - startedAt) / 1_000);
        await wait(2 * writtenWithinMs);
        return { ...noLatency, units: count, perSecond };
      },
    },
  ];
};

const statuses: Contenders = ({ testbed, options }, service, courier) => {
  const posts = 1_500 * options.seconds;
  const lives = new Lives(async (count) => sentBy(testbed, courier, courier.write(count)));
  const hook = { url: courier.hookUrl, phones: [courierPhone] };
  const server = { ...service, ...peer(courier), hook };
  const theirs = closedStatuses({ server, lives }, posts, options.seconds);
  return [
    closedStatuses({ server: service, lives: livesOf(testbed, service) }, posts, options.seconds),
    {
      ...theirs,
      carry: async () => {
        const carried = await theirs.carry();
        await wait(2 * writtenWithinMs);
        return carried;
      },
    },
  ];
};

const received: Contenders = ({ testbed, options: { seconds } }, service, courier) => [
  { ...of(service), carry: () => eventLoad(service, testbed, { seconds, units: 100_000 }, { inFlight }) },
  { ...peer(courier), carry: () => inbound(courier.hookUrl, seconds) },
];

let inboundSoFar = 0;

function inbound(url: string, seconds: number): Promise<Carried> {
  const request = () => {
    inboundSoFar += 1;
    const id = `wamid.peer-${process.pid}-${inboundSoFar}`;
    const body = inboundPost(courierPhone, id, `hello, are you open on Sunday? ${inboundSoFar}`);
    return { body, headers: signed(body) };
  };
  return closedLoop({ url, connections: inFlight, seconds, most: 100_000, headers: {}, request });
}

/** A queue answers nobody. */
const noLatency = { failed: 0, p50Ms: NaN, p99Ms: NaN };

function of({ name, pids, beside }: Server) {
  return { name, pids, beside };
}

function peer({ program, servers }: Courier) {
  return { name: 'courier', pids: [program.pid], beside: servers.map(({ pid }) => pid) };
}

/** Asks for the sends and resolves with what upstream took, once it has taken all. */
async function sentBy(testbed: Testbed, courier: Courier, messages: readonly string[]): Promise<Message[]> {
  const taken: Message[] = [];
  await courier.ask(messages);
  await until(
    'the peer to send all',
    async () => {
      taken.push(...(await takeTags(testbed, [courierPhone])));
      return taken.length >= messages.length;
    },
    60_000,
  );
  return taken;
}

function told(
  bench: Bench,
  store: string,
  rounds: Readonly<Record<string, Round[]>>,
  stored: string,
): BenchResult {
  const figures = Object.entries(rounds).map(([kind, each]) => [
    `CPU of the peer to ours, ${kind}`,
    ratioOf(each, 'courier', 'service', cpuWithHelpers),
  ]);
  const about = {
    id: '17',
    title: 'beside nyaruka/courier on the same work, whole systems',
    unit: 'message',
    store: `${store}; the peer's PostgreSQL and Redis`,
    notes: [...work, `what the peer's store has in the end, by status: ${stored}`],
  };
  const rows: Row[] = Object.entries(rounds).flatMap(([kind, each]) =>
    rowsOf(each).map((row) => ({ ...row, server: `${kind}: ${row.server}` })),
  );
  const result = resultOf(bench, about, Object.values(rounds).flat(), Object.fromEntries(figures));
  return { ...result, rows };
}

/** What each does for a message, without which the figures cannot be read. */
const work = [
  'send: ours takes a request of a client, stores the message, calls upstream, stores the outcome and answers; the peer takes a message that is stored already from a queue in Redis, calls upstream, and writes the outcome in batches, together with a log of the call',
  'status: ours is on disk before the 200; the peer answers first and writes within half a second, in batches',
  "received: ours stores the event before the 200, and POSTs it to the client's receiver; the peer writes the message, updates the person and queues a task in Redis, for another program of its platform that is not measured",
  'the services that the peer gives logs and live pages to are one that accepts everything; to make the log of each call is in its figures',
];
