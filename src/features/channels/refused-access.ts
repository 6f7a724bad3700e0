/**
 * A send that is refused as if the channel were lost: whether it is, the next probe tells. Otherwise the channel would look well until the
 * periodic check. [faults: 242]
 */
import { minuteMs } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';

/** Every send of a lost channel is refused: one probe is enough for a while. */
const asked = { max: 10_000, ttlMs: 10 * minuteMs };

export class RefusedAccess {
  readonly #world: World;
  readonly #asked: ShortLivedCache<true>;

  constructor(world: World) {
    this.#world = world;
    this.#asked = new ShortLivedCache({ ...asked, clock: world.clock });
  }

  /** Fire and forget. Never rejects: the periodic check covers a channel that is missed here. */
  async note(channelId: string): Promise<void> {
    if (this.#asked.get(channelId) === true) return;
    this.#asked.set(channelId, true);
    try {
      await this.#world.jobs.enqueue('look-at-channel', { channelId });
    } catch (thrown) {
      this.#asked.delete(channelId);
      this.#world.log.info({ channel: channelId, error: asError(thrown) }, 'channel.look-not-queued');
    }
  }
}
