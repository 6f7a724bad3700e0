import { sleep } from '../../../src/kernel/clock.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { ChannelWork, ChannelPorts } from './channel-ports.ts';

const firstPauseMs = 50;
const maxPauseMs = 5_000;

/**
 * Tries until the store answers; null when the activation ended first. `act` is told how often it was tried before: an
 * earlier try may be on record although the store did not say so. Throws FencedError. Loops never end because of errors.
 * [architecture §7]
 */
export async function retryUntilStored<T>(
  ports: ChannelPorts,
  work: ChannelWork,
  act: (triedBefore: number) => Promise<T>,
): Promise<T | null> {
  let pauseMs = firstPauseMs;
  for (let triedBefore = 0; ; triedBefore += 1) {
    try {
      return await act(triedBefore);
    } catch (error) {
      if (error instanceof FencedError) throw error;
      ports.log.warn({ channel: work.key, error: asError(error), pauseMs }, 'store.retrying');
    }
    if (!work.isLive()) return null;
    await sleep(ports.clock, pauseMs);
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  }
}
