/**
 * Resources that a load needs. Each unit of work costs CPU of each role; a request that reaches a node other than the owner costs an extra
 * share; an idle node also takes CPU. docs/operating/capacity.md
 */
import type { Costs } from './costs.ts';

/** Rates are averages per second. */
export interface Load {
  channels: number;
  /** Channels of these with any activity within the last minute. */
  liveChannels: number;
  sends: number;
  inbound: number;
  statusesPerSend: number;
  /** Peak load as a multiple of the average; the plan must carry it. */
  peak: number;
  logDays: number;
}

export interface Plan {
  nodes: number;
  /** Of each node, at the peak. */
  nodeCores: number;
  nodeMemoryMb: number;
  redisCores: number;
  redisMemoryMb: number;
  redisConnections: number;
  mongodbCores: number;
  mongodbWrites: number;
  mongodbConnections: number;
  diskGb: number;
}

/** Upper limit for the load of a node's main thread: above it, latencies grow faster than throughput. */
export const busyShare = 0.6;
/** One node may fail; the remaining nodes carry its share. */
export const spareNodes = 1;
/** Within the memory that Node by default allows a process on a machine of 4 GB. */
const memoryLimitMb = 1_500;
const mostNodes = 10_000;
const dayS = 86_400;
const [usPerS, mb, gb] = [1e6, 1e6, 1e9];

type Work = Readonly<Record<keyof Costs['cpuUs'], number>>;

export function planFor(load: Load, costs: Costs): Plan {
  const perSecond = workOf(load, load.peak);
  for (let carrying = 1; carrying < mostNodes; carrying += 1) {
    const nodeCores = nodeCoresOf(perSecond, carrying, costs);
    const nodeMemoryMb = nodeMemoryOf(load, carrying, costs);
    if (nodeCores <= busyShare && nodeMemoryMb <= memoryLimitMb)
      return { nodeCores, nodeMemoryMb, ...serversOf(load, carrying + spareNodes, costs) };
  }
  throw new Error(`more than ${mostNodes} nodes`);
}

/** Each status and each inbound message causes one delivery. */
function workOf({ sends, inbound, statusesPerSend }: Load, times: number): Work {
  const statuses = sends * statusesPerSend;
  return {
    send: sends * times,
    inbound: inbound * times,
    status: statuses * times,
    delivery: (statuses + inbound) * times,
  };
}

function coresOf(work: Work, costs: Costs, role: 'node' | 'redis' | 'mongodb'): number {
  const kinds = ['send', 'inbound', 'status', 'delivery'] as const;
  return kinds.reduce((us, kind) => us + work[kind] * costs.cpuUs[kind][role], 0) / usPerS;
}

function nodeCoresOf(work: Work, nodes: number, costs: Costs): number {
  const shared = coresOf(work, costs, 'node') * withHops(nodes, costs);
  return shared / nodes + costs.node.idleMsPerSecond / 1_000;
}

/** CPU of requests relative to one node, if clients spread them evenly: all but one of `nodes` reach a node other than the owner. */
export function withHops(nodes: number, { hopShare }: Costs): number {
  return 1 + ((nodes - 1) / nodes) * hopShare;
}

function nodeMemoryOf({ channels, liveChannels }: Load, nodes: number, { node }: Costs): number {
  const idle = channels - liveChannels;
  const bytes = liveChannels * node.liveChannelBytes + idle * node.idleChannelBytes;
  return node.memoryMb + bytes / nodes / mb;
}

function serversOf(load: Load, nodes: number, costs: Costs): Omit<Plan, 'nodeCores' | 'nodeMemoryMb'> {
  const { redis, mongodb } = costs;
  const peak = workOf(load, load.peak);
  const average = workOf(load, 1);
  const bytes = average.send * mongodb.messageBytes + average.delivery * mongodb.deliveryBytes;
  return {
    nodes,
    redisCores: coresOf(peak, costs, 'redis'),
    redisMemoryMb: (load.liveChannels * redis.liveChannelBytes) / mb,
    redisConnections: nodes * redis.connectionsPerNode,
    mongodbCores: coresOf(peak, costs, 'mongodb'),
    // A send is one insert and one update, a delivery is one insert and one update, a status is one update.
    mongodbWrites: 2 * peak.send + peak.status + 2 * peak.delivery,
    mongodbConnections: nodes * mongodb.connectionsPerNode,
    diskGb: (bytes * (1 + mongodb.indexShare) * dayS * load.logDays) / gb,
  };
}
