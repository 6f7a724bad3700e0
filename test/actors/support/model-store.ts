/** The store as its port describes it, in memory: one truth, many connections with their own delays and faults. */
import { maxUnmatched } from '../../../actors/channel/ports.ts';
import type {
  ChannelSettings,
  ChannelStore,
  SealedUnmatchedFact,
  KnownMessage,
  MailLine,
  PendingDelivery,
  WhenCertain,
  Write,
  WriteResult,
} from '../../../actors/channel/ports.ts';
import { rankOf } from '../../../src/domain/messages/message.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import type { Delivery } from '../../../src/domain/webhooks/delivery.ts';
import { FencedError } from '../../../src/kernel/faults.ts';

export class ModelStore {
  readonly messages = new Map<string, OutboundMessage>();
  readonly deliveries = new Map<string, Delivery>();
  readonly unmatched = new Map<string, SealedUnmatchedFact>();
  readonly mails: MailLine[] = [];
  /** Given up once, whatever came later. */
  readonly everFailed = new Set<string>();
  /** Facts that are certain and not on their messages yet. */
  readonly #owed = new Set<Write>();
  settings: ChannelSettings;

  constructor(settings: ChannelSettings) {
    this.settings = settings;
  }

  /**
   * Everything at once and without a fault; `wrap` decides when an operation happens and whether it is heard of, `inTwo` whether a
   * commit is written event first, its status after.
   */
  connect(
    wrap: Connection = (run) => Promise.resolve().then(run),
    inTwo: () => boolean = () => false,
  ): ChannelStore {
    return {
      settings: () => wrap(() => this.settings, 'read'),
      load: (_channelId, epoch, now, limit) => wrap(() => this.#load(epoch, now, limit), 'write'),
      pendingDeliveries: (_channelId, limit) => wrap(() => this.#pending().slice(0, limit), 'read'),
      pendingInbound: (_channelId, after, limit) =>
        wrap(
          () =>
            this.#inbound()
              .filter(({ dueAt }) => (dueAt ?? 0) > after)
              .slice(0, limit),
          'read',
        ),
      deliveryPayload: (_channelId, id) => wrap(() => this.#open(id)?.payload ?? null, 'read'),
      findDeliveries: (_channelId, ids) => wrap(() => ids.filter((id) => this.deliveries.has(id)), 'read'),
      findMessages: (_channelId, by) => wrap(() => this.#find(by), 'read'),
      findBelowRank: (_channelId, { recipient, belowRank, upTo, limit }) =>
        wrap(
          () =>
            this.#known(
              ({ recipient: to, state, rank, attemptedAt }) =>
                to === recipient && state === 'sent' && rank < belowRank && attemptedAt <= upTo,
            )
              .toSorted((a, b) => a.attemptedAt - b.attemptedAt)
              .slice(0, limit),
          'read',
        ),
      commit: (_channelId, epoch, writes, whenCertain) =>
        inTwo() && writes.some(isEvent) && writes.every((write) => isEvent(write) || isStatus(write))
          ? this.#commitInTwo(wrap, epoch, writes, whenCertain)
          : wrap(() => this.commit(epoch, writes), 'write'),
    };
  }

  async #commitInTwo(
    wrap: Connection,
    epoch: number,
    writes: readonly Write[],
    whenCertain: WhenCertain | undefined,
  ): Promise<WriteResult[]> {
    const events = writes.filter(isEvent);
    const statuses = writes.filter(isStatus).map((write) => structuredClone(write));
    const inserted = await wrap(() => {
      const results = this.commit(epoch, events);
      if (results.every(({ applied }) => applied)) for (const status of statuses) this.#owed.add(status);
      return results;
    }, 'write');
    const resultOf = new Map(events.map((write, index) => [write, inserted[index]]));
    const results = writes.map((write) => resultOf.get(write) ?? { applied: true });
    if (inserted.every(({ applied }) => applied)) whenCertain?.(results);
    await wrap(() => this.#pay(epoch, statuses), 'write');
    return results;
  }

  #pay(epoch: number, owed: Iterable<Write>): void {
    for (const status of owed) {
      this.#apply(epoch, structuredClone(status));
      this.#owed.delete(status);
    }
  }

  /** A claim that meets a higher epoch is refused with every other intent of its commit; facts go in. */
  commit(epoch: number, writes: readonly Write[]): WriteResult[] {
    const isFenced = writes.some((write) => this.#epochOn(write) > epoch);
    const results = writes.map((write) => ({
      applied: isFenced && isIntent(write) ? false : this.#apply(epoch, structuredClone(write)),
    }));
    if (isFenced) throw new FencedError(`epoch ${epoch} is not the highest`);
    return results;
  }

  #epochOn(write: Write): number {
    if (write.write === 'claimCopy') return this.messages.get(write.messageId)?.epoch ?? 0;
    if (write.write === 'claimDelivery') return this.deliveries.get(write.deliveryId)?.epoch ?? 0;
    return 0;
  }

  #load(epoch: number, now: number, limit: number): Awaited<ReturnType<ChannelStore['load']>> {
    this.#pay(epoch, [...this.#owed]);
    const open = [...this.messages.values()].filter(isOpen);
    const pending = [...this.deliveries.values()].filter(({ state }) => state === 'pending');
    if ([...open, ...pending].some((each) => each.epoch > epoch))
      throw new FencedError('a higher epoch exists');
    for (const each of [...open, ...pending]) each.epoch = epoch;
    return {
      openMessages: structuredClone(open),
      unmatched: newest([...this.unmatched.values()].filter((f) => f.expiresAt > now && f.dueAt === null)),
      hasPendingInbound: this.#inbound().length > 0,
      deliveries: this.#pending().slice(0, limit),
      storeHasMoreDeliveries: pending.length > limit,
    };
  }

  #inbound(): SealedUnmatchedFact[] {
    return [...this.unmatched.values()]
      .filter(({ dueAt }) => dueAt !== null)
      .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0));
  }

  #pending(): PendingDelivery[] {
    return [...this.deliveries.values()]
      .filter(({ state }) => state === 'pending')
      .toSorted((a, b) => a.nextDueAt - b.nextDueAt)
      .map((delivery) => structuredClone(delivery));
  }

  #open(id: string): Delivery | undefined {
    const delivery = this.deliveries.get(id);
    return delivery?.state === 'pending' ? delivery : undefined;
  }

  #find({ ids, upstreamIds }: { ids: string[]; upstreamIds: string[] }): KnownMessage[] {
    return this.#known((m) => ids.includes(m.id) || m.upstreamIds.some((id) => upstreamIds.includes(id)));
  }

  #known(matches: (message: OutboundMessage) => boolean): KnownMessage[] {
    return [...this.messages.values()].filter(matches).map((message) => structuredClone(message));
  }

  #apply(epoch: number, write: Write): boolean {
    switch (write.write) {
      case 'insertMessage':
      case 'insertEcho':
        if (this.messages.has(write.message.id)) return false;
        this.messages.set(write.message.id, write.message);
        return true;
      case 'insertDelivery':
        if (this.deliveries.has(write.delivery.id)) return false;
        this.deliveries.set(write.delivery.id, write.delivery);
        return true;
      case 'keepUnmatched':
        this.unmatched.set(write.unmatched.id, write.unmatched);
        return true;
      case 'dropUnmatched':
        for (const id of write.unmatchedIds) this.unmatched.delete(id);
        return true;
      case 'claimDelivery': {
        const delivery = this.#open(write.deliveryId);
        if (delivery === undefined || delivery.attempts !== write.attempts) return false;
        delivery.epoch = epoch;
        return true;
      }
      case 'recordAttempt':
        this.#recordAttempt(write);
        return true;
      case 'addMail':
        this.mails.push(write.mail);
        return true;
      default:
        return this.#applyToMessage(epoch, write, this.messages.get(write.messageId));
    }
  }

  #recordAttempt({ deliveryId, attempt }: Extract<Write, { write: 'recordAttempt' }>): void {
    const delivery = this.#open(deliveryId);
    if (delivery === undefined || (attempt.state === 'pending' && attempt.attempts < delivery.attempts))
      return;
    Object.assign(delivery, attempt, { attempts: Math.max(attempt.attempts, delivery.attempts) });
    if (attempt.state !== 'pending') delivery.payload = null;
  }

  #applyToMessage(epoch: number, write: OfMessage, m: OutboundMessage | undefined): boolean {
    const isClaim = write.write === 'claimCopy';
    if (m === undefined) return !isClaim;
    switch (write.write) {
      case 'claimCopy': {
        const { copies, tries } = write.expect;
        if (!isOpen(m) || m.copies !== copies || m.tries !== tries) return false;
        const { attemptedAt } = write;
        Object.assign(m, { state: 'sending', copies: copies + 1, tries: tries + 1, attemptedAt, epoch });
        m.nextTryAt = null;
        return true;
      }
      case 'recordDeferred':
        if (m.state !== 'sending') return true;
        m.state = 'queued';
        m.copies = Math.max(0, m.copies - 1);
        ({ nextTryAt: m.nextTryAt, error: m.error, errorCode: m.errorCode } = write);
        return true;
      case 'recordUnknown':
        if (m.state === 'sending') m.state = 'queued';
        return true;
      case 'recordFailed':
        if (m.state === 'sent') return true;
        this.everFailed.add(m.id);
        Object.assign(m, { state: 'failed', nextTryAt: null, content: null });
        ({ error: m.error, errorCode: m.errorCode } = write);
        return true;
      case 'recordAccepted':
        confirm(m, write.rank, write);
        m.state = 'sent';
        return true;
      case 'recordStatus':
        confirm(m, rankOf(write.status), write);
        if (m.state !== 'abandoned') m.state = 'sent';
        if (write.status === 'failed') m.deliveryFailed = true;
        return true;
      default:
        return write satisfies never;
    }
  }
}

/** Decides when an operation runs and what its caller hears. */
export type Connection = <T>(run: () => T, kind: 'read' | 'write') => Promise<T>;

type OfMessage = Exclude<
  Extract<Write, { messageId: string }>,
  { write: 'insertMessage' | 'insertEcho' | 'insertDelivery' }
>;

function isIntent({ write }: Write): boolean {
  return write === 'insertMessage' || write === 'claimCopy' || write === 'claimDelivery';
}

function isEvent({ write }: Write): boolean {
  return write === 'insertDelivery';
}

/** What may be said again at any later time. */
function isStatus({ write }: Write): boolean {
  return write === 'recordAccepted' || write === 'recordStatus' || write === 'recordFailed';
}

function isOpen({ state }: OutboundMessage): boolean {
  return state === 'sending' || state === 'queued';
}

function confirm(
  m: OutboundMessage,
  rank: number,
  { upstreamId, at }: { upstreamId: string | null; at: number },
): void {
  const statusAt = Math.max(m.statusAt ?? 0, at);
  Object.assign(m, { rank: Math.max(m.rank, rank), statusAt, nextTryAt: null, content: null });
  if (upstreamId !== null && !m.upstreamIds.includes(upstreamId)) m.upstreamIds.push(upstreamId);
}

function newest(facts: SealedUnmatchedFact[]): SealedUnmatchedFact[] {
  return facts.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(-maxUnmatched);
}
