/** One history of one channel: clients send, upstream reports, owners die and are replaced, settings change. */
import type { ChannelPorts } from '../../../actors/channel/performing/channel-ports.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import type { Receivers, Upstream, WebhookPost, WebhookResult } from '../../../src/rules/outside.ts';
import { ActivationGone } from '../../../actors/runtime/activation.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import type { ChannelFact, InboundMessage } from '../../../src/rules/messages/facts.ts';
import { Fault, FencedError } from '../../../src/kernel/faults.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { endpointOwner, ModelEndpoint } from './model-endpoint.ts';
import { ModelFiles } from './model-files.ts';
import { statusIn } from './model-messages.ts';
import { ModelNode } from './model-node.ts';
import { ModelStore } from './model-store.ts';
import { ModelPeople } from './model-people.ts';
import { ModelReceiver } from './model-receiver.ts';
import { rules, settingsOfHistory } from './model-settings.ts';
import type { Step } from './model-steps.ts';
import { ModelUpstream } from './model-upstream.ts';
import { Random } from './random.ts';

/** By then a node has compared its ownership with the store. */
const staleMs = 10_000;

type Told = 'sent' | 'queued' | 'failed' | 'refused' | 'nothing';

export class ModelHistory {
  readonly clock = new FakeClock();
  readonly random: Random;
  readonly type: ChannelType;
  readonly store: ModelStore;
  readonly upstream: ModelUpstream;
  readonly problems: string[] = [];
  /** The answers to each client, by message id. */
  readonly told = new Map<string, Set<Told>>();
  readonly askedAgain = new Set<string>();
  /** Facts that were answered as durable. */
  readonly taken: ChannelFact[] = [];
  /** When a message first came: one that was not answered may be stored nevertheless. */
  readonly brought = new Map<InboundMessage, { at: number; batch: number; order: number }>();
  /** Messages that were answered as received: how many came before the message, and how many before its answer. */
  readonly received = new Map<InboundMessage, { batch: number; order: number; answered: number }>();
  readonly files: ModelFiles;
  /** Owners that ended other than by a drain: each may cost a duplicate. */
  losses = 0;
  /** How many of these lived on beside their successor. */
  overtakes = 0;
  readonly receiver = new ModelReceiver(this.clock);
  readonly people: ModelPeople;
  /** What was kept when a replay was requested: since when, by delivery id. */
  readonly replayed: ReadonlyMap<string, number>[] = [];
  readonly #keepsFailed: boolean;
  readonly #isOrdered: boolean;
  wereSettingsChanged = false;
  readonly nodes: ModelNode[] = [];
  /** In every other history. */
  readonly endpoint: ModelEndpoint | null;
  #deliveries = 0;
  #overtakenAt = -Infinity;
  #sends: { messageId: string; recipient: string; text: string }[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.#keepsFailed = seed % 2 === 1;
    this.#isOrdered = seed % 3 === 0;
    this.type = this.random.pick(['chatapp', 'photoapp', 'pagechat']);
    this.people = new ModelPeople(this.type, this.clock, this.random);
    const takeOver = (epoch: number): ModelNode => this.#newNode(epoch, endpointOwner);
    const own = { clock: this.clock, random: new Random(seed + 1), type: this.type, takeOver };
    this.endpoint = seed % 2 === 0 ? new ModelEndpoint(own) : null;
    this.store = new ModelStore(
      this.#settings({ active: true, licensed: true, starter: false, events: true }),
    );
    this.files = new ModelFiles(this.clock, this.random);
    this.upstream = new ModelUpstream(this.clock, this.random, this.type, (fact) => this.#deliver([fact]));
  }

  get node(): ModelNode {
    const last = this.nodes.at(-1);
    return last === undefined || last.activation.stage === 'gone' ? this.#takeOver() : last;
  }

  async take(step: Step): Promise<void> {
    switch (step.step) {
      case 'send':
        return this.#send(`m-${this.#sends.length + 1}`, `user-${step.to}`, `text ${step.text}`);
      case 'ask-again': {
        const last = this.#sends.at(-1);
        if (last === undefined) return;
        this.askedAgain.add(last.messageId);
        return this.#ask(last.messageId, last.recipient, last.text);
      }
      case 'wait':
        return this.clock.pass(step.ms);
      case 'crash':
        this.node.die();
        this.losses += 1;
        return this.#replace();
      case 'overtake': // the old owner lives on and does not know
        this.node.isLeaseValid = this.random.chance(0.5);
        this.node.isLeaseSure = this.random.chance(0.3);
        this.losses += 1;
        this.overtakes += 1;
        this.#overtakenAt = this.clock.now();
        await this.clock.pass(this.random.between(1, 100));
        return this.#replace();
      case 'lease':
        this.node.isLeaseValid = step.valid;
        return;
      case 'drain':
        return this.#drain(this.node);
      case 'store-faults':
        this.node.faultsAhead = step.count;
        if (this.endpoint !== null) this.endpoint.node.faultsAhead = step.count;
        return;
      case 'replay':
        return this.#replay(step);
      case 'receiver':
        this.receiver.isUp = step.up;
        return;
      case 'settings':
        this.wereSettingsChanged = true;
        this.store.settings = this.#settings(step);
        return this.#tellSettings();
      case 'endpoint':
        return this.#endEndpoint(step.ends);
      case 'endpoint-settings':
        this.endpoint?.change(step);
        return this.#tellSettings();
      case 'inbound':
        return this.#deliver(step.messages.map((message) => this.people.inbound(message)));
      default:
        return this.#deliver([this.people.foreign(step)]);
    }
  }

  /** Ends all faults, and lets everything that was started finish. */
  async settle(): Promise<void> {
    this.upstream.isHealthy = true;
    this.files.areHealthy = true;
    if (this.#keepsFailed) this.receiver.isUp = true;
    for (const each of this.#allNodes()) each.faultsAhead = 0;
    await this.clock.pass(4_000);
    // A sweeper wakes a channel without an owner, and an endpoint that has due work.
    const { node, endpoint } = this;
    const owners = [node, ...(endpoint === null ? [] : [endpoint.node])];
    for (const owner of owners) owner.isLeaseValid = true;
    // By now their nodes know that their leases have ended.
    for (const other of this.#allNodes())
      if (!owners.includes(other)) other.activation.close(new FencedError('lease lost'));
    await this.#sweepEndpoint();
    if (this.store.replays.length > 0) node.activation.tell({ type: 'replay' });
    await this.clock.pass(60_000);
    await this.#sweepEndpoint();
    await this.clock.pass(16 * 60_000);
  }

  /** What the channel's owner told it may have been lost. */
  async #sweepEndpoint(): Promise<void> {
    this.endpoint?.node.activation.tell({ type: 'wake' });
    await this.clock.pass(0);
  }

  #allNodes(): ModelNode[] {
    return [...this.nodes, ...(this.endpoint?.nodes ?? [])];
  }

  /** The owner of the endpoint hears it after the channel's. */
  #tellSettings(): void {
    this.node.activation.tell({ type: 'settings-changed' });
    this.endpoint?.node.activation.tell({ type: 'settings-changed' });
  }

  async #endEndpoint(ends: Extract<Step, { step: 'endpoint' }>['ends']): Promise<void> {
    const { endpoint } = this;
    if (endpoint === null) return;
    if (ends === 'crash') return endpoint.crash();
    if (ends === 'overtake') return endpoint.overtake();
    await this.#drain(endpoint.node);
  }

  #send(messageId: string, recipient: string, text: string): void {
    this.#sends.push({ messageId, recipient, text });
    this.#ask(messageId, recipient, text);
  }

  #ask(messageId: string, recipient: string, text: string): void {
    const told = this.told.get(messageId) ?? new Set();
    this.told.set(messageId, told);
    this.#asked()
      .ask({ type: 'send', messageId, recipient, content: { type: 'text', text } })
      .then((reply) => told.add(statusIn(reply)))
      .catch((error: unknown) => told.add(refusalIn(error)));
  }

  /** A client that remembers an earlier owner asks that one, which still answers but is not sure of its lease. */
  #asked(): ModelNode {
    const { node } = this;
    if (this.clock.now() - this.#overtakenAt > staleMs) return node;
    const before = this.nodes.filter(
      (each) => each !== node && each.isGoingOn && each.activation.stage === 'live',
    );
    return before.length > 0 && this.random.chance(0.7) ? this.random.pick(before) : node;
  }

  /** Upstream redelivers until it is answered 200. */
  #deliver(facts: ChannelFact[]): void {
    const asked = { at: this.clock.now(), batch: this.#deliveries };
    this.#deliveries += facts.length;
    for (const [index, fact] of facts.entries())
      if (fact.kind === 'inbound' && !this.brought.has(fact))
        this.brought.set(fact, { ...asked, order: asked.batch + index });
    this.node
      .ask({ type: 'take-facts', facts })
      .then((reply) => this.#taken(facts, reply, asked))
      .catch(() => this.clock.after(700, () => this.#deliver(facts)));
  }

  #taken(facts: ChannelFact[], reply: unknown, { batch }: { batch: number }): void {
    this.taken.push(...facts);
    if (typeof reply !== 'object' || reply === null || !('dropped' in reply) || reply.dropped !== 0) return;
    for (const [index, fact] of facts.entries())
      if (fact.kind === 'inbound' && !this.received.has(fact))
        this.received.set(fact, { batch, order: batch + index, answered: this.#deliveries });
  }

  async #drain(node: ModelNode): Promise<void> {
    await this.clock.pass(0);
    let isDrained = false;
    void node.activation.drain().then(() => (isDrained = true));
    // The longest call, and the longest pause of the store.
    await this.clock.pass(rules.sendResendAfterMs + 8_000);
    if (!isDrained) this.problems.push(`drain did not end: ${JSON.stringify(node.state, leanly)}`);
    void this.node;
  }

  /** Every pending delivery fails first; some may be retried after that. */
  async #replay({ up }: Extract<Step, { step: 'replay' }>): Promise<void> {
    if (!this.#keepsFailed) return;
    this.receiver.isUp = false;
    await this.clock.pass(4_000);
    this.receiver.isUp = up;
    const kept = this.own.flatMap(({ id, keptSince }) =>
      keptSince === null ? [] : [[id, keptSince] as const],
    );
    this.replayed.push(new Map(kept));
    const id = `replay-${this.replayed.length}`;
    this.store.replays.push({ id, since: 0, until: this.clock.now(), events: null });
    this.node.activation.tell({ type: 'replay' });
  }

  #replace(): void {
    this.#takeOver();
  }

  /** The deliveries to the channel's own webhook. */
  get own(): Delivery[] {
    return [...this.store.deliveries.values()].filter(({ channelId }) => channelId !== endpointOwner);
  }

  /** Those to its endpoint. */
  get copies(): Delivery[] {
    return [...this.store.deliveries.values()].filter(({ channelId }) => channelId === endpointOwner);
  }

  #takeOver(): ModelNode {
    const node = this.#newNode(this.nodes.length + 1, 'the-channel');
    this.nodes.push(node);
    return node;
  }

  #newNode(epoch: number, ownerId: string): ModelNode {
    const { clock, store, upstream: up, files, problems, endpoint } = this;
    const random = ownerId === endpointOwner ? (endpoint?.random ?? this.random) : this.random;
    const upstream: Upstream = {
      send: (call) => {
        if (this.told.get(call.messageId)?.has('sent') === true)
          problems.push(`I1: ${call.messageId} was told sent and is called again`);
        return up.send(call);
      },
    };
    const webhooks = { post: (post: WebhookPost) => this.#post(post) };
    const isCalm = (): boolean => up.isHealthy;
    const receivers = endpoint?.receivers ?? noReceivers;
    const owners: ChannelPorts['owners'] = { wake: (_, stored) => endpoint?.wake(stored) };
    const outside = { upstream, webhooks, files, receivers, owners };
    return new ModelNode({ clock, random, store, ...outside, rules, problems, isCalm }, epoch, ownerId);
  }

  #post(post: WebhookPost): Promise<WebhookResult> {
    const random = post.channelId === endpointOwner ? (this.endpoint?.random ?? this.random) : this.random;
    const overtaken = this.#isOrdered ? this.#overtaken(post.deliveryId) : [];
    this.problems.push(...overtaken);
    return this.receiver.post(post, random);
  }

  /**
   * What of this person was posted before, and has not ended; of the endpoint also what is only stored, for nothing overtakes that. A replay
   * makes what has ended wait again, and of two owners at once the new one does not know what the old one stores late. [faults: 382]
   */
  #overtaken(deliveryId: string): string[] {
    const { deliveries, revivals } = this.store;
    const own = deliveries.get(deliveryId);
    const isOfEndpoint = own?.channelId === endpointOwner;
    if (this.overtakes > 0 || (isOfEndpoint && this.endpoint?.overtakes !== 0)) return [];
    const { person, sequence } = own ?? { person: null, sequence: null };
    if (person === null || sequence === null) return [];
    return (isOfEndpoint ? this.copies : this.own)
      .filter((other) => other.person === person && other.state === 'pending')
      .filter((other) => isOfEndpoint || this.receiver.posts.has(other.id))
      .filter((other) => (other.sequence ?? 0) < sequence && !revivals.has(other.id))
      .map((other) => `${deliveryId} overtook ${other.id}`);
  }

  #settings(wanted: Omit<Extract<Step, { step: 'settings' }>, 'step'>): ChannelSettings {
    const [keepsFailed, isOrdered] = [this.#keepsFailed, this.#isOrdered];
    const lasting = { type: this.type, keepsFailed, isOrdered, hasEndpoint: this.endpoint !== null };
    return settingsOfHistory(lasting, wanted);
  }
}

const noReceivers: Receivers = { of: async () => [], logged: async () => [], settings: async () => null };

/** Only "untouched" and a fault mean that nothing was sent; any other lost request is of unknown outcome. */
function refusalIn(error: unknown): Told {
  if (error instanceof ActivationGone) return error.untouched ? 'refused' : 'nothing';
  if (error instanceof Fault) return 'refused';
  return 'nothing';
}

function leanly(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value.keys()] : value;
}
