/**
 * A send that is refused as if the channel were lost: whether it is, the next probe tells. Otherwise the channel would look well until the
 * periodic check. [faults: 242]
 */
import { minuteMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { OncePerKey } from './once-per-key.ts';

export class RefusedAccess {
  readonly #world: World;
  readonly #asked: OncePerKey;

  constructor(world: World) {
    this.#world = world;
    this.#asked = new OncePerKey(world.clock, 10 * minuteMs);
  }

  /** Fire and forget. Never rejects: the periodic check covers a channel that is missed here. */
  note(channelId: string): Promise<void> {
    const { jobs, log } = this.#world;
    return this.#asked.run(
      channelId,
      () => jobs.enqueue('look-at-channel', { channelId }),
      (error) => log.info({ channel: channelId, error }, 'channel.look-not-queued'),
    );
  }
}
