/** The benches of docs/performance.md §3, in the order of a run. */
import { benchAttacks } from './scenarios/attacks.ts';
import { benchBusyNumber } from './scenarios/busy-number.ts';
import { benchCourier } from './scenarios/courier.ts';
import { benchDelivery } from './scenarios/delivery.ts';
import { benchFailOver } from './scenarios/fail-over.ts';
import { benchFiles } from './scenarios/files.ts';
import { benchGrowth } from './scenarios/growth.ts';
import { benchIngest } from './scenarios/ingest.ts';
import type { RunBench } from './scenarios/bench.ts';
import { benchMemory } from './scenarios/memory.ts';
import { benchMongo } from './scenarios/mongodb.ts';
import { benchNodes } from './scenarios/nodes.ts';
import { benchNonOwner } from './scenarios/non-owner.ts';
import { benchPages } from './scenarios/pages.ts';
import { benchReceiverDown } from './scenarios/receiver-down.ts';
import { benchReceipts } from './scenarios/receipts.ts';
import { benchSendLatency } from './scenarios/send-latency.ts';
import { benchSendKinds } from './scenarios/send-kinds.ts';
import { benchSend } from './scenarios/send.ts';
import { benchSoak } from './scenarios/soak.ts';
import { benchStart } from './scenarios/start.ts';
import { benchSweep } from './scenarios/sweep.ts';
import { benchWebhook } from './scenarios/webhook.ts';

export interface Entry {
  id: string;
  name: string;
  run: RunBench;
  /** `world`: needs service and baselines side by side; `alone`: starts its own processes; `cluster`: also needs MongoDB and Redis. */
  on: 'world' | 'alone' | 'cluster';
  inSmoke: boolean;
}

/** 1b needs the capacity that bench 1 measured. The benches with the same world are consecutive, so that it is opened once. */
export const suite: readonly Entry[] = [
  { id: '1', name: 'send', run: benchSend, on: 'world', inSmoke: true },
  { id: '1b', name: 'send-latency', run: benchSendLatency, on: 'world', inSmoke: false },
  { id: '3', name: 'ingest', run: benchIngest, on: 'world', inSmoke: true },
  { id: '4', name: 'webhook', run: benchWebhook, on: 'world', inSmoke: true },
  { id: '17', name: 'courier', run: benchCourier, on: 'world', inSmoke: false },
  { id: '1c', name: 'send-kinds', run: benchSendKinds, on: 'alone', inSmoke: false },
  { id: '3b', name: 'files', run: benchFiles, on: 'alone', inSmoke: false },
  { id: '4b', name: 'delivery', run: benchDelivery, on: 'alone', inSmoke: false },
  { id: '5', name: 'receipts', run: benchReceipts, on: 'alone', inSmoke: false },
  { id: '8', name: 'memory', run: benchMemory, on: 'alone', inSmoke: false },
  { id: '9', name: 'start', run: benchStart, on: 'alone', inSmoke: true },
  { id: '10', name: 'growth', run: benchGrowth, on: 'alone', inSmoke: false },
  { id: '10b', name: 'sweep', run: benchSweep, on: 'alone', inSmoke: false },
  { id: '11', name: 'busy-number', run: benchBusyNumber, on: 'alone', inSmoke: false },
  { id: '12', name: 'soak', run: benchSoak, on: 'alone', inSmoke: false },
  { id: '14', name: 'attacks', run: benchAttacks, on: 'alone', inSmoke: false },
  { id: '15', name: 'receiver-down', run: benchReceiverDown, on: 'alone', inSmoke: false },
  { id: '16', name: 'pages', run: benchPages, on: 'alone', inSmoke: false },
  { id: '2', name: 'non-owner', run: benchNonOwner, on: 'cluster', inSmoke: false },
  { id: '6', name: 'nodes', run: benchNodes, on: 'cluster', inSmoke: false },
  { id: '7', name: 'fail-over', run: benchFailOver, on: 'cluster', inSmoke: false },
  { id: '13', name: 'mongodb', run: benchMongo, on: 'cluster', inSmoke: false },
];

/** Throws an error with a readable sentence if `only` names an unknown bench. */
export function chosen(only: ReadonlySet<string> | null, smoke: boolean): Entry[] {
  if (only === null) return suite.filter(({ inSmoke }) => !smoke || inSmoke);
  for (const wanted of only) {
    if (suite.some(({ id, name }) => id === wanted || name === wanted)) continue;
    const names = suite.map(({ id, name }) => `${name} (${id})`).join(', ');
    throw new Error(`there is no bench ${wanted}; there are ${names}`);
  }
  return suite.filter(({ id, name }) => only.has(id) || only.has(name));
}
