/** The store as its port describes it, in memory: one state, several connections, each with its own delays and faults. */
import { maxUnmatched } from '../../../src/storage/journal/channel-journal.ts';
import type {
  BelowRank,
  ChannelSettings,
  ChannelJournal,
  KeptDelivery,
  KeptPlace,
  KnownMessage,
  ReplayBook,
  ReplayOrder,
  PendingDelivery,
} from '../../../src/storage/journal/channel-journal.ts';
import type {
  DeliveryAttempt,
  MailLine,
  WhenCertain,
  Write,
  WriteResult,
  SealedUnmatchedFact,
} from '../../../src/storage/journal/writes.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { MessageRecord } from '../../../src/features/messages/timeline-rules.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { isOfEndpoint } from '../../../src/rules/webhooks/endpoints.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import { knownOf, pendingOf } from '../../stores/conformance/views.ts';
import { applyTo, isOpen } from './model-messages.ts';
import type { OfMessage } from './model-messages.ts';
import type { MessageLogStore } from '../../../src/features/messages/list-store.ts';

export class ModelStore {
  readonly messages = new Map<string, OutboundMessage>();
  readonly deliveries = new Map<string, Delivery>();
  /** By channel and id. */
  readonly unmatched = new Map<string, SealedUnmatchedFact & { channelId: string }>();
  readonly mails: MailLine[] = [];
  /** Requested replays that have not ended. */
  readonly replays: ReplayOrder[] = [];
  /** Bytes of kept deliveries that the channel has besides those of `deliveries`. */
  keptBefore = 0;
  /** How often each delivery was revived, by its id. */
  readonly revivals = new Map<string, number>();
  /** Deliveries that failed once, whatever came later. */
  readonly everFailed = new Set<string>();
  /** Facts that are stored and not yet applied to their messages. */
  readonly #pendingUpdates = new Set<PendingUpdate>();
  /** Of its one channel. */
  settings: ChannelSettings;
  /** The highest epoch of each owner, by its id. */
  readonly minted = new Map<string, number>();

  constructor(settings: ChannelSettings) {
    this.settings = settings;
  }

  /**
   * Every operation happens at once and without a fault. `wrap` decides when an operation happens and whether it is answered; `inTwo`: a
   * commit writes the events first and their statuses in a second operation.
   */
  connect(
    wrap: Connection = (run) => Promise.resolve().then(run),
    inTwo: () => boolean = () => false,
  ): ChannelJournal {
    return {
      requireHighest: (channelId, epoch) =>
        wrap(() => {
          if ((this.minted.get(channelId) ?? 0) > epoch)
            throw new FencedError(`epoch ${epoch} is not the highest`);
        }, 'read'),
      // An owner puts an endpoint's settings into what it has read.
      settings: () => wrap(() => structuredClone(this.settings), 'read'),
      load: (channelId, epoch, now, limit) => wrap(() => this.#load(channelId, epoch, now, limit), 'write'),
      pendingDeliveries: (channelId, limit, inOrder = false) =>
        wrap(() => this.#pending(channelId, inOrder).slice(0, limit), 'read'),
      pendingInbound: (channelId, after, limit) =>
        wrap(() => this.#inbound(channelId, after).slice(0, limit), 'read'),
      keptDeliveries: (channelId, asked) => wrap(() => this.#kept(channelId, asked), 'read'),
      keptBytes: (channelId) => wrap(() => this.#keptBytes(channelId), 'read'),
      deliveryPayload: (channelId, id) => wrap(() => this.#open(channelId, id)?.payload ?? null, 'read'),
      findDeliveries: (channelId, ids) =>
        wrap(() => ids.filter((id) => this.deliveries.get(id)?.channelId === channelId), 'read'),
      findMessages: (channelId, by) => wrap(() => this.#find(channelId, by), 'read'),
      findBelowRank: (channelId, query) => wrap(() => this.#below(channelId, query), 'read'),
      commit: (channelId, epoch, writes, whenCertain) =>
        inTwo() && writes.some(isEvent) && writes.every((write) => isEvent(write) || isStatus(write))
          ? this.#commitInTwo(wrap, channelId, epoch, writes, whenCertain)
          : wrap(() => this.commit(channelId, epoch, writes), 'write'),
    };
  }

  connectReplays(wrap: Connection = (run) => Promise.resolve().then(run)): ReplayBook {
    return {
      open: (ownerId) => wrap(() => (isOfEndpoint(ownerId) ? null : (this.replays[0] ?? null)), 'read'),
      end: (id) =>
        wrap(() => {
          const at = this.replays.findIndex((replay) => replay.id === id);
          if (at !== -1) this.replays.splice(at, 1);
        }, 'write'),
    };
  }

  /** The stored fields of a message, as operators read them. */
  get messageLog(): MessageLogStore {
    const asRecord = (m: OutboundMessage | undefined): MessageRecord | null => {
      if (m === undefined) return null;
      const { content: _, ...record } = structuredClone(m);
      return record;
    };
    return {
      byId: async (id) => asRecord(this.messages.get(id)),
      find: async ({ id, channelId, accountId }) => {
        const m = this.messages.get(id);
        return m?.channelId === channelId && m.accountId === accountId ? asRecord(m) : null;
      },
    };
  }

  async #commitInTwo(
    wrap: Connection,
    channelId: string,
    epoch: number,
    writes: readonly Write[],
    whenCertain: WhenCertain | undefined,
  ): Promise<WriteResult[]> {
    const events = writes.filter(isEvent);
    const statuses = writes.filter(isStatus).map((write) => ({ channelId, write: structuredClone(write) }));
    const inserted = await wrap(() => {
      const results = this.commit(channelId, epoch, events);
      if (results.every(({ applied }) => applied))
        for (const status of statuses) this.#pendingUpdates.add(status);
      return results;
    }, 'write');
    const resultOf = new Map(events.map((write, index) => [write, inserted[index]]));
    const results = writes.map((write) => resultOf.get(write) ?? { applied: true });
    if (inserted.every(({ applied }) => applied)) whenCertain?.(results);
    await wrap(() => this.#applyPendingUpdates(epoch, statuses), 'write');
    return results;
  }

  #applyPendingUpdates(epoch: number, updates: Iterable<PendingUpdate>): void {
    for (const status of updates) {
      this.#apply(status.channelId, epoch, structuredClone(status.write));
      this.#pendingUpdates.delete(status);
    }
  }

  /** A claim that meets a higher epoch is refused together with all other intents of its commit; facts are accepted. */
  commit(channelId: string, epoch: number, writes: readonly Write[]): WriteResult[] {
    const isFenced = writes.some((write) => this.#epochOn(channelId, write) > epoch);
    const results = writes.map((write) => ({
      applied: isFenced && isIntent(write) ? false : this.#apply(channelId, epoch, structuredClone(write)),
    }));
    if (isFenced) throw new FencedError(`epoch ${epoch} is not the highest`);
    return results;
  }

  #epochOn(channelId: string, write: Write): number {
    if (write.write === 'claimCopy') return this.#message(channelId, write.messageId)?.epoch ?? 0;
    if (write.write === 'claimDelivery' || write.write === 'reviveDelivery')
      return this.#delivery(channelId, write.deliveryId)?.epoch ?? 0;
    return 0;
  }

  #load(
    channelId: string,
    epoch: number,
    now: number,
    limit: number,
  ): Awaited<ReturnType<ChannelJournal['load']>> {
    this.#applyPendingUpdates(
      epoch,
      [...this.#pendingUpdates].filter((update) => update.channelId === channelId),
    );
    const open = this.#messagesOf(channelId).filter(isOpen);
    const pending = this.#pendingOf(channelId);
    if ([...open, ...pending].some((each) => each.epoch > epoch))
      throw new FencedError('a higher epoch exists');
    for (const each of [...open, ...pending]) each.epoch = epoch;
    return {
      openMessages: structuredClone(open),
      unmatched: newest(this.#factsOf(channelId).filter((f) => f.expiresAt > now && f.dueAt === null)),
      hasPendingInbound: this.#inbound(channelId, 0).length > 0,
      deliveries: this.#pending(channelId).slice(0, limit),
      storeHasMoreDeliveries: pending.length > limit,
    };
  }

  #factsOf(channelId: string): SealedUnmatchedFact[] {
    return [...this.unmatched.values()].flatMap(({ channelId: of, ...fact }) =>
      of === channelId ? fact : [],
    );
  }

  #inbound(channelId: string, after: number): SealedUnmatchedFact[] {
    return this.#factsOf(channelId)
      .filter(({ dueAt }) => dueAt !== null && dueAt > after)
      .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0));
  }

  #pendingOf(channelId: string): Delivery[] {
    return [...this.deliveries.values()].filter((d) => d.channelId === channelId && d.state === 'pending');
  }

  #kept(
    channelId: string,
    { since, until, events, after, limit }: Parameters<ChannelJournal['keptDeliveries']>[1],
  ): KeptDelivery[] {
    const order = (a: KeptPlace, b: KeptPlace): number => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
    const found = [...this.deliveries.values()].flatMap((d): KeptDelivery[] =>
      d.channelId === channelId && d.keptSince !== null ? [{ ...pendingOf(d), keptSince: d.keptSince }] : [],
    );
    return found
      .filter((d) => d.keptSince >= since && d.keptSince <= until && (events?.includes(d.event) ?? true))
      .filter((d) => order(after, d) < 0 && d.id !== after.id)
      .toSorted(order)
      .slice(0, limit);
  }

  #keptBytes(channelId: string): number {
    const kept = [...this.deliveries.values()].filter((d) => d.channelId === channelId);
    return kept.reduce((sum, { keptBytes }) => sum + (keptBytes ?? 0), this.keptBefore);
  }

  #pending(channelId: string, inOrder = false): PendingDelivery[] {
    const place = ({ sequence }: Delivery) => (inOrder ? (sequence ?? Number.MAX_SAFE_INTEGER) : 0);
    return this.#pendingOf(channelId)
      .toSorted((a, b) => place(a) - place(b) || a.nextDueAt - b.nextDueAt)
      .map((delivery) => structuredClone(pendingOf(delivery)));
  }

  #message(channelId: string, id: string): OutboundMessage | undefined {
    const message = this.messages.get(id);
    return message?.channelId === channelId ? message : undefined;
  }

  #delivery(channelId: string, id: string): Delivery | undefined {
    const delivery = this.deliveries.get(id);
    return delivery?.channelId === channelId ? delivery : undefined;
  }

  #open(channelId: string, id: string): Delivery | undefined {
    const delivery = this.#delivery(channelId, id);
    return delivery?.state === 'pending' ? delivery : undefined;
  }

  #messagesOf(channelId: string): OutboundMessage[] {
    return [...this.messages.values()].filter((message) => message.channelId === channelId);
  }

  #find(channelId: string, by: { ids: string[]; upstreamIds: string[] }): KnownMessage[] {
    const { ids, upstreamIds } = by;
    return this.#messagesOf(channelId)
      .filter((m) => ids.includes(m.id) || m.upstreamIds.some((id) => upstreamIds.includes(id)))
      .map((message) => structuredClone(knownOf(message)));
  }

  #below(channelId: string, { recipient, belowRank, upTo, limit }: BelowRank): KnownMessage[] {
    return this.#messagesOf(channelId)
      .filter(
        (m) => m.recipient === recipient && m.state === 'sent' && m.rank < belowRank && m.attemptedAt <= upTo,
      )
      .toSorted((a, b) => a.attemptedAt - b.attemptedAt)
      .slice(0, limit)
      .map((message) => structuredClone(knownOf(message)));
  }

  #apply(channelId: string, epoch: number, write: Write): boolean {
    switch (write.write) {
      case 'insertMessage':
      case 'insertEcho':
        return insert(this.messages, { ...write.message, channelId, epoch });
      case 'insertDelivery':
        return insert(this.deliveries, { ...write.delivery, channelId, epoch });
      case 'insertCopy':
        return insert(this.deliveries, { ...write.delivery });
      case 'keepWaiting':
        this.unmatched.set(`${channelId}:${write.unmatched.id}`, { ...write.unmatched, channelId });
        return true;
      case 'dropWaiting':
        for (const id of write.unmatchedIds) this.unmatched.delete(`${channelId}:${id}`);
        return true;
      case 'claimDelivery': {
        const delivery = this.#open(channelId, write.deliveryId);
        if (delivery === undefined || delivery.attempts !== write.attempts) return false;
        delivery.epoch = epoch;
        delivery.claims = write.claims;
        return true;
      }
      case 'reviveDelivery': {
        const kept = this.#delivery(channelId, write.deliveryId);
        if (kept === undefined || kept.keptSince !== write.keptSince) return false;
        this.revivals.set(kept.id, (this.revivals.get(kept.id) ?? 0) + 1);
        const anew = { state: 'pending', attempts: 0, claims: 0, firstTriedAt: null } as const;
        Object.assign(kept, anew, { nextDueAt: write.at, keptSince: null, keptBytes: null, epoch });
        return true;
      }
      case 'recordAttempt':
        recordAttempt(this.#open(channelId, write.deliveryId), write.attempt);
        return true;
      case 'addMail':
        this.mails.push(write.mail);
        return this.mails.filter(({ id }) => id === write.mail.id).length === 1;
      default:
        return this.#applyToMessage(channelId, epoch, write);
    }
  }

  #applyToMessage(channelId: string, epoch: number, write: OfMessage): boolean {
    const message = this.#message(channelId, write.messageId);
    if (message === undefined) return write.write !== 'claimCopy';
    if (write.write === 'recordFailed' && message.state !== 'sent') this.everFailed.add(message.id);
    return applyTo(message, epoch, write);
  }
}

/** Decides when an operation runs and what its caller gets. */
type Connection = <T>(run: () => T, kind: 'read' | 'write') => Promise<T>;

interface PendingUpdate {
  channelId: string;
  write: Write;
}

function insert<T extends { id: string }>(into: Map<string, T>, item: T): boolean {
  if (into.has(item.id)) return false;
  into.set(item.id, item);
  return true;
}

function recordAttempt(delivery: Delivery | undefined, attempt: DeliveryAttempt): void {
  if (delivery === undefined || (attempt.state === 'pending' && attempt.attempts < delivery.attempts)) return;
  // From before it was revived.
  if (attempt.state === 'failed' && delivery.attempts < attempt.attempts - 1) return;
  const { kept, ...made } = attempt;
  const attempts = Math.max(attempt.attempts, delivery.attempts);
  const firstTriedAt = Math.min(attempt.firstTriedAt, delivery.firstTriedAt ?? Infinity);
  Object.assign(delivery, made, kept, { attempts, firstTriedAt, claims: 0 });
  if (attempt.state !== 'pending' && kept === undefined) delivery.payload = null;
}

function isIntent({ write }: Write): boolean {
  return ['insertMessage', 'claimCopy', 'claimDelivery', 'reviveDelivery'].includes(write);
}

function isEvent({ write }: Write): boolean {
  return write === 'insertDelivery';
}

/** The facts that may be repeated at any later time. */
function isStatus({ write }: Write): boolean {
  return write === 'recordAccepted' || write === 'recordStatus' || write === 'recordFailed';
}

function newest(facts: SealedUnmatchedFact[]): SealedUnmatchedFact[] {
  return facts.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(-maxUnmatched);
}
