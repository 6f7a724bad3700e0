/** Servers that carry loads (the service on one channel or many, and the baselines), and the loads. */
import { closedLoop } from '../load/closed.ts';
import type { Request } from '../load/closed.ts';
import { carryEvents } from '../load/events.ts';
import { Lives } from '../load/lives.ts';
import type { Message } from '../load/lives.ts';
import { openLoop } from '../load/open.ts';
import { signed, statusPost } from '../load/upstream-posts.ts';
import type { Carried, Contender } from '../measure/rounds.ts';
import { takeTags } from '../world/testbed.ts';
import type { Testbed } from '../world/testbed.ts';
import type { BenchChannel } from '../world/channels.ts';
import { baselineChannelId, baselineHeaders, contractPhone, floorPhone, naivePhone } from '../world/world.ts';
import type { World } from '../world/world.ts';
import type { Program } from '../world/programs.ts';

export const connections = 100;

export interface Bounds {
  seconds: number;
  units: number;
  connections?: number;
}

/** One server under load, with its name in the table. */
export interface Server {
  name: string;
  pids: readonly number[];
  beside: readonly number[];
  sends: { url: string; headers: Record<string, string>; channels: readonly BenchChannel[] };
  /** The webhook URL for upstream, and the phone numbers its POSTs are for. */
  hook: { url: string; phones: readonly string[] };
}

export const thousand = 'service, 1,000 channels';
export const floorThousand = 'floor, 1,000 channels';
export const contractThousand = 'contract, 1,000 channels';

export function serviceServer(world: World): Server {
  const { service, servers, sender, inbound } = world;
  return {
    name: 'service',
    pids: [service.pid],
    beside: servers.map(({ pid }) => pid),
    ...doorsOf(service, [sender], [inbound]),
  };
}

/** Where the service takes sends of these channels, by the key of the first, and events for the others. */
export function doorsOf(
  { url }: Pick<Program, 'url'>,
  channels: readonly BenchChannel[],
  inbound: readonly BenchChannel[] = [],
): Pick<Server, 'sends' | 'hook'> {
  const headers = { 'x-api-key': channels[0]?.key ?? '' };
  return {
    sends: { url: `${url}/api/v1/messages/send`, headers, channels },
    hook: { url: `${url}/upstream/webhooks`, phones: inbound.map(({ phone }) => phone) },
  };
}

/** The processes of the baselines and the service, with load on a thousand channels; none in a world without them. */
export function thousandServers(
  world: World,
  floor = floorServer(world),
  contract = contractServer(world),
): Server[] {
  const [first] = world.many;
  if (first === undefined) return [];
  const onMany = (one: Server, name: string, headers: Record<string, string>): Server => {
    const sends = { ...one.sends, headers, channels: world.many };
    return { ...one, name, sends, hook: { ...one.hook, phones: world.many.map(({ phone }) => phone) } };
  };
  return [
    onMany(floor, floorThousand, baselineHeaders),
    ...(contract === null ? [] : [onMany(contract, contractThousand, baselineHeaders)]),
    onMany(serviceServer(world), thousand, { 'x-api-key': first.key }),
  ];
}

export function echoServer({ echo }: World): Server {
  return plainServer('echo', echo, [], naivePhone);
}

export function floorServer({ floor, servers }: World): Server {
  return plainServer('floor', floor, servers, floorPhone);
}

/** null in a world without it. */
export function contractServer({ contract, servers }: World): Server | null {
  return contract === null ? null : plainServer('contract', contract, servers, contractPhone);
}

export function naiveServer({ naive }: World): Server | null {
  if (naive === null) return null;
  const { program, redis } = naive;
  return plainServer('naive', program, [redis], naivePhone);
}

/** A baseline. The echo answers on any path. */
function plainServer(name: string, { url, pid }: Program, beside: readonly Program[], phone: string): Server {
  const channels = [{ id: baselineChannelId, key: '', phone }];
  return {
    name,
    pids: [pid],
    beside: beside.map((program) => program.pid),
    sends: { url: `${url}/send`, headers: baselineHeaders, channels },
    hook: { url: `${url}/hook`, phones: [phone] },
  };
}

const persons = 1_000_000;
let person = 0;

/**
 * A different recipient for every send: sends to one person wait for each other, and after 44 of them six seconds, by contract; that wait
 * would be measured instead.
 */
export function personal(channelId: string): { channel_id: string; recipient: string } {
  person = (person + 1) % persons;
  return { channel_id: channelId, recipient: `49159${persons + person}` };
}

export function sendBody(channelId: string): string {
  const text = 'Your order is ready. Come by whenever it suits you, we are here until six.';
  return JSON.stringify({ ...personal(channelId), text });
}

export function contender(server: Server, carry: () => Promise<Carried>): Contender {
  const { name, pids, beside } = server;
  return { name, pids, beside, carry };
}

export function sendLoad({ sends }: Server, bounds: Bounds): Promise<Carried> {
  const { url, headers, channels } = sends;
  const { seconds, units: most } = bounds;
  const loop = { url, headers, connections: bounds.connections ?? connections, seconds, most };
  return closedLoop({ ...loop, request: inTurn(channels) });
}

export async function pacedSends({ sends }: Server, perSecond: number, seconds: number): Promise<Carried> {
  const { url, headers, channels } = sends;
  const request = (n: number): Request => ({
    headers: { 'content-type': 'application/json', ...headers },
    body: sendBody(channels[n % channels.length]?.id ?? ''),
  });
  const {
    count: units,
    failed,
    perSecond: was,
    p50Ms,
    p99Ms,
  } = await openLoop({ url, perSecond, seconds, request });
  return { units, failed, perSecond: was, p50Ms, p99Ms };
}

function inTurn(channels: readonly BenchChannel[]): () => Request {
  let n = 0;
  return () => {
    n += 1;
    return { headers: {}, body: sendBody(channels[n % channels.length]?.id ?? '') };
  };
}

export function eventLoad(
  { hook }: Server,
  { receiver }: Testbed,
  { seconds, units: most }: Bounds,
  pacing: { inFlight: number } | { perSecond: number },
): Promise<Carried> {
  return carryEvents({ ...hook, receiver, seconds, most, pacing });
}

/** Statuses of messages that this server has really sent, so that the server knows the messages. */
export function livesOf(testbed: Testbed, server: Server): Lives {
  const senders = server.sends.channels.map(({ phone }) => phone);
  return new Lives(async (count) => {
    await takeTags(testbed, senders); // discards older ones: upstream would no longer report on them
    await sendLoad(server, { seconds: 300, units: Math.max(connections, count) });
    return inOneOrder(await takeTags(testbed, senders));
  });
}

/** Statuses of messages that were never sent, for a server that does not check. */
export function inventedLives(phone: string): Lives {
  let n = 0;
  const one = (): Message => ({ phone, tag: `invented-${(n += 1)}` });
  return new Lives(async (count) => Array.from({ length: count }, one));
}

/** Takes one message of each sender in turn, as if many senders reported at once; the stub returns them sender by sender. */
export function inOneOrder(messages: readonly Message[]): Message[] {
  const places = new Map<string, number>();
  const placed = messages.map((message) => {
    const place = places.get(message.phone) ?? 0;
    places.set(message.phone, place + 1);
    return { message, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ message }) => message);
}

export function statusRequest(lives: Lives): Request {
  const { phone, tag, status } = lives.next();
  const body = statusPost(phone, tag, status);
  return { body, headers: { 'content-type': 'application/json', ...signed(body) } };
}
