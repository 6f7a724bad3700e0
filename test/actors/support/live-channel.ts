/** The whole actor on a store that fails only if a test says so: asks and answers go in, and the test reads the store. */
import { makeChannelActor } from '../../../actors/channel/index.ts';
import type { ChannelEffect, ChannelState } from '../../../actors/channel/index.ts';
import { NodeTotals } from '../../../actors/channel/turns/node-totals.ts';
import type { ChannelAsk } from '../../../actors/channel/asks.ts';
import type { ChannelPorts } from '../../../actors/channel/performing/channel-ports.ts';
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import type {
  AccountReceiverSettings,
  EchoAnswer,
  FileOutcome,
  FileRequest,
  LiveEvent,
  QuarantinedWork,
  UpstreamCall,
  WebhookPost,
  WebhookResult,
} from '../../../src/rules/outside.ts';
import { Activation } from '../../../actors/runtime/activation.ts';
import { Alarm } from '../../../actors/runtime/alarm.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import type { UpstreamOutcome } from '../../../src/rules/messages/upstream-outcome.ts';
import { FencedError, StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { newYear } from '../../rules/samples.ts';
import { FakeClock, promisesSettled } from '../../support/fake-clock.ts';
import { ModelStore } from './model-store.ts';
import { plainSealer } from './plain-sealer.ts';
import { rules, settingsOf } from './turns.ts';
import type { Start } from './turns.ts';

interface Out<Sent, Answer> {
  sent: Sent;
  answer: (answer: Answer) => Promise<void>;
  /** The port throws, against its contract. */
  fail: (error: Error) => Promise<void>;
}

/** How the store treats one operation: `well`; `down`: not applied; `silent`: applied without an answer; `fenced`: refused by a higher epoch. */
export type StoreMood = 'well' | 'down' | 'silent' | 'fenced';

interface Of {
  ownerId?: string;
  store?: ModelStore;
}

export class LiveChannel {
  readonly clock = new FakeClock(newYear);
  readonly store: ModelStore;
  readonly calls: Out<UpstreamCall, UpstreamOutcome>[] = [];
  readonly posts: Out<WebhookPost, WebhookResult>[] = [];
  /** `left`: the owner aborted the fetch. */
  readonly fetches: Out<FileRequest & { left: AbortSignal }, FileOutcome>[] = [];
  /** The default webhook of the account. */
  defaultReceiver: AccountReceiverSettings | null = null;
  /** Whether the channel has echoes. */
  readonly questions: Out<Channel, EchoAnswer>[] = [];
  /** The answer to every POST; `by hand`: a test answers each one through `posts`. */
  receiver: WebhookResult | 'by hand' = { ok: true, status: 200 };
  /** Called for every operation. */
  mood: () => StoreMood = () => 'well';
  /** Whether the store writes an event first and the status of its message in a second operation. */
  writesInTwo = false;
  /** Sizes of commits and look-ups, for tests of bounds. */
  largestCommit = 0;
  /** The message ids of each look-up. */
  readonly lookedUp: (readonly string[])[] = [];
  /** The upstream ids of each. */
  readonly lookedUpTheirs: (readonly string[])[] = [];
  /** The recipient of each look-up of a conversation. */
  readonly lookedUpConversations: string[] = [];
  /** Look-ups of messages wait until this resolves. */
  lookUps: Promise<void> = Promise.resolve();
  /** The limit of each read of pending messages. */
  readonly pages: number[] = [];
  /** Reads of pending messages wait until this resolves. */
  readsOn: Promise<void> = Promise.resolve();
  isLeaseValid = true;
  isLeaseSure = true;
  /** Whether the live feed has subscribers; and what it showed, as event and message id. */
  hasSubscribers = true;
  readonly shown: string[] = [];
  readonly feed: { accountId: string; live: LiveEvent }[] = [];
  /** Log lines of level info. */
  readonly told: [string, Record<string, unknown>][] = [];
  /** Log lines of level warn and error: event and fields, without the error itself. */
  readonly lines: [string, Record<string, unknown>][] = [];
  state: ChannelState | null = null;
  #activation: Activation<ChannelState, ChannelMessage, ChannelEffect> | null = null;
  #epoch = 0;
  readonly #start: Start;
  readonly #totals: NodeTotals;
  readonly #ownerId: string;

  /** `totals`: shared by the channels of one node. `of`: another owner over the same store. */
  constructor(start: Start = {}, totals = new NodeTotals(), of: Of = {}) {
    this.#start = start;
    this.#totals = totals;
    this.#ownerId = of.ownerId ?? 'channel-1';
    this.store = of.store ?? new ModelStore(settingsOf(start));
  }

  static async started(start: Start = {}): Promise<LiveChannel> {
    const channel = new LiveChannel(start);
    await channel.takeOver();
    return channel;
  }

  /** Whether the node may evict it. */
  get isIdle(): boolean | undefined {
    return this.#activation?.isIdle;
  }

  get settled(): Promise<void> {
    return promisesSettled();
  }

  /** Starts a new owner with the next epoch; the old one forgets everything. */
  async takeOver(): Promise<void> {
    this.#activation?.close(null);
    this.#epoch += 1;
    this.store.minted.set(this.#ownerId, this.#epoch);
    const alarm: Alarm = new Alarm(this.clock, () => activation.ring());
    const actor = makeChannelActor(this.ports, { ...rules, ...this.#start.rules }, this.#totals);
    const load: typeof actor.load = async (key, grant) => (this.state = await actor.load(key, grant));
    const activation: Activation<ChannelState, ChannelMessage, ChannelEffect> = new Activation(
      this.#ownerId,
      { epoch: this.#epoch, isValid: () => this.isLeaseValid, isSure: () => this.isLeaseSure },
      { ...actor, load },
      { now: () => this.clock.now(), wakeAt: (key, at) => alarm.set(key, at), gone: () => alarm.stop() },
      1_000,
    );
    this.#activation = activation;
    void activation.load();
    await this.clock.pass(0);
  }

  /** Its owner drains. */
  async drain(): Promise<void> {
    await this.#activation?.drain();
  }

  async ask(message: ChannelAsk): Promise<unknown> {
    const answer = this.#activation?.ask(message);
    answer?.catch(() => undefined);
    await this.settled;
    return answer;
  }

  tell(message: ChannelMessage): void {
    this.#activation?.tell(message);
  }

  facts(...facts: ChannelFact[]): Promise<unknown> {
    return this.ask({ type: 'take-facts', facts });
  }

  /** Sends, and answers the call at once; does not wait for the reply. */
  async send(messageId: string, recipient = 'mia', text = 'Hello'): Promise<{ reply: Promise<unknown> }> {
    const reply = this.#activation?.ask({
      type: 'send',
      messageId,
      recipient,
      content: { type: 'text', text },
    });
    if (reply === undefined) throw new Error('not started');
    reply.catch(() => undefined);
    await this.settled;
    return { reply };
  }

  async sent(messageId: string, upstreamId: string, recipient = 'mia', text = 'Hello'): Promise<void> {
    await this.send(messageId, recipient, text);
    await this.calls.at(-1)?.answer({ outcome: 'accepted', upstreamId });
  }

  /** Changes the settings; resolves once the actor knows them. */
  async change(settings: Pick<Start, 'channel' | 'subscription'>): Promise<void> {
    this.store.settings = settingsOf({ ...this.#start, ...settings });
    await this.ask({ type: 'reload' });
  }

  /** The quarantined items. */
  readonly aside: QuarantinedWork[] = [];

  /** The stored events in order, as in `message.read m-1`. */
  get events(): string[] {
    return [...this.store.deliveries.values()].map(({ event, messageId }) => `${event} ${messageId}`);
  }

  /** The ports of the actor. */
  get ports(): ChannelPorts {
    return {
      clock: this.clock,
      store: this.#watched(),
      replays: this.store.connectReplays(),
      upstream: { send: (call) => this.#out(this.calls, call) },
      webhooks: {
        post: (post) => {
          const { receiver } = this;
          const answer = this.#out<WebhookPost, WebhookResult>(this.posts, post);
          return receiver === 'by hand' ? answer : Promise.resolve(receiver);
        },
      },
      accountReceiver: {
        of: async () => {
          if (this.mood() === 'down') throw new StoreUnavailable('down');
          return this.defaultReceiver;
        },
      },
      receivers: { of: async () => [], logged: async () => [], settings: async () => null },
      owners: { wake: () => undefined },
      echoes: { ask: (channel) => this.#out(this.questions, channel) },
      files: { fetch: (request, left) => this.#out(this.fetches, { ...request, left }) },
      quarantine: { add: async (item) => void this.aside.push(item) },
      sealer: plainSealer,
      live: {
        hasSubscribers: () => this.hasSubscribers,
        publish: (accountId, live) => {
          const { event, data } = live.envelope;
          this.shown.push(`${event} ${String(data['message_id'])}`);
          this.feed.push({ accountId, live });
        },
      },
      log: this.#log,
    };
  }

  readonly #write: Log['warn'] = ({ error: _error, ...fields }, event) =>
    void this.lines.push([event, fields]);
  readonly #log: Log = {
    debug: () => undefined,
    info: (fields, event) => void this.told.push([event, fields]),
    warn: this.#write,
    error: this.#write,
    child: () => this.#log,
  };

  #watched(): ReturnType<ModelStore['connect']> {
    const store = this.store.connect(
      async (run) => {
        const mood = this.mood();
        if (mood === 'down') throw new StoreUnavailable('down');
        if (mood === 'fenced') throw new FencedError('another owner');
        const result = run();
        if (mood === 'silent') throw new StoreUnavailable('no answer');
        return result;
      },
      () => this.writesInTwo,
    );
    return {
      ...store,
      commit: (key, epoch, writes, whenCertain) => {
        this.largestCommit = Math.max(this.largestCommit, writes.length);
        return store.commit(key, epoch, writes, whenCertain);
      },
      pendingInbound: async (key, after, limit) => {
        this.pages.push(limit);
        await this.readsOn;
        return store.pendingInbound(key, after, limit);
      },
      findMessages: async (key, by) => {
        this.lookedUp.push(by.ids);
        this.lookedUpTheirs.push(by.upstreamIds);
        const found = await store.findMessages(key, by);
        await this.lookUps;
        return found;
      },
      findBelowRank: (key, query) => {
        this.lookedUpConversations.push(query.recipient);
        return store.findBelowRank(key, query);
      },
      findDeliveries: async (key, ids) => {
        const found = await store.findDeliveries(key, ids);
        await this.lookUps;
        return found;
      },
    };
  }

  #out<Sent, Answer>(list: Out<Sent, Answer>[], sent: Sent): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const answer = (given: Answer): Promise<void> => {
        resolve(given);
        return this.settled;
      };
      const fail = (error: Error): Promise<void> => {
        reject(error);
        return this.settled;
      };
      list.push({ sent, answer, fail });
    });
  }
}
