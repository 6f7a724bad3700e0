/** Measured costs; docs/operating/capacity.md says where each figure comes from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CPU of each role for one unit of work, in µs. */
interface Cost {
  node: number;
  redis: number;
  mongodb: number;
}

export interface Costs {
  measured: { date: string; machine: string; node: string; by: string };
  cpuUs: Record<'send' | 'inbound' | 'status' | 'delivery', Cost>;
  /** Extra CPU of a send that reaches a node other than the owner, as a share of the send's CPU. */
  hopShare: number;
  node: {
    idleMsPerSecond: number;
    memoryMb: number;
    liveChannelBytes: number;
    idleChannelBytes: number;
  };
  redis: { liveChannelBytes: number; connectionsPerNode: number };
  mongodb: { messageBytes: number; deliveryBytes: number; indexShare: number; connectionsPerNode: number };
}

export function readCosts(): Costs {
  const costs: Costs = JSON.parse(readFileSync(join(import.meta.dirname, 'costs.json'), 'utf8'));
  return costs;
}
