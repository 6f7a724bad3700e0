/**
 * Keeps the app's own webhook subscriptions as the connected kinds need them: what is missing is subscribed, another callback is never
 * touched. Without them a channel is connected and hears nothing. [operator-interface §2 UPSTREAM_APP_WEBHOOKS]
 */
import { judgeAppWebhooks, problemOf } from './app-webhooks-rules.ts';
import type { KnownAppWebhooks } from './app-webhooks-rules.ts';
import type { UpstreamProblem } from '../../rules/channels/upstream-problems.ts';
import { withProblem } from '../../rules/channels/upstream-problems.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import { hourMs, minuteMs, toIso } from '../../kernel/clock.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import { backOffMs } from '../../kernel/retry.ts';
import type { World } from '../world.ts';
import type { AppWebhooks } from '../../upstream/app-calls.ts';
import { noteKind, noteWebhooks, readKnownApp } from './notes.ts';
import type { KnownApp } from './notes.ts';

/** After a failure: a minute, then twice as long each time. */
const backOff = { firstMs: minuteMs, maxMs: hourMs };
/** What is wrong is looked at more often than what is right: an operator may mend it at the platform. */
const wrongAgainMs = 10 * minuteMs;
const channelsPerLook = 200;
/** Installations of builds without these notes: so many of their channels are looked at for kinds. */
const maxLooks = 10;

type AppWorld = Pick<
  World,
  'stores' | 'clock' | 'log' | 'counters' | 'upstreamApp' | 'settings' | 'appProblems'
>;

export class AppWebhooksKeeper {
  readonly #world: AppWorld;
  #dueAt = 0;
  #failures = 0;
  #hasToldUnreachable = false;

  constructor(world: AppWorld) {
    this.#world = world;
  }

  /** Upstream switches a subscription off after about an hour of failures, and only a look at it brings it back. [upstream §1.6] */
  get #intervalMs(): number {
    return this.#world.settings.healthCheckIntervalMs;
  }

  /** Looks if it is time. Never throws for upstream; throws StoreUnavailable. */
  async runWhenDue(): Promise<void> {
    if (this.#world.clock.monotonic() < this.#dueAt || (await this.#isLookedAfter())) return;
    await this.run();
  }

  /** Another node has looked within the interval and found all right. */
  async #isLookedAfter(): Promise<boolean> {
    const { kinds, webhooks, checkedAt } = await readKnownApp(this.#world);
    // A time ahead is of a node whose clock is.
    if (checkedAt === null || Math.abs(this.#world.clock.now() - checkedAt) >= this.#intervalMs) return false;
    return [...kinds].every((kind) => webhooks.get(kind)?.state === 'right');
  }

  async run(): Promise<void> {
    const { clock, counters, log, upstreamApp } = this.#world;
    const kinds = await this.#connectedKinds();
    if (kinds.size === 0) return this.#next(this.#intervalMs);
    try {
      const known = await this.#mend(await upstreamApp.webhooks(), kinds);
      await noteWebhooks(this.#world, known);
      await this.refresh();
      this.#looked([...known.values()]);
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      counters.increment('app_webhooks_checks_total', { outcome: 'failed' });
      const nextMs = this.#failed();
      log.warn({ why: thrown.message, next_at: toIso(clock.now() + nextMs) }, 'app-webhooks.not-read');
    }
  }

  #looked(known: readonly KnownAppWebhooks[]): void {
    const isRight = known.every(({ state }) => state === 'right');
    this.#world.counters.increment('app_webhooks_checks_total', { outcome: isRight ? 'right' : 'wrong' });
    if (known.some(({ why }) => why !== null)) return void this.#failed();
    this.#failures = 0;
    this.#next(isRight ? this.#intervalMs : wrongAgainMs);
  }

  #failed(): number {
    const nextMs = backOffMs(backOff, this.#failures);
    this.#failures += 1;
    this.#next(nextMs);
    return nextMs;
  }

  /** Takes what any node has learned into this node's memory, for the health of channels. */
  async refresh(): Promise<void> {
    const { webhooks, checkedAt } = await readKnownApp(this.#world);
    const problems = new Map<ChannelType, readonly UpstreamProblem[]>();
    for (const [type, known] of webhooks) {
      const problem = problemOf(known);
      if (problem !== null) problems.set(type, withProblem([], problem, checkedAt ?? 0) ?? []);
    }
    this.#world.appProblems.replace(problems);
  }

  #next(ms: number): void {
    this.#dueAt = this.#world.clock.monotonic() + ms;
  }

  async #connectedKinds(): Promise<ReadonlySet<ChannelType>> {
    const known = await readKnownApp(this.#world);
    return known.checkedAt === null ? this.#findKinds(known) : known.kinds;
  }

  async #findKinds({ kinds }: KnownApp): Promise<ReadonlySet<ChannelType>> {
    const found = new Set(kinds);
    let after = '';
    for (let look = 0; look < maxLooks && found.size < channelTypes.length; look += 1) {
      const channels = await this.#world.stores.channels.activeAfter(after, channelsPerLook);
      for (const { channelType } of channels) found.add(channelType);
      after = channels.at(-1)?.id ?? '';
      if (channels.length < channelsPerLook) break;
    }
    for (const kind of found) if (!kinds.has(kind)) await noteKind(this.#world, kind);
    return found;
  }

  async #mend(
    seen: readonly AppWebhooks[],
    kinds: ReadonlySet<ChannelType>,
  ): Promise<Map<ChannelType, KnownAppWebhooks>> {
    const known = new Map<ChannelType, KnownAppWebhooks>();
    for (const one of seen)
      if (kinds.has(one.channelType)) known.set(one.channelType, await this.#mendOne(one));
    return known;
  }

  async #mendOne(seen: AppWebhooks): Promise<KnownAppWebhooks> {
    const { upstreamApp, log } = this.#world;
    const state = judgeAppWebhooks(seen, upstreamApp.callbackUrl);
    const missing = seen.missing.required;
    const isWhole = state === 'right' && seen.missing.optional.length === 0;
    if (isWhole || state === 'elsewhere' || !this.#mayManage()) {
      if (state !== 'right') log.warn({ object: seen.object, state, missing }, 'app-webhooks.wrong');
      return { state, missing, why: null };
    }
    try {
      const { leftOut } = await upstreamApp.subscribe(seen);
      const lost = missing.filter((name) => leftOut.includes(name));
      log.info({ object: seen.object, left_out: leftOut }, 'app-webhooks.subscribed');
      if (lost.length === 0) return { state: 'right', missing: [], why: null };
      return { state: 'lacking', missing: lost, why: 'upstream does not know them' };
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      log.warn({ object: seen.object, missing, why: thrown.message }, 'app-webhooks.not-subscribed');
      return { state, missing, why: thrown.message };
    }
  }

  /** Upstream verifies the callback: it must be able to reach it. */
  #mayManage(): boolean {
    const { appWebhooks, isReachable, baseUrl } = this.#world.settings;
    if (appWebhooks === 'check') return false;
    if (!isReachable && !this.#hasToldUnreachable) {
      this.#hasToldUnreachable = true;
      this.#world.log.warn({ base_url: baseUrl }, 'app-webhooks.base-url-unreachable');
    }
    return isReachable;
  }
}

/** A channel of this kind was connected. Never throws: the next look finds the kind by its note, or by its channel. */
export async function needWebhooksOf(
  world: Pick<World, 'stores' | 'clock' | 'log' | 'jobs'>,
  channelType: ChannelType,
): Promise<void> {
  try {
    const { kinds, webhooks } = await readKnownApp(world);
    if (!kinds.has(channelType)) await noteKind(world, channelType);
    if (webhooks.get(channelType)?.state !== 'right') await world.jobs.enqueue('check-app-webhooks', {});
  } catch (thrown) {
    world.log.warn({ channel_type: channelType, error: asError(thrown) }, 'app-webhooks.not-asked-for');
  }
}
