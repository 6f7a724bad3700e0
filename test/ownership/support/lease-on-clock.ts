/** A lease with a clock that the test moves, and a scripted Redis. */
import { keys } from '../../../src/ownership/keys.ts';
import { NodeLease } from '../../../src/ownership/lease.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { FakeClock, promisesSettled } from '../../support/fake-clock.ts';
import { LeaseRedis } from './lease-redis.ts';

export const ttlMs = 1_600;
const incarnation = 'node-1:1';
export const key = keys.lease(incarnation);
export const timedOut = new Error('Command timed out');

/** The values of `state`. */
export const [sure, unsure, none] = [
  { isValid: true, isSure: true },
  { isValid: true, isSure: false },
  { isValid: false, isSure: false },
] as const;

export class LeaseOnClock {
  readonly clock = new FakeClock();
  /** Time that passed while the timers of this node were blocked, ms. */
  stoodMs = 0;
  readonly redis = new LeaseRedis(this.clock);
  /** The events of the lease, except for ticks. */
  readonly heard: string[] = [];
  ticks = 0;
  stopsWithTick = false;
  /** Its log lines. */
  readonly told: { level: string; msg: string; error?: { message: string } }[] = [];
  readonly lease: NodeLease;

  constructor() {
    const { clock } = this;
    const stalling: Clock = {
      now: () => clock.now(),
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic() + this.stoodMs,
      after: (delayMs, fire) => clock.after(delayMs, fire),
    };
    this.lease = new NodeLease({
      redis: this.redis.client,
      incarnation,
      ttlMs,
      clock: stalling,
      log: makeLog('debug', { write: (line) => void this.told.push(JSON.parse(line)) }),
      onLost: () => this.heard.push('lost'),
      onTaken: () => this.heard.push('taken'),
      onAnswered: () => this.heard.push('answered'),
      onTick: () => this.#ticked(),
    });
  }

  state(): { isValid: boolean; isSure: boolean } {
    return { isValid: this.lease.isValid(), isSure: this.lease.isSure() };
  }

  /** Advances timer by timer, because an answer of redlock takes some turns of the event loop. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left >= 0;) {
      const step = Math.min(left, this.clock.untilNext ?? left);
      await this.clock.pass(step);
      for (let turn = 0; turn < 4; turn += 1) await promisesSettled();
      left = step === left ? -1 : left - step;
    }
  }

  #ticked(): void {
    this.ticks += 1;
    if (this.stopsWithTick) void this.lease.stop();
  }
}
