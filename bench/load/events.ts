/** Events from upstream's webhook to the client's webhook: an event is carried when the receiver has it. */
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Carried } from '../measure/rounds.ts';
import { latencyOf } from '../measure/stats.ts';
import { pace } from './open.ts';
import { stampOf, asText } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { inboundPost, signed } from './upstream-posts.ts';

interface EventLoad {
  /** The webhook URL that upstream POSTs to. */
  url: string;
  receiver: Receiver;
  /** Phone numbers (upstream ids) that the events are for, in turn. */
  phones: readonly string[];
  seconds: number;
  most: number;
  /** Events in flight at once, or events per second. */
  pacing: { inFlight: number } | { perSecond: number };
}

/** Events that have not arrived this long after the load are counted as failed. */
const drainMs = 10_000;
let next = 0;

export async function carryEvents(load: EventLoad): Promise<Carried> {
  const flight = new Flight(load);
  const start = performance.now();
  if ('perSecond' in load.pacing) {
    const { perSecond } = load.pacing;
    await pace(perSecond, Math.min(load.most, perSecond * load.seconds), (_, dueAt) => flight.launch(dueAt));
  } else await flight.keep(load.pacing.inFlight, start + load.seconds * 1_000);
  await flight.landed();
  const { p50Ms, p99Ms, count } = latencyOf(flight.latencies);
  const perSecond = count / ((flight.lastArrival - start) / 1_000);
  return { units: count, failed: flight.failed + flight.waiting, perSecond, p50Ms, p99Ms };
}

class Flight {
  readonly latencies: number[] = [];
  failed = 0;
  lastArrival = 0;
  readonly #load: EventLoad;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #began = new Map<number, number>();
  #launched = 0;
  #changed: () => void = () => undefined;

  constructor(load: EventLoad) {
    this.#load = load;
    const { origin, pathname } = new URL(load.url);
    this.#pool = new Pool(origin, { connections: 64, headersTimeout: drainMs, bodyTimeout: drainMs });
    this.#path = pathname;
    load.receiver.arrived = (body) => this.#arrived(stampOf(body));
  }

  get waiting(): number {
    return this.#began.size;
  }

  /** POSTs one event; its latency counts from `dueAt`. */
  async launch(dueAt: number): Promise<void> {
    next += 1;
    this.#launched += 1;
    const n = next;
    this.#began.set(n, dueAt);
    const phone = this.#load.phones[n % this.#load.phones.length] ?? '';
    const body = inboundPost(phone, `wamid.bench-${process.pid}-${n}`, asText(n));
    const headers = { 'content-type': 'application/json', ...signed(body) };
    try {
      const answer = await this.#pool.request({ path: this.#path, method: 'POST', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) this.#lost(n);
    } catch {
      this.#lost(n); // counted as failed; the result shows the number
    }
  }

  /** Keeps `inFlight` events in flight until `end`. */
  async keep(inFlight: number, end: number): Promise<void> {
    while (performance.now() < end && this.#launched < this.#load.most) {
      while (this.#began.size < inFlight && this.#launched < this.#load.most)
        void this.launch(performance.now());
      await Promise.race([new Promise<void>((resolve) => (this.#changed = resolve)), wait(100)]);
    }
  }

  async landed(): Promise<void> {
    const end = performance.now() + drainMs;
    while (this.#began.size > 0 && performance.now() < end) await wait(5);
    this.#load.receiver.arrived = () => undefined;
    await this.#pool.destroy();
  }

  /** Delivery is at least once: a second arrival of the same event is not a second unit. */
  #arrived(n: number): void {
    const began = this.#began.get(n);
    if (began === undefined) return;
    this.#began.delete(n);
    this.lastArrival = performance.now();
    this.latencies.push(this.lastArrival - began);
    this.#changed();
  }

  #lost(n: number): void {
    if (!this.#began.delete(n)) return;
    this.failed += 1;
    this.#changed();
  }
}
