/** Limits how many connections may serve client-triggered calls other than sends. */
import type { Clock } from '../kernel/clock.ts';
import { Semaphore } from '../kernel/semaphore.ts';
import type { Answer, Transport } from './transport.ts';

/** Of 512 connections. Clients that connect channels or list templates all day must leave the others to sends. [faults: 96] */
const maxConcurrent = 128;

const rejected: Answer = { got: 'nothing', wasSent: false, reason: 'busy' };

/** The same transport with at most `maxConcurrent` exchanges. The wait for a slot counts against the exchange's timeout. */
export function withConcurrencyLimit(transport: Transport, clock: Clock): Transport {
  const slots = new Semaphore(maxConcurrent, 4 * maxConcurrent);
  return {
    ...transport,
    async exchange(request) {
      const slot = slots.take();
      const timeoutMs = slot === true ? request.timeoutMs : await waited(slot, request.timeoutMs);
      if (timeoutMs === null) return rejected;
      try {
        return await transport.exchange({ ...request, timeoutMs });
      } finally {
        slots.free();
      }
    },
  };

  /** Returns the remaining time in ms, or null if too many wait or no slot came in time. A slot that comes later is freed again. */
  function waited(slot: false | Promise<boolean>, ms: number): Promise<number | null> {
    const startedAt = clock.monotonic();
    return new Promise((resolve) => {
      let isOver = false;
      const cancel = clock.after(ms, () => {
        isOver = true;
        resolve(null);
      });
      void Promise.resolve(slot).then((isTaken) => {
        cancel();
        if (isOver && isTaken) slots.free();
        resolve(isTaken ? ms - (clock.monotonic() - startedAt) : null);
      });
    });
  }
}
