/**
 * One channel with the real actor, and everything around it as choices: when an operation of the store happens and whether it is
 * answered, the outcome of a call or POST, which owner dies or is replaced, and when time passes.
 */
import { makeChannelActor } from '../../actors/channel/index.ts';
import type { ChannelEffect, ChannelRules, ChannelState } from '../../actors/channel/index.ts';
import type { ChannelAsk } from '../../actors/channel/asks.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import type { UpstreamCall, WebhookPost, WebhookResult } from '../../src/rules/outside.ts';
import { Activation, ActivationGone } from '../../actors/runtime/activation.ts';
import { Alarm } from '../../actors/runtime/alarm.ts';
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import type { Write, WriteResult } from '../../src/storage/journal/writes.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import type { UpstreamOutcome } from '../../src/rules/messages/upstream-outcome.ts';
import { Fault, FencedError, StoreUnavailable } from '../../src/kernel/faults.ts';
import { silentLog } from '../support/silent-log.ts';
import { plainSealer } from '../actors/support/plain-sealer.ts';
import { isOpen, statusIn } from '../actors/support/model-messages.ts';
import { ModelStore } from '../actors/support/model-store.ts';
import { channelOf, subscriptionOf } from '../rules/samples.ts';
import { FakeClock, promisesSettled } from '../support/fake-clock.ts';
import type { World } from './explore.ts';
import { brokenAtRest, brokenSafety } from './promises.ts';
import { keyOf } from './state-key.ts';

/** The budget of faults in one run. */
export interface Budget {
  /** Operations of the store that fail, before or after they were applied. */
  storeFaults: number;
  /** Calls and POSTs that end in anything but success. */
  outsideFaults: number;
  crashes: number;
  /** Owners that live on beside their successor. */
  overtakes: number;
  /** Moments of time that pass while something is in flight. */
  slow: number;
}

export interface Plan {
  budget: Budget;
  /** The events that the receiver subscribes to. */
  events: readonly string[];
  /** Sends, all to one person, all requested at the start of the run. */
  sends: number;
  /** Whether upstream reports on the messages that it accepted. */
  reports: boolean;
  rules: ChannelRules;
  /** A deliberate bug. */
  bug?: Bug;
}

/** The connections between the parts, in which a bug can be placed. */
export interface Bug {
  decided?: (effects: ChannelEffect[], message: ChannelMessage) => ChannelEffect[];
  told?: (message: ChannelMessage) => ChannelMessage;
  journal?: (journal: ChannelJournal, store: ModelStore) => ChannelJournal;
  commit?: (store: ModelStore, ...commit: Parameters<ModelStore['commit']>) => WriteResult[];
}

type Told = 'sent' | 'queued' | 'failed' | 'refused';

interface Option {
  name: string;
  costs: 'nothing' | 'storeFaults' | 'outsideFaults';
  take: () => void;
}

interface Pending {
  label: string;
  owner: Owner;
  isWrite: boolean;
  options: Option[];
  /** Used once nobody is left to get the answer. */
  orphaned: Option[];
}

interface Owner {
  n: number;
  activation: Activation<ChannelState, ChannelMessage, ChannelEffect>;
  state: ChannelState | null;
  alarm: Alarm;
  isDead: boolean;
  isLeaseValid: boolean;
}

interface Call {
  messageId: string;
  /** `open`: the outcome is not known yet. */
  became: 'open' | 'accepted' | 'lost' | 'refused' | 'deferred';
}

const channelId = 'the-channel';
const never = new Promise<never>(() => undefined);

export class ChannelWorld implements World {
  readonly clock = new FakeClock();
  readonly store: ModelStore;
  readonly told = new Map<string, Told[]>();
  readonly calls: Call[] = [];
  /** For each delivery: the POSTs, how many of them the receiver accepted, and how many of their answers were lost. */
  readonly posts = new Map<string, { made: number; ok: number; unheard: number }>();
  /** The highest epoch and rank that was seen of each document. */
  readonly highest = new Map<string, { epoch: number; rank: number }>();
  readonly problems: string[] = [];
  losses = 0;
  readonly #plan: Plan;
  readonly #budget: Budget;
  readonly #owners: Owner[] = [];
  #pending: Pending[] = [];
  #reports: { name: string; tell: () => void }[] = [];
  #isBegun = false;
  readonly events: readonly string[];

  constructor(plan: Plan) {
    this.#plan = plan;
    this.events = plan.events;
    this.#budget = { ...plan.budget };
    this.store = new ModelStore({
      channel: channelOf('chatapp', {
        id: channelId,
        webhookUrl: 'https://receiver.example.com/',
        webhookEvents: [...plan.events],
      }),
      subscription: subscriptionOf({ expiresAt: null, tier: 'pro' }),
    });
  }

  get owner(): Owner {
    const last = this.#owners.at(-1);
    return last === undefined || last.activation.stage === 'gone' ? this.#takeOver() : last;
  }

  choices(): string[] {
    if (!this.#isBegun) return ['begin'];
    const { crashes, overtakes, slow } = this.#budget;
    const names: string[] = [];
    for (const pending of this.#ready())
      for (const { name, costs } of optionsOf(pending))
        if (costs === 'nothing' || this.#budget[costs] > 0) names.push(`${pending.label} ${name}`);
    for (const { name } of this.#reports) names.push(name);
    const isBusy = names.length > 0;
    if (this.clock.untilNext !== null && (!isBusy || slow > 0)) names.push('time');
    if (crashes > 0 && this.#isAtWork()) names.push('crash');
    if (overtakes > 0 && this.#isAtWork()) names.push('overtake', 'overtake, and its lease has ended');
    if (this.#needsOwner()) names.push('wake');
    return names;
  }

  async take(choice: string): Promise<void> {
    this.#act(choice);
    await promisesSettled();
  }

  key(): string {
    const { store, told, calls, posts, clock } = this;
    return keyOf(clock.now(), {
      owners: this.#owners.map(({ n, activation, state, isDead, isLeaseValid }) =>
        isDead || activation.stage === 'gone' ? n : [activation.stage, isLeaseValid, state],
      ),
      pending: this.#pending.map(({ label, owner }) => [label, owner.isDead]),
      reports: this.#reports.map(({ name }) => name),
      timers: [clock.pending, clock.untilNext],
      messages: store.messages,
      deliveries: store.deliveries,
      mails: store.mails.map(({ kind }) => kind),
      told,
      calls,
      posts,
      budget: this.#budget,
    });
  }

  broken(): string[] {
    return [...this.problems, ...brokenSafety(this)];
  }

  left(): string[] {
    return brokenAtRest(this);
  }

  #act(choice: string): void {
    if (choice === 'begin') return this.#begin();
    if (choice === 'time') return this.#pass();
    if (choice === 'crash') return this.#crash();
    if (choice === 'wake') return void this.#takeOver();
    if (choice.startsWith('overtake')) return this.#overtake(choice === 'overtake');
    const report = this.#reports.findIndex(({ name }) => name === choice);
    if (report >= 0) {
      this.#reports.splice(report, 1)[0]?.tell();
      return;
    }
    for (const pending of this.#ready())
      for (const { name, costs, take } of optionsOf(pending)) {
        if (`${pending.label} ${name}` !== choice) continue;
        if (costs !== 'nothing') this.#budget[costs] -= 1;
        this.#pending = this.#pending.filter((other) => other !== pending);
        take();
        return;
      }
    throw new Error(`${choice} can't happen now`);
  }

  #begin(): void {
    this.#isBegun = true;
    for (let n = 1; n <= this.#plan.sends; n += 1) {
      const send = { type: 'send', messageId: `m-${n}`, recipient: 'mia' } as const;
      this.#ask({ ...send, content: { type: 'text', text: 'Hello' } });
    }
  }

  #ask(send: Extract<ChannelAsk, { type: 'send' }>): void {
    const told: Told[] = [];
    this.told.set(send.messageId, told);
    this.owner.activation
      .ask(send)
      .then((reply) => told.push(statusIn(reply)))
      .catch((error: unknown) => {
        // A client whose request was lost does not know the outcome.
        if (error instanceof Fault || (error instanceof ActivationGone && error.untouched))
          told.push('refused');
      });
  }

  #pass(): void {
    if (this.#ready().length > 0 || this.#reports.length > 0) this.#budget.slow -= 1;
    // With time a node learns that its lease has ended.
    for (const { activation, isLeaseValid } of this.#owners)
      if (!isLeaseValid) activation.close(new FencedError('the lease has ended'));
    this.clock.advance(this.clock.untilNext ?? 0);
  }

  #isAtWork(): boolean {
    const last = this.#owners.at(-1);
    return last?.state !== null && last?.state !== undefined && last.activation.stage !== 'gone';
  }

  #crash(): void {
    const { owner } = this;
    this.#budget.crashes -= 1;
    this.losses += 1;
    owner.isDead = true;
    owner.alarm.stop();
    this.#takeOver();
  }

  #overtake(isLeaseValid: boolean): void {
    const { owner } = this;
    this.#budget.overtakes -= 1;
    this.losses += 1;
    owner.isLeaseValid = isLeaseValid;
    this.#takeOver();
  }

  /** Operations of one owner's writes keep their order. */
  #ready(): Pending[] {
    const writing = new Set<Owner>();
    return this.#pending.filter(({ owner, isWrite }) => {
      if (!isWrite) return true;
      const isFirst = !writing.has(owner);
      writing.add(owner);
      return isFirst;
    });
  }

  #takeOver(): Owner {
    const n = this.#owners.length + 1;
    const grant = { epoch: n, isValid: () => owner.isLeaseValid, isSure: () => owner.isLeaseValid };
    const { rules, bug } = this.#plan;
    const actor = makeChannelActor(
      this.#portsOf(() => owner),
      rules,
    );
    const decide: typeof actor.decide = (state, message, turn) => {
      owner.state = state;
      const effects = actor.decide(state, bug?.told?.(message) ?? message, turn);
      return bug?.decided?.(effects, message) ?? effects;
    };
    const alarm = new Alarm(this.clock, () => owner.activation.ring());
    const events = {
      now: () => this.clock.now(),
      wakeAt: (key: string, at: number | null) => alarm.set(key, at),
      gone: (_: { readonly key: string }, error: Error | null) => this.#gone(owner, error),
    };
    const activation = new Activation(channelId, grant, { ...actor, decide }, events, 1_000);
    const owner: Owner = { n, activation, state: null, alarm, isDead: false, isLeaseValid: true };
    this.#owners.push(owner);
    void activation.load();
    return owner;
  }

  #gone(owner: Owner, error: Error | null): void {
    owner.alarm.stop();
    if (error !== null && !(error instanceof FencedError) && !(error instanceof StoreUnavailable))
      this.problems.push(`an owner ended by ${error.message}`);
  }

  /** Due work of a channel without an owner is found by a sweep. */
  #needsOwner(): boolean {
    if (this.#owners.at(-1)?.activation.stage !== 'gone') return false;
    const { messages, deliveries } = this.store;
    return (
      [...messages.values()].some(isOpen) || [...deliveries.values()].some(({ state }) => state === 'pending')
    );
  }

  #portsOf(ownerOf: () => Owner): Parameters<typeof makeChannelActor>[0] {
    const { bug } = this.#plan;
    const connected = this.store.connect();
    const store = bug?.journal?.(connected, this.store) ?? connected;
    const apply = bug?.commit ?? ((to, ...asked) => to.commit(...asked));
    const commit: ChannelJournal['commit'] = (id, epoch, writes) =>
      this.#commit(ownerOf(), writes, () => apply(this.store, id, epoch, writes));
    return {
      clock: this.clock,
      store: { ...store, commit },
      replays: this.store.connectReplays(),
      upstream: { send: (call) => this.#call(ownerOf(), call) },
      webhooks: { post: (post) => this.#post(ownerOf(), post) },
      files: { fetch: () => never },
      accountReceiver: { of: async () => null },
      receivers: { of: async () => [], logged: async () => [], settings: async () => null },
      owners: { wake: () => undefined },
      echoes: { ask: async () => 'has-none' },
      quarantine: { add: async () => undefined },
      sealer: plainSealer,
      live: { hasSubscribers: () => false, publish: () => undefined },
      log: silentLog,
    };
  }

  /** `orphaned`: a crash applies only a prefix of the operations in flight. */
  #commit(owner: Owner, writes: readonly Write[], run: () => WriteResult[]): Promise<WriteResult[]> {
    return new Promise((resolve, reject) => {
      const unheard = (): void => reject(new StoreUnavailable('no answer'));
      const applied = (): WriteResult[] | null => {
        try {
          return run();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return null;
        }
      };
      const done = (): void => {
        const results = applied();
        if (results !== null) resolve(results);
      };
      const lost = (): void => {
        if (applied() !== null) unheard();
      };
      const land = (): void => void applied();
      const vanish = (): void => {
        this.#pending = this.#pending.filter((other) => other.owner !== owner || !other.isWrite);
      };
      this.#pending.push({
        label: `${owner.n}: ${writes.map(({ write }) => write).join(' ')}`,
        owner,
        isWrite: true,
        options: [
          { name: 'done', costs: 'nothing', take: done },
          { name: 'done, unheard', costs: 'storeFaults', take: lost },
          { name: 'not done', costs: 'storeFaults', take: unheard },
        ],
        orphaned: [
          { name: 'lands', costs: 'nothing', take: land },
          { name: 'vanishes', costs: 'nothing', take: vanish },
        ],
      });
    });
  }

  #call(owner: Owner, { messageId }: UpstreamCall): Promise<UpstreamOutcome> {
    const call: Call = { messageId, became: 'open' };
    const n = this.calls.push(call);
    const upstreamId = `up-${n}`;
    const accept = (): void => {
      call.became = 'accepted';
      if (this.#plan.reports) this.#report(messageId, upstreamId);
    };
    return new Promise((resolve) => {
      const is = (became: Call['became'], heard: UpstreamOutcome) => (): void => {
        if (became === 'accepted') accept();
        call.became = became;
        resolve(heard);
      };
      const unknown: UpstreamOutcome = { outcome: 'unknown', error: 'no answer' };
      const why = { error: 'no', errorCode: 131_026 };
      const taken: UpstreamOutcome = { outcome: 'accepted', upstreamId };
      this.#pending.push({
        label: `${owner.n}: call of ${messageId}`,
        owner,
        isWrite: false,
        options: [
          { name: 'accepted', costs: 'nothing', take: is('accepted', taken) },
          { name: 'accepted, unheard', costs: 'outsideFaults', take: is('accepted', unknown) },
          { name: 'lost', costs: 'outsideFaults', take: is('lost', unknown) },
          { name: 'refused', costs: 'outsideFaults', take: is('refused', { outcome: 'refused', ...why }) },
          {
            name: 'deferred',
            costs: 'outsideFaults',
            take: is('deferred', { outcome: 'deferred', ...why, pause: 'none' }),
          },
        ],
        orphaned: [
          { name: 'accepted', costs: 'nothing', take: is('accepted', unknown) },
          { name: 'lost', costs: 'nothing', take: is('lost', unknown) },
        ],
      });
    });
  }

  /** Upstream redelivers until it is answered. */
  #report(messageId: string, upstreamId: string): void {
    const report = { name: `report of ${upstreamId}`, tell: () => tell() };
    const tell = (): void => {
      const fact: ChannelFact = {
        kind: 'receipt',
        channelType: 'chatapp',
        identity: channelId,
        status: 'delivered',
        upstreamId,
        tag: messageId,
        recipient: 'mia',
        at: this.clock.now(),
        errors: [],
      };
      this.owner.activation
        .ask({ type: 'take-facts', facts: [fact] })
        .catch(() => void this.#reports.push(report));
    };
    this.#reports.push(report);
  }

  #post(owner: Owner, { deliveryId }: WebhookPost): Promise<WebhookResult> {
    const posts = this.posts.get(deliveryId) ?? { made: 0, ok: 0, unheard: 0 };
    this.posts.set(deliveryId, posts);
    posts.made += 1;
    return new Promise((resolve) => {
      const is = (ok: boolean, heard: WebhookResult) => (): void => {
        if (ok) posts.ok += 1;
        if (ok && !heard.ok) posts.unheard += 1;
        resolve(heard);
      };
      const taken: WebhookResult = { ok: true, status: 200 };
      const unheard: WebhookResult = { ok: false, status: null, reason: 'timeout' };
      this.#pending.push({
        label: `${owner.n}: POST of ${deliveryId}`,
        owner,
        isWrite: false,
        options: [
          { name: 'taken', costs: 'nothing', take: is(true, taken) },
          { name: 'taken, unheard', costs: 'outsideFaults', take: is(true, unheard) },
          {
            name: 'refused',
            costs: 'outsideFaults',
            take: is(false, { ok: false, status: 500, reason: 'status' }),
          },
        ],
        orphaned: [
          { name: 'taken', costs: 'nothing', take: is(true, unheard) },
          { name: 'lost', costs: 'nothing', take: is(false, unheard) },
        ],
      });
    });
  }
}

function optionsOf({ owner, options, orphaned }: Pending): Option[] {
  return owner.isDead ? orphaned : options;
}
