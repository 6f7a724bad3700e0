/**
 * Pings a service continuously from a separate thread and keeps the slowest answer: whatever blocks the service's event loop delays a
 * ping by as much. The test's own work does not disturb the measurement. Other programs do, unless the service's pid is given: then
 * a ping counts at most as much as the CPU time that the service's main thread used meanwhile. [faults I9]
 */
import { existsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Plain JavaScript, because nothing compiles a worker's source. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const http = require('node:http');
const { readFileSync } = require('node:fs');
const { url, thread } = workerData;
const worked = () => thread === null ? performance.now() : Number(readFileSync(thread, 'latin1').split(' ')[0]) / 1e6;
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
let seen = { slowestMs: 0, failed: 0 };
let asked = false;
function report() {
  asked = false;
  parentPort.postMessage(seen);
  seen = { slowestMs: 0, failed: 0 };
}
function done(began, hadWorked, ok) {
  seen.slowestMs = Math.max(seen.slowestMs, Math.min(performance.now() - began, worked() - hadWorked));
  if (!ok) seen.failed += 1;
  if (asked) report();
  setTimeout(ping, 1);
}
function ping() {
  const began = performance.now();
  const hadWorked = worked();
  const request = http.get(url + '/healthz', { agent }, (response) => {
    response.resume();
    response.on('end', () => done(began, hadWorked, response.statusCode === 200));
  });
  request.on('error', () => done(began, hadWorked, false));
}
parentPort.on('message', () => { asked = true; });
ping();
`;

interface Seen {
  slowestMs: number;
  failed: number;
}

export class Pings {
  readonly #worker: Worker;

  /** `pid`: of the service, if it is a process of its own. */
  constructor(url: string, pid?: number) {
    const thread = `/proc/${pid}/task/${pid}/schedstat`;
    const workerData = { url, thread: existsSync(thread) ? thread : null };
    this.#worker = new Worker(program, { eval: true, workerData });
  }

  /** The results since the last call; resolves when the ping that is in flight is answered. */
  seen(): Promise<Seen> {
    return new Promise((resolve, reject) => {
      this.#worker.once('error', reject);
      this.#worker.once('message', (seen: Seen) => {
        this.#worker.off('error', reject);
        resolve(seen);
      });
      this.#worker.postMessage('report');
    });
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}

const tries = 5;
const idleMs = 100;

/**
 * Runs `act`; throws if meanwhile a ping took more than `withinMs` longer than on the idle service. A stall that the service causes
 * happens every time, one that the machine causes does not: `act` is repeated up to five times, and one quick run suffices.
 */
export async function withoutStall<T>(pings: Pings, withinMs: number, act: () => Promise<T>): Promise<T> {
  const slowest: number[] = [];
  for (let time = 0; time < tries; time += 1) {
    const noiseMs = time === 0 ? 0 : await noise(pings);
    await pings.seen();
    const result = await act();
    const { slowestMs, failed } = await pings.seen();
    if (failed > 0) throw new Error(`${failed} pings failed`);
    if (slowestMs <= withinMs + noiseMs) return result;
    slowest.push(Math.round(slowestMs - noiseMs));
  }
  throw new Error(`the service stood still for ${slowest.join(', ')} ms; at most ${withinMs} ms are allowed`);
}

/** The slowest ping of an idle service: the delay that other programs of the machine cause. */
async function noise(pings: Pings): Promise<number> {
  await pings.seen();
  await wait(idleMs);
  return (await pings.seen()).slowestMs;
}
