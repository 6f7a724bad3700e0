/**
 * Periodic check of connected channels that can't receive or send: renews webhook subscriptions that upstream lost, and mails
 * the account the problems that only a person can solve, once per problem and day.
 */
import type { Channel } from '../../rules/channels/channel.ts';
import { findProblems, unknownHealth } from '../../rules/channels/health.ts';
import type { HealthProblem, UpstreamState } from '../../rules/channels/health.ts';
import { isOperable } from '../../rules/licences/operability.ts';
import { Fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import type { World } from '../world.ts';
import { underRequest } from '../world.ts';
import { unsubscribeRemoved } from './deactivate.ts';
import { findLicence } from './find.ts';
import { checkedSince, nameToken } from './health.ts';
import { forgetPassing } from './passing-problems.ts';
import { keepToken, needsCare } from './token-ends.ts';
import { mailProblem } from './problem-mails.ts';
import { mailReconnect, refusedTokenCode } from './refused-tokens.ts';

const channelsPerLook = 200;
const probesPerLook = 40;
const concurrentChecks = 4;
/** Checks of a node of which it remembers when they were. */
const maxChecked = 100_000;
/** A look ends soon after this time, however slow upstream is; the next one continues there. */
const lookMs = 20_000;
const mailedProblems: readonly HealthProblem['code'][] = ['token_missing', 'not_subscribed'];

export class ChannelChecks {
  readonly #world: World;
  /** Cursor of the last look; a node that takes over starts from the beginning and skips recently checked channels. */
  #after = '';
  /** Checked by this node within the interval, by the time that passed: two nodes whose clocks differ would check in turn without a pause. */
  readonly #checked: ShortLivedCache<true>;

  constructor(world: World) {
    this.#world = world;
    const { clock, settings } = world;
    this.#checked = new ShortLivedCache({ max: maxChecked, ttlMs: settings.healthCheckIntervalMs, clock });
  }

  /** Throws StoreUnavailable. */
  async run(): Promise<void> {
    const { stores, clock } = this.#world;
    const found = await stores.channels.activeAfter(this.#after, channelsPerLook);
    const endsAt = clock.monotonic() + lookMs;
    const left = found.values();
    let probed = 0;
    const checkNext = async (): Promise<void> => {
      while (probed < probesPerLook && clock.monotonic() < endsAt) {
        const next = left.next();
        if (next.done === true) return;
        this.#after = next.value.id;
        await this.#keepToken(next.value);
        if (!(await this.#isDue(next.value))) continue;
        probed += 1;
        await this.#check(next.value);
      }
    };
    await Promise.all(Array.from({ length: concurrentChecks }, checkNext));
    if (left.next().done === true && found.length < channelsPerLook) this.#after = '';
  }

  /** Apart from the check: a health that clients ask for all the time is never due. */
  async #keepToken(channel: Channel): Promise<void> {
    const { clock, settings } = this.#world;
    if (needsCare(channel, clock.now(), settings.tokenRenewBeforeMs))
      await keepToken(underRequest(this.#world, newId()), channel);
  }

  async #isDue(channel: Channel): Promise<boolean> {
    const { stores, clock, settings } = this.#world;
    if (this.#checked.has(nameToken(channel))) return false;
    const health = await stores.health.of(channel.id);
    const checkedAt = health === null ? null : checkedSince(channel, health);
    // A time ahead is of a node whose clock is: how long ago that was, nobody knows. [faults: 451]
    return checkedAt === null || Math.abs(clock.now() - checkedAt) >= settings.healthCheckIntervalMs;
  }

  async #check(channel: Channel): Promise<void> {
    const { clock, settings } = this.#world;
    const licence = await findLicence(this.#world, channel);
    if (!isOperable(licence, clock.now(), settings.graceMs)) return;
    await forgetPassing(this.#world, channel.id);
    const requestId = newId();
    let state = await this.#world.probes.probe(channel, requestId);
    if (state !== null) this.#checked.set(nameToken(channel), true);
    if (state?.isSubscribed === false) state = (await this.#subscribeAgain(channel, requestId)) ?? state;
    const health = { ...unknownHealth(channel.id), ...state };
    for (const problem of findProblems(channel, health, true))
      if (problem.code === 'token_refused') await mailReconnect(this.#world, channel, refusedTokenCode);
      else if (mailedProblems.includes(problem.code)) await mailProblem(this.#world, channel, problem);
  }

  /** null: upstream refused, or the channel was deactivated meanwhile. */
  async #subscribeAgain({ id }: Channel, requestId: string): Promise<UpstreamState | null> {
    const { stores, upstream, log, counters } = underRequest(this.#world, requestId);
    const channel = await stores.channels.byId(id);
    if (channel === null || !channel.isActive) return null;
    try {
      await upstream.subscribe(channel);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      log.warn({ channel: id, why: thrown.message }, 'channel.not-subscribed-again');
      return null;
    }
    // Its removal may have ended the subscription before this call made it.
    if ((await stores.channels.byId(id))?.isActive !== true) {
      await unsubscribeRemoved(this.#world, channel);
      return null;
    }
    counters.increment('channels_subscribed_again_total', { channel_type: channel.channelType });
    log.info({ channel: id }, 'channel.subscribed-again');
    return this.#world.probes.probe(channel, requestId);
  }
}
