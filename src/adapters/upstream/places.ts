/** Limits how many connections may serve client-triggered calls other than sends. */
import type { Clock } from '../../kernel/clock.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import type { Answer, Transport } from './transport.ts';

/** Of 512 connections. Clients that connect channels or list templates all day must leave the others to sends. [faults: 96] */
const atOnce = 128;

const noPlace: Answer = { got: 'nothing', wasSent: false, reason: 'busy' };

/** The same transport with at most `atOnce` exchanges. The wait for a slot counts against the exchange's timeout. */
export function withPlaces(transport: Transport, clock: Clock): Transport {
  const places = new Semaphore(atOnce, 4 * atOnce);
  return {
    ...transport,
    async exchange(request) {
      const place = places.take();
      const timeoutMs = place === true ? request.timeoutMs : await waited(place, request.timeoutMs);
      if (timeoutMs === null) return noPlace;
      try {
        return await transport.exchange({ ...request, timeoutMs });
      } finally {
        places.free();
      }
    },
  };

  /** Returns the remaining time in ms, or null if too many wait or no slot came in time. A slot that comes later is freed again. */
  function waited(place: false | Promise<boolean>, ms: number): Promise<number | null> {
    const startedAt = clock.monotonic();
    return new Promise((resolve) => {
      let isOver = false;
      const cancel = clock.after(ms, () => {
        isOver = true;
        resolve(null);
      });
      void Promise.resolve(place).then((isTaken) => {
        cancel();
        if (isOver && isTaken) places.free();
        resolve(isTaken ? ms - (clock.monotonic() - startedAt) : null);
      });
    });
  }
}
