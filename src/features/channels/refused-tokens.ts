/**
 * Handles a token refusal from any upstream call: updates the channel's health at once, and mails the account once per
 * token. [spec: Send error codes, 190; operator-interface §4]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { reconnectNeeded } from '../../rules/mails/channels.ts';
import { sentenceFor } from '../../rules/messages/error-codes.ts';
import { hourMs } from '../../kernel/clock.ts';
import type { World } from '../world.ts';
import { withSameToken } from './find.ts';
import { nameToken } from './health.ts';
import { OncePerKey } from './once-per-key.ts';
import { writeMail } from '../mails/index.ts';

/** Upstream's code for an expired or revoked token. [spec: Send error codes] */
export const refusedTokenCode = 190;

export interface RefusedToken {
  /** The channel as it was at the upstream call. */
  channel: Channel;
  code: number;
  /** For a send, the write that records its failure also queues the mail. */
  isSend: boolean;
}

export class RefusedTokens {
  readonly #world: World;
  readonly #noted: OncePerKey;

  constructor(world: World) {
    this.#world = world;
    this.#noted = new OncePerKey(world.clock, hourMs);
  }

  /** Fire and forget. Never rejects: after a store error the next refusal or the daily check notes the token. */
  note(refused: RefusedToken): Promise<void> {
    const { channel, isSend } = refused;
    return this.#noted.run(
      `${nameToken(channel)}:${isSend}`,
      () => this.#write(refused),
      (error) => this.#world.log.warn({ channel: channel.id, error }, 'channel.refusal-not-noted'),
    );
  }

  async #write({ channel: called, code, isSend }: RefusedToken): Promise<void> {
    const { stores, clock, counters, log } = this.#world;
    const channel = await withSameToken(this.#world, called);
    if (channel === null) return;
    const { id } = channel;
    const now = clock.now();
    const state = { token: 'refused', isSubscribed: null, qualityRating: null } as const;
    await stores.health.noteUpstream(id, state, now);
    await stores.health.noteAccount(channel);
    counters.increment('channel_problems_total', { code: 'token_refused' });
    log.warn({ channel: id, code }, 'channel.token-refused');
    if (isSend) return;
    await mailReconnect(this.#world, channel, code);
  }
}

/** Mails the account once per token, from whatever call was refused first. `code` is upstream's. */
export async function mailReconnect(
  world: Pick<World, 'stores' | 'sealer' | 'clock' | 'settings' | 'log'>,
  channel: Channel,
  code: number,
): Promise<void> {
  const what = sentenceFor(code, { subcode: null, message: '' });
  const about = { what, code, at: world.clock.now(), baseUrl: world.settings.baseUrl };
  const { opening, line, ...mail } = reconnectNeeded(channel, about);
  await writeMail(world, { ...mail, lines: [...opening, line] });
}
