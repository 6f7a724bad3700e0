/** One owner of the channel, or of an endpoint of it, on one node: the real actor in an environment that may crash, hang, or be overtaken. */
import { expect } from '@jest/globals';
import { makeChannelActor } from '../../../actors/channel/index.ts';
import type { ChannelEffect, ChannelRules, ChannelState } from '../../../actors/channel/index.ts';
import type { ChannelPorts } from '../../../actors/channel/performing/channel-ports.ts';
import type { ChannelAsk } from '../../../actors/channel/asks.ts';
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import type { ChannelJournal } from '../../../src/storage/journal/channel-journal.ts';
import type { FileFetcher, Receivers, Upstream, WebhookPoster } from '../../../src/rules/outside.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import { Activation } from '../../../actors/runtime/activation.ts';
import { Alarm } from '../../../actors/runtime/alarm.ts';
import { FencedError, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { silentLog } from '../../support/silent-log.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import type { ModelStore } from './model-store.ts';
import { nextDueAt } from './next-due.ts';
import type { Random } from './random.ts';
import { plainSealer } from './plain-sealer.ts';

interface NodeWorld {
  clock: FakeClock;
  random: Random;
  store: ModelStore;
  upstream: Upstream;
  webhooks: WebhookPoster;
  files: FileFetcher;
  receivers: Receivers;
  owners: ChannelPorts['owners'];
  rules: ChannelRules;
  /** A violated invariant, as a sentence. */
  problems: string[];
  /** Ends the random faults. */
  isCalm: () => boolean;
}

const never = new Promise<never>(() => undefined);

export class ModelNode {
  readonly activation: Activation<ChannelState, ChannelMessage, ChannelEffect>;
  readonly epoch: number;
  state: ChannelState | null = null;
  isLeaseValid = true;
  isLeaseSure = true;
  /** This many operations of the store fail, before or after they were applied. */
  faultsAhead = 0;
  #isDead = false;
  /** A crash applies only a prefix of the operations in flight. */
  #loses = false;
  #lastWriteAt = 0;
  readonly #world: NodeWorld;
  readonly #alarm: Alarm;

  /** `ownerId`: of the channel, or of an endpoint of it. */
  constructor(world: NodeWorld, epoch: number, ownerId: string) {
    this.#world = world;
    this.epoch = epoch;
    this.#alarm = new Alarm(world.clock, () => this.activation.ring());
    const actor = makeChannelActor(this.#channelWorld(), world.rules);
    const decide = (...[state, message, turn]: Parameters<typeof actor.decide>): ChannelEffect[] => {
      this.state = state;
      return this.#checked(actor.decide(state, message, turn), message, turn.now);
    };
    const events = {
      now: () => world.clock.now(),
      wakeAt: (key: string, at: number | null) => this.#alarm.set(key, at),
      gone: (_: { readonly key: string }, error: Error | null) => this.#onGone(error),
    };
    const grant = { epoch, isValid: () => this.isLeaseValid, isSure: () => this.isLeaseSure };
    world.store.minted.set(ownerId, Math.max(world.store.minted.get(ownerId) ?? 0, epoch));
    this.activation = new Activation(ownerId, grant, { ...actor, decide }, events, 1_000);
    void this.activation.load();
  }

  /** The lease could not be renewed, but the node does not know yet that another has it. */
  get isGoingOn(): boolean {
    return !this.#isDead && this.isLeaseValid && !this.isLeaseSure;
  }

  ask(message: ChannelAsk): Promise<unknown> {
    return this.#isDead ? never : this.activation.ask(message);
  }

  /** Power off: no operation in flight is answered any more, and only a prefix of them is applied. */
  die(): void {
    this.#isDead = true;
    this.#alarm.stop();
  }

  #onGone(error: Error | null): void {
    this.#alarm.stop();
    if (error !== null && !(error instanceof FencedError) && !(error instanceof StoreUnavailable))
      this.#world.problems.push(`the activation ended by ${error.stack ?? error.message}`);
  }

  /** No wake-up may be forgotten. */
  #checked(effects: ChannelEffect[], message: ChannelMessage, now: number): ChannelEffect[] {
    const { state } = this;
    const due = state === null ? null : nextDueAt(state, now);
    if (state !== null && due !== null && state.wakeAt > Math.max(due.at, now))
      this.#world.problems.push(
        `after ${message.type}: ${due.why} is due in ${due.at - now} ms, the alarm rings in ${state.wakeAt - now}`,
      );
    return effects;
  }

  #channelWorld(): Parameters<typeof makeChannelActor>[0] {
    const { clock, random, store, upstream, webhooks, files, receivers, owners } = this.#world;
    return {
      clock,
      store: this.#watched(
        store.connect(
          (run, kind) => this.#operate(run, kind),
          () => random.chance(0.5),
        ),
      ),
      replays: store.connectReplays((run, kind) =>
        this.#operate(() => ({ found: run() }), kind).then(({ found }) => found),
      ),
      upstream: { send: (call) => (this.#isDead ? never : upstream.send(call).then((o) => this.#heard(o))) },
      webhooks: { post: (post) => (this.#isDead ? never : webhooks.post(post).then((o) => this.#heard(o))) },
      files: {
        fetch: (file, left) => (this.#isDead ? never : files.fetch(file, left).then((o) => this.#heard(o))),
      },
      accountReceiver: { of: async () => null },
      receivers,
      owners: { wake: (...told) => (this.#isDead ? undefined : owners.wake(...told)) },
      echoes: { ask: async () => 'has-none' },
      quarantine: { add: async () => undefined },
      sealer: plainSealer,
      live: { hasSubscribers: () => true, publish: () => undefined },
      log: silentLog,
    };
  }

  /** [architecture §4: a drain stops claiming] */
  #watched(store: ChannelJournal): ChannelJournal {
    const commit: ChannelJournal['commit'] = (channelId, epoch, writes, whenCertain) => {
      if (this.activation.stage === 'draining' && writes.some((write) => this.#isNewClaim(write)))
        this.#world.problems.push('claimed while draining');
      return store.commit(channelId, epoch, writes, whenCertain);
    };
    return { ...store, commit };
  }

  /** A claim with the time of an earlier one only proves that it is still ours. */
  #isNewClaim(write: Write): boolean {
    if (write.write === 'reviveDelivery') return true;
    const { messages, deliveries } = this.#world.store;
    // A write that counts no more than is stored takes a claim back.
    if (write.write === 'claimDelivery')
      return write.claims > (deliveries.get(write.deliveryId)?.claims ?? 0);
    if (write.write !== 'claimCopy') return false;
    return messages.get(write.messageId)?.attemptedAt !== write.attemptedAt;
  }

  #heard<T>(result: T): T | Promise<T> {
    return this.#isDead ? never : result;
  }

  /** Writes of one channel keep their order; any operation may be delayed, fail, or fail after it was applied. */
  #operate<T>(run: () => T, kind: 'read' | 'write'): Promise<T> {
    const { clock, random } = this.#world;
    if (this.#isDead) return never;
    const tookMs = random.chance(0.5) ? 0 : random.between(0, random.chance(0.05) ? 900 : 30);
    let at = clock.now() + tookMs;
    if (kind === 'write') at = this.#lastWriteAt = Math.max(at, this.#lastWriteAt);
    const fails = this.faultsAhead > 0 || (!this.#world.isCalm() && random.chance(0.03));
    if (this.faultsAhead > 0) this.faultsAhead -= 1;
    const isApplied = !fails || random.chance(0.5);
    return new Promise((resolve, reject) => {
      clock.after(at - clock.now(), () => {
        if (this.#isDead) this.#loses ||= kind === 'read' || random.chance(0.5);
        if (this.#loses) return;
        try {
          const answer = isApplied ? { is: run() } : null;
          if (this.#isDead) return;
          // An empty result is an answer too.
          if (fails || answer === null) reject(new StoreUnavailable('no answer'));
          else resolve(answer.is);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
  }
}

/** A node that is still alive at the end must have nothing left to do. */
export function expectSettled(node: ModelNode): void {
  const { state } = node;
  if (state === null) return;
  const { calls, open: sends, queues } = state.sends;
  const { jobs, unmatched, learnedLately } = state.facts;
  const { open: inbound, fetches, backlog } = state.inbound;
  const { posts, open: deliveries, ready, replay, gap } = state.deliveries;
  const left = { jobs, sends, deliveries, unmatched, learnedLately, queues, inbound };
  const { storeHasMore, loading } = backlog;
  const kept = Object.entries(left).filter(([, map]) => map.size > 0);
  expect({
    calls,
    posts,
    ready,
    replay,
    gap,
    fetches: fetches.length,
    storeHasMore,
    loading,
    kept: kept.map(([name, map]) => [name, ...map.keys()]),
  }).toEqual({
    calls: 0,
    posts: 0,
    ready: [],
    replay: null,
    gap: 'none',
    fetches: 0,
    storeHasMore: false,
    loading: false,
    kept: [],
  });
}
