/** Looks after numbers that upstream has not registered: what is due is tried again, and what lasts is mailed once. */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelHealth } from '../../rules/channels/health.ts';
import { channelProblem } from '../../rules/mails/channels.ts';
import { hourMs } from '../../kernel/clock.ts';
import { idFrom, newId } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { underRequest } from '../world.ts';
import type { World } from '../world.ts';
import { pendingIn, registerNumber } from './register-number.ts';
import { writeMail } from '../mails/index.ts';

const channelsPerRead = 500;
/** Each try takes up to 20 s. */
const maxTries = 20;
/** Most numbers are registered within minutes by themselves: a mail before that is one for nothing. */
const mailedAfterMs = hourMs;
const maxMailed = 100_000;

export class DueRegistrations {
  readonly #world: World;
  /** Mails that this node has written, by id: the outbox takes each once, and need not be asked at every look. */
  readonly #mailed = lruCache<true>(maxMailed);

  constructor(world: World) {
    this.#world = world;
  }

  /** The longest troubled come first; a look ends with the tries that fit into it. Throws StoreUnavailable. */
  async run(): Promise<void> {
    let tries = 0;
    let last: ChannelHealth | undefined;
    do {
      const found = await this.#world.stores.health.troubled(channelsPerRead, last);
      last = found.length < channelsPerRead ? undefined : found.at(-1);
      for (const health of found) {
        if (this.#isDue(health)) tries += await this.#tryAgain(health.channelId);
        if (this.#lasts(health)) await this.#mail(health);
        if (tries >= maxTries) return;
      }
    } while (last !== undefined);
  }

  #isDue(health: ChannelHealth): boolean {
    const nextTryAt = pendingIn(health)?.nextTryAt ?? null;
    return nextTryAt !== null && nextTryAt <= this.#world.clock.now();
  }

  /** The number of tries. */
  async #tryAgain(channelId: string): Promise<0 | 1> {
    const channel = await this.#connected(channelId);
    if (channel !== null) await registerNumber(underRequest(this.#world, newId()), channel);
    else
      await this.#world.stores.health.clearProblems(
        channelId,
        ['registration_pending'],
        this.#world.clock.now(),
      );
    return channel === null ? 0 : 1;
  }

  async #connected(channelId: string): Promise<Channel | null> {
    const channel = await this.#world.stores.channels.byId(channelId);
    return channel?.isActive === true && channel.token !== null ? channel : null;
  }

  #lasts(health: ChannelHealth): boolean {
    const since = pendingIn(health)?.since ?? null;
    return since !== null && since <= this.#world.clock.now() - mailedAfterMs;
  }

  /** What a try of this look found is newer than `health`. */
  async #mail(health: ChannelHealth): Promise<void> {
    const { channelId } = health;
    const since = String(pendingIn(health)?.since);
    const id = idFrom('mail', 'registration-pending', channelId, since);
    if (this.#mailed.has(id)) return;
    const { stores, clock, settings } = this.#world;
    const [channel, problem] = [
      await this.#connected(channelId),
      pendingIn(await stores.health.of(channelId)),
    ];
    if (channel === null || problem === null) return;
    const { accountId } = channel;
    const letter = channelProblem(channel, problem, { now: clock.now(), baseUrl: settings.baseUrl });
    await writeMail(this.#world, { id, accountId, kind: 'channel-problem', ...letter });
    this.#mailed.set(id, true);
  }
}
