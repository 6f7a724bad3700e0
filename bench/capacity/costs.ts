/** What things cost, as measured; docs/operating/capacity.md says where each figure comes from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CPU µs of each role for one unit of work. */
interface Cost {
  node: number;
  redis: number;
  mongodb: number;
}

export interface Costs {
  measured: { date: string; machine: string; node: string; by: string };
  cpuUs: Record<'send' | 'inbound' | 'status' | 'delivery', Cost>;
  /** Share of a send's CPU that another node adds when it was asked and is not the owner. */
  hopShare: number;
  node: {
    idleMsPerSecond: number;
    memoryMb: number;
    liveChannelBytes: number;
    idleChannelBytes: number;
  };
  redis: { liveChannelBytes: number; connectionsPerNode: number; commandsPerNode: number };
  mongodb: { messageBytes: number; deliveryBytes: number; indexShare: number; connectionsPerNode: number };
  /** Answers of MongoDB that one unit waits for, one after the other. */
  roundTrips: Record<'send' | 'inbound' | 'status' | 'delivery', number>;
  /** Processes that share a core without being in each other's way, and what each one more costs all of them. */
  sharedCores: { freeProcesses: number; share: number };
}

export function readCosts(): Costs {
  const costs: Costs = JSON.parse(readFileSync(join(import.meta.dirname, 'costs.json'), 'utf8'));
  return costs;
}
