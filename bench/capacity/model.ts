/**
 * What a load needs. A unit of work costs each role its CPU; a node that is asked and does not own the channel adds a share; a node that
 * does nothing takes its part all the same; and processes that share too few cores are in each other's way. docs/operating/capacity.md
 */
import type { Costs } from './costs.ts';

/** A second of it, on average. */
export interface Load {
  channels: number;
  /** Of them, those that did anything within the last minute. */
  liveChannels: number;
  sends: number;
  inbound: number;
  statusesPerSend: number;
  /** Times the average that must be carried. */
  peak: number;
  logDays: number;
}

export interface Plan {
  nodes: number;
  /** At the peak, each. */
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

/** Of the one thread that does a node's work: above it latencies grow sooner than throughput. */
export const busyShare = 0.6;
/** One may die, and the others carry its share. */
export const spareNodes = 1;
/** Of the memory that Node gives a process by itself on a machine of 4 GB. */
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

/** Each status and each message of a person is an event that is delivered. */
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
  const shared = coresOf(work, costs, 'node') * (1 + hopsOf(nodes) * costs.hopShare);
  return shared / nodes + costs.node.idleMsPerSecond / 1_000;
}

/** Any node is asked: so many of the asks are for another one. */
function hopsOf(nodes: number): number {
  return (nodes - 1) / nodes;
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
    // A send is inserted and told its outcome; an event is inserted and told its outcome; a status is told.
    mongodbWrites: 2 * peak.send + peak.status + 2 * peak.delivery,
    mongodbConnections: nodes * mongodb.connectionsPerNode,
    diskGb: (bytes * (1 + mongodb.indexShare) * dayS * load.logDays) / gb,
  };
}

interface Machine {
  cores: number;
  /** Of Redis, MongoDB, upstream and whoever sends: they share its cores with the nodes. */
  otherProcesses: number;
}

/** CPU per send of n nodes to that of one, and what they carry to what one does, each held to its slice; null: on machines of their own. */
export function scaleOf(
  nodes: number,
  machine: Machine | null,
  costs: Costs,
): { cpuPerSend: number; throughput: number } {
  const costOf = (count: number): number =>
    (1 + hopsOf(count) * costs.hopShare) * inEachOthersWay(count, machine, costs);
  const cpuPerSend = costOf(nodes) / costOf(1);
  return { cpuPerSend, throughput: nodes / cpuPerSend };
}

function inEachOthersWay(nodes: number, machine: Machine | null, { sharedCores }: Costs): number {
  if (machine === null) return 1;
  const perCore = (nodes + machine.otherProcesses) / machine.cores;
  return 1 + sharedCores.share * Math.max(0, perCore - sharedCores.freeProcesses);
}
