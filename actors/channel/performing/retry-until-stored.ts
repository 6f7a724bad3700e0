import { FencedError } from '../../../src/kernel/faults.ts';
import { retry } from '../../../src/kernel/retry.ts';
import { shortHash } from '../../../src/kernel/ids.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { ChannelWork, ChannelPorts, OwnPorts } from './channel-ports.ts';

const backOff = { firstMs: 50, maxMs: 5_000 };

/**
 * Tries until the store answers; null when the activation ended first. `act` gets the number of earlier tries: one of them may have been
 * applied although the store did not answer. Throws FencedError. Loops never end because of other errors. [architecture §7]
 */
export function retryUntilStored<T>(
  { clock, storeFailed }: Pick<OwnPorts, 'clock' | 'storeFailed'>,
  work: ChannelWork,
  act: (triedBefore: number) => Promise<T>,
): Promise<T | null> {
  return retry<T, null>(
    {
      clock,
      ...backOff,
      // Spreads the retries: all channels of the node wait for the same store.
      share: shortHash(work.key) / 2 ** 32,
      failed(error, pauseMs) {
        if (error instanceof FencedError) throw error;
        storeFailed('store.retrying', error, { channel: work.key, pauseMs });
        return work.isLive() ? 'again' : { end: null };
      },
    },
    act,
  );
}

/** As `retryUntilStored`; `onStored` is not called when the activation ended first, because nobody would take its report. */
export async function untilStored<T>(
  ports: Pick<OwnPorts, 'clock' | 'storeFailed'>,
  work: ChannelWork,
  act: () => Promise<T>,
  onStored: (stored: T) => void,
): Promise<void> {
  const stored = await retryUntilStored(ports, work, act);
  if (stored !== null) onStored(stored);
}

/** Commits one intent; false when it did not apply. Throws FencedError. */
export async function tryIntent(
  { store }: Pick<ChannelPorts, 'store'>,
  { key, grant }: ChannelWork,
  intent: Write,
): Promise<boolean> {
  const [result] = await store.commit(key, grant.epoch, [intent]);
  return result?.applied === true;
}
