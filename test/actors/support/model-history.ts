/** One history of one channel: clients send, upstream reports, owners die and are replaced, settings change. */
import type { ChannelPorts } from '../../../actors/channel/performing/channel-ports.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import type { ChannelRules } from '../../../actors/channel/index.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import type { Receivers, Upstream, WebhookPost, WebhookResult } from '../../../src/rules/outside.ts';
import { ActivationGone } from '../../../actors/runtime/activation.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { ChannelFact, InboundMessage, Part } from '../../../src/rules/messages/facts.ts';
import { Fault, FencedError } from '../../../src/kernel/faults.ts';
import { channelOf, subscriptionOf } from '../../rules/samples.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { fileOf } from './files.ts';
import { endpointOwner, ModelEndpoint } from './model-endpoint.ts';
import { ModelFiles } from './model-files.ts';
import { statusIn } from './model-messages.ts';
import { ModelNode } from './model-node.ts';
import { ModelStore } from './model-store.ts';
import { ModelUpstream, ourAppId } from './model-upstream.ts';
import type { ModelMessage, Step } from './model-steps.ts';
import { Random } from './random.ts';

/** Ten times shorter than the defaults where the specification allows it, so that a history is short. */
export const rules: ChannelRules = {
  sendQueuedAfterMs: 300,
  sendResendAfterMs: 2_000,
  sendGiveUpAfterMs: 12_000,
  maxQueueAgeMs: 2_000,
  webhookRetryDelaysMs: [100, 200, 400, 400, 400, 400, 400],
  webhookDeadlineMs: 20_000,
  mediaRetryDelaysMs: [100, 500],
  digestIntervalMs: 10_000,
  graceMs: 0,
  baseUrl: 'https://trunkline.example',
  upstreamAppId: ourAppId,
};

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
  /** POSTs by delivery id, and how many of them were answered 2xx. */
  readonly posts = new Map<string, { made: number; ok: number }>();
  /** Facts that were answered as durable. */
  readonly taken: ChannelFact[] = [];
  /** The messages of people, in upstream's order. */
  readonly written: InboundMessage[] = [];
  /** When a message first came: one that was not answered may be stored nevertheless. */
  readonly brought = new Map<InboundMessage, { at: number; batch: number; order: number }>();
  /** Messages that were answered as received: how many came before the message, and how many before its answer. */
  readonly received = new Map<InboundMessage, { batch: number; order: number; answered: number }>();
  readonly files: ModelFiles;
  /** Owners that ended other than by a drain: each may cost a duplicate. */
  losses = 0;
  /** How many of these lived on beside their successor. */
  overtakes = 0;
  isReceiverUp = true;
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
        this.isReceiverUp = step.up;
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
        return this.#deliver(step.messages.map((message) => this.#inbound(message)));
      default:
        return this.#deliver([this.#foreign(step)]);
    }
  }

  /** Ends all faults, and lets everything that was started finish. */
  async settle(): Promise<void> {
    this.upstream.isHealthy = true;
    this.files.areHealthy = true;
    if (this.#keepsFailed) this.isReceiverUp = true;
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

  /** Now and then upstream repeats a fact. */
  #inbound({ from, files, texts }: ModelMessage): InboundMessage {
    const [again] = this.written;
    if (again !== undefined && this.random.chance(0.2)) return again;
    // Not in the order of its earlier webhooks.
    const upstreamId = `in-${this.random.between(0, 9_999)}-${this.written.length}`;
    const parts = [
      ...Array.from({ length: files }, (_, n): Part => fileOf(`${upstreamId}/${n}`)),
      ...Array.from({ length: files === 0 ? 1 : texts }, (_, n): Part => ({
        type: 'text',
        text: `part ${n}`,
      })),
    ];
    const person = { from: `user-${from}`, fromName: null };
    const routed = { channelType: this.type, identity: 'the-channel', at: this.clock.now() };
    const message = { kind: 'inbound' as const, ...routed, ...person, upstreamId, caption: null, parts };
    this.written.push(message);
    return message;
  }

  #foreign(step: Extract<Step, { step: 'foreign-echo' | 'unknown-status' }>): ChannelFact {
    const routed = { channelType: this.type, identity: 'the-channel', at: this.clock.now() };
    const person = { recipient: 'user-1', tag: null };
    const upstreamId = `foreign-${this.clock.monotonic()}`;
    if (step.step === 'unknown-status')
      return { kind: 'receipt', ...routed, ...person, status: 'delivered', upstreamId, errors: [] };
    const parts = [{ type: 'text' as const, text: `operator ${step.text}` }];
    const appId = this.type === 'pagechat' ? '26390203743090' : null;
    return {
      kind: 'echo',
      ...routed,
      ...person,
      recipient: `user-${step.to}`,
      upstreamId,
      appId,
      caption: null,
      parts,
    };
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
    this.isReceiverUp = false;
    await this.clock.pass(4_000);
    this.isReceiverUp = up;
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

  #post({ deliveryId, channelId }: WebhookPost): Promise<WebhookResult> {
    const random = channelId === endpointOwner ? (this.endpoint?.random ?? this.random) : this.random;
    const posts = this.posts.get(deliveryId) ?? { made: 0, ok: 0 };
    this.posts.set(deliveryId, posts);
    posts.made += 1;
    if (this.#isOrdered) this.problems.push(...this.#overtaken(deliveryId));
    const isOk = this.isReceiverUp && random.chance(0.9);
    return new Promise((resolve) => {
      this.clock.after(random.between(0, 100), () => {
        if (isOk) posts.ok += 1;
        resolve(isOk ? { ok: true, status: 200 } : { ok: false, status: 500, reason: 'status' });
      });
    });
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
      .filter((other) => isOfEndpoint || this.posts.has(other.id))
      .filter((other) => (other.sequence ?? 0) < sequence && !revivals.has(other.id))
      .map((other) => `${deliveryId} overtook ${other.id}`);
  }

  #settings(wanted: Omit<Extract<Step, { step: 'settings' }>, 'step'>): ChannelSettings {
    return {
      channel: channelOf(this.type, {
        id: 'the-channel',
        isActive: wanted.active,
        webhookUrl: 'https://receiver.example.com/',
        webhookEvents: wanted.events ? [...kindOf(this.type).availableEvents] : ['message.received'],
        echoStatuses: true,
        failedRetentionDays: this.#keepsFailed ? 7 : 0,
        ordered: this.#isOrdered,
        hasEndpoints: this.endpoint !== null,
      }),
      subscription: subscriptionOf({
        status: wanted.licensed ? 'active' : 'canceled',
        tier: wanted.starter ? 'starter' : 'pro',
        expiresAt: null,
      }),
    };
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
