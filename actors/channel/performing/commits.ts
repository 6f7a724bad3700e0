/** Facts and the deliveries that follow from them, written in one commit. [architecture §6] */
import type { Sealer } from '../../../src/kernel/sealed.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { readAbout, builtEvent } from '../../../src/rules/events/built.ts';
import type { BuiltEvent, Envelope } from '../../../src/rules/events/built.ts';
import { logMail } from '../../../src/rules/mails/log-line.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { signaturesOf } from '../../../src/rules/webhooks/signature.ts';
import type { Signatures } from '../../../src/rules/webhooks/signature.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import type { Commit, TurnWrite, EffectResult } from '../messages.ts';
import type {
  ChannelSettings,
  UnmatchedFact,
  PendingInbound,
  PendingDelivery,
} from '../../../src/storage/journal/channel-journal.ts';
import type { WhenCertain, Write, WriteResult } from '../../../src/storage/journal/writes.ts';
import { forgetTimes, rememberTimes } from './message-read-through.ts';
import { retryUntilStored } from './retry-until-stored.ts';
import type { ChannelWork, ChannelPorts, EffectNamed, OwnPorts } from './channel-ports.ts';

export function commit(ports: OwnPorts, effect: EffectNamed<'commit'>, work: ChannelWork): Promise<void> {
  const { writes, otherwise } = effect;
  const { outgoing, shown } = buildOutgoing(ports, effect, work);
  const finish = (written: Written | null): void => {
    if (written !== null) committed(ports, effect, work, { shown, outgoing, written });
  };
  if (otherwise === 'retry') {
    const answer = (): void => answerTo(effect, work);
    return commitUntilTaken(ports, work, outgoing, writes, answer).then(finish);
  }
  return commitWith(ports, work, outgoing, writes).then(
    (results) => finish({ results, wasTriedBefore: false }),
    (error: unknown) => notCommitted(ports, work, writes, otherwise, error),
  );
}

/** The commit is stored. */
function committed(
  ports: OwnPorts,
  effect: EffectNamed<'commit'>,
  work: ChannelWork,
  { shown, outgoing, written }: CommitEvents & { written: Written },
): void {
  const { writes, settings, arrivedAt, report } = effect;
  rememberTimes(ports, writes, work);
  logMails(ports, writes, written, outgoing.length);
  answerTo(effect, work); // an ask that has been answered already is not answered twice
  if (report !== null) work.report(report);
  if (shown.length === 0) return;
  announce(ports, newAmong(shown, outgoing, written), settings);
  reportAdded(outgoing, written, arrivedAt, work);
}

/**
 * Each mail once: a receiver that is down adds a line to its mail for each event that is given up. The results of `writes` begin at
 * `first`. After an earlier try it is not known which commit made the mail: then the node shows it, unless it has shown it already.
 */
function logMails(
  { log, loggedMails }: OwnPorts,
  writes: readonly TurnWrite[],
  { results, wasTriedBefore }: Written,
  first: number,
): void {
  for (const [at, write] of writes.entries()) {
    if (write.write !== 'addMail') continue;
    const { mail } = write;
    const mayBeNew = wasTriedBefore || results[first + at]?.applied === true;
    if (mayBeNew && loggedMails.get(mail.id) === undefined) logMail(log, mail);
    loggedMails.set(mail.id, true);
  }
}

function answerTo({ reply }: EffectNamed<'commit'>, work: ChannelWork): void {
  if (reply !== null) for (const ask of reply.asks) work.answer(ask, reply.reply);
}

interface Written {
  results: WriteResult[];
  /** An earlier try failed: a write that does not apply now may have been applied by it. */
  wasTriedBefore: boolean;
}

/** Reports that the commit may not be stored. Throws FencedError. */
function notCommitted(
  ports: OwnPorts,
  work: ChannelWork,
  writes: readonly TurnWrite[],
  otherwise: EffectResult,
  error: unknown,
): void {
  if (error instanceof FencedError) throw error;
  ports.log.warn({ channel: work.key, error: asError(error) }, 'facts.commit-failed');
  forgetTimes(ports, writes);
  work.report(otherwise);
}

function commitUntilTaken(
  ports: ChannelPorts,
  work: ChannelWork,
  outgoing: readonly Outgoing[],
  writes: readonly TurnWrite[],
  whenCertain: WhenCertain,
): Promise<Written | null> {
  return retryUntilStored(ports, work, (triedBefore) =>
    commitWith(ports, work, outgoing, writes, whenCertain).then((results) => ({
      results,
      wasTriedBefore: triedBefore > 0,
    })),
  );
}

/** Deliveries first: in the other order, a crash between two writes could raise a status without its event. */
export function commitWith(
  { store, sealer }: ChannelPorts,
  { key, lease }: ChannelWork,
  outgoing: readonly Outgoing[],
  writes: readonly TurnWrite[],
  whenCertain?: WhenCertain,
): Promise<WriteResult[]> {
  const all: Write[] = [];
  for (const { write } of outgoing) all.push(write);
  for (const write of writes)
    all.push(write.write === 'keepWaiting' ? keepSealed(sealer, key, write.unmatched) : write);
  return all.length === 0 ? Promise.resolve([]) : store.commit(key, lease.epoch, all, whenCertain);
}

function keepSealed(sealer: Sealer, channelId: string, kept: UnmatchedFact | PendingInbound): Write {
  const { id, fact, expiresAt, dueAt } = kept;
  const tries = 'tries' in kept ? kept.tries : 0;
  const sealed = sealer.sealText(JSON.stringify(fact), sealContext.unmatched(channelId, id));
  return { write: 'keepWaiting', unmatched: { id, fact: sealed, expiresAt, dueAt, tries } };
}

interface Outgoing {
  write: Extract<Write, { write: 'insertDelivery' }>;
  delivery: PendingDelivery;
  payload: Uint8Array;
}

/** The deliveries that a commit writes, and the events that the live feed shows. */
interface CommitEvents {
  outgoing: readonly Outgoing[];
  shown: readonly BuiltEvent[];
}

const noEvents: CommitEvents = { outgoing: [], shown: [] };

/** Without a subscriber of the live feed, events that are not POSTed are not even built. */
export function buildOutgoing(
  ports: OwnPorts,
  { events, deliveries, settings }: Pick<Commit, 'events' | 'deliveries' | 'settings'>,
  work: ChannelWork,
): CommitEvents {
  if (settings === null || events.length === 0) return noEvents;
  const { channel } = settings;
  const posted = deliveries.map((event) => builtEvent(channel, event));
  const outgoing = posted.length === 0 ? [] : sealDeliveries(ports, posted, channel, work);
  const hasMore = events.length > deliveries.length && ports.live.hasSubscribers(channel.accountId);
  return { outgoing, shown: hasMore ? events.map((event) => builtEvent(channel, event)) : posted };
}

/**
 * Serialised and sealed once: every attempt sends the same bytes. [architecture §6.4] Object literals, because a spread costs 1.3 µs per
 * added property, which was 6 % of an event. [performance §4]
 */
function sealDeliveries(
  { sealer, clock, places }: Pick<OwnPorts, 'sealer' | 'clock' | 'places'>,
  events: readonly BuiltEvent[],
  { id: channelId, accountId, ordered }: ChannelSettings['channel'],
  { lease: { epoch } }: ChannelWork,
): Outgoing[] {
  const now = clock.now();
  return events.map(({ event, messageId, requestId, upstreamId, deliveryId: id, envelope }) => {
    const payload = Buffer.from(JSON.stringify(envelope));
    const sealed = sealer.seal(payload, sealContext.delivery(channelId, id));
    const { person, messageType } = readAbout(envelope);
    const sequence = ordered ? places.next(epoch) : null;
    const delivery: PendingDelivery = {
      id,
      event,
      messageId,
      requestId,
      attempts: 0,
      claims: 0,
      firstTriedAt: null,
      nextDueAt: now,
      attemptLog: null,
      createdAt: now,
      person,
      sequence,
      bytes: sealed.length,
    };
    const stored: Delivery = {
      id,
      channelId,
      accountId,
      event,
      messageId,
      person,
      messageType,
      upstreamId,
      requestId,
      state: 'pending',
      payload: sealed,
      attempts: 0,
      claims: 0,
      firstTriedAt: null,
      nextDueAt: now,
      lastResult: null,
      attemptLog: null,
      keptSince: null,
      keptBytes: null,
      sequence,
      epoch,
      createdAt: now,
    };
    return { delivery, payload, write: { write: 'insertDelivery', delivery: stored } };
  });
}

function reportAdded(
  outgoing: readonly Outgoing[],
  { results, wasTriedBefore }: Written,
  arrivedAt: number | null,
  work: ChannelWork,
): void {
  const added: { delivery: PendingDelivery; payload: Uint8Array | null }[] = [];
  for (const [index, { delivery, payload }] of outgoing.entries()) {
    if (results[index]?.applied === true) added.push({ delivery, payload });
    else if (wasTriedBefore) added.push({ delivery, payload: null });
  }
  if (added.length > 0) work.report({ type: 'deliveries-added', added, arrivedAt });
}

/**
 * Drops events whose delivery existed before, as they were shown before. One that this commit states twice, as a page does (by id and by
 * watermark), is new: its first statement made the delivery. Events without a delivery leave no record: the live feed deduplicates those.
 */
function newAmong(
  events: readonly BuiltEvent[],
  outgoing: readonly Outgoing[],
  { results, wasTriedBefore }: Written,
): readonly BuiltEvent[] {
  if (wasTriedBefore) return events;
  const idsOf = (applied: boolean): string[] =>
    outgoing.flatMap(({ delivery }, index) => (results[index]?.applied === applied ? [delivery.id] : []));
  const known = new Set(idsOf(false));
  if (known.size === 0) return events;
  for (const id of idsOf(true)) known.delete(id);
  return events.filter(({ deliveryId }) => !known.has(deliveryId));
}

/** The live feed shows every event, enabled as a webhook or not. */
function announce(
  { live, sealer }: ChannelPorts,
  events: readonly BuiltEvent[],
  settings: ChannelSettings | null,
): void {
  if (settings === null) return;
  const { channel } = settings;
  for (const { envelope, deliveryId } of events) {
    const sign = (timestamp: number): Signatures | null =>
      signed(sealer, channel, { envelope, deliveryId, timestamp });
    live.publish(channel.accountId, { envelope, deliveryId, sign });
  }
}

/**
 * [spec: Authentication 7] null when the channel has no secret, or one that can't be decrypted: the forwarder then sends the event
 * unsigned.
 */
function signed(
  sealer: Sealer,
  { id, webhookSecret }: ChannelSettings['channel'],
  { envelope, deliveryId, timestamp }: { envelope: Envelope; deliveryId: string; timestamp: number },
): Signatures | null {
  if (webhookSecret === null) return null;
  try {
    const secret = sealer.openText(webhookSecret, sealContext.webhookSecret(id));
    return signaturesOf(secret, { deliveryId, timestamp, body: Buffer.from(JSON.stringify(envelope)) });
  } catch {
    return null; // not logged: the error's text could quote the secret
  }
}
