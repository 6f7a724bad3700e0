/** How many calls of what clients bring about, beside their sends, may have a connection at once. */
import type { Clock } from '../../kernel/clock.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import type { Answer, Transport } from './transport.ts';

/** Of 512 connections. Who connects channels or asks for templates all day leaves the others to sends. [faults: 96] */
const atOnce = 128;

const noPlace: Answer = { got: 'nothing', wasSent: false, reason: 'busy' };

/** The same connections, of which its exchanges take so many. What an exchange waits for its place is a part of its time. */
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

  /** What is left of the time; null: too many wait, or its turn did not come in time. One that comes later goes to the next. */
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
