/**
 * A send that is refused because the channel's number is not registered: the account is told to connect it again, once per token, unless
 * that is not needed. The service registers a number whose registration is pending by itself, and a phone its own. [spec: Send error codes;
 * upstream §2.4]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import { hourMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { OncePerKey } from './once-per-key.ts';
import { withSameToken } from './find.ts';
import { nameToken } from './health.ts';
import { mailReconnect } from './refused-tokens.ts';

export interface RefusedNumber {
  /** The channel as it was at the upstream call. */
  channel: Channel;
  code: number;
}

export class RefusedNumbers {
  readonly #world: World;
  readonly #noted: OncePerKey;

  constructor(world: World) {
    this.#world = world;
    this.#noted = new OncePerKey(world.clock, hourMs);
  }

  /** Fire and forget. Never rejects: after a store error the next refusal is noted. */
  note({ channel, code }: RefusedNumber): Promise<void> {
    const work = async () => {
      if (await this.#needsReconnect(channel)) await mailReconnect(this.#world, channel, code);
    };
    return this.#noted.run(nameToken(channel), work, (error) =>
      this.#world.log.warn({ channel: channel.id, error }, 'channel.refusal-not-noted'),
    );
  }

  async #needsReconnect(channel: Channel): Promise<boolean> {
    if (kindOf(channel.channelType).isOnPhone(channel.profile) === true) return false;
    if ((await withSameToken(this.#world, channel)) === null) return false;
    const problems = (await this.#world.stores.health.of(channel.id))?.problems ?? [];
    return !problems.some(({ code }) => code === 'registration_pending');
  }
}
