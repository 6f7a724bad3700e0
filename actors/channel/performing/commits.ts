/** Facts and the deliveries that follow from them, written in one commit. [architecture §6] */
import type { Sealer } from '../../../src/kernel/sealed.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { BuiltEvent, Envelope } from '../../../src/rules/events/built.ts';
import { logMail } from '../../../src/rules/mails/log-line.ts';
import { signaturesOf } from '../../../src/rules/webhooks/signature.ts';
import type { Signatures } from '../../../src/rules/webhooks/signature.ts';
import { FencedError } from '../../../src/kernel/faults.ts';
import type { TurnWrite, EffectResult } from '../messages.ts';
import type {
  ChannelSettings,
  UnmatchedFact,
  PendingInbound,
  PendingDelivery,
} from '../../../src/storage/journal/channel-journal.ts';
import type { WhenCertain, Write, WriteResult } from '../../../src/storage/journal/writes.ts';
import { tellCopies } from './copies.ts';
import { buildOutgoing } from './outgoing.ts';
import type { CommitEvents, Outgoing } from './outgoing.ts';
import { forgetTimes, rememberTimes } from './message-read-through.ts';
import { retryUntilStored } from './retry-until-stored.ts';
import type { ChannelWork, ChannelPorts, EffectNamed, OwnPorts } from './channel-ports.ts';

export function commit(ports: OwnPorts, effect: EffectNamed<'commit'>, work: ChannelWork): Promise<void> {
  const { writes, otherwise } = effect;
  const made = buildOutgoing(ports, effect, work);
  const finish = (written: Written | null): void => {
    if (written !== null) committed(ports, effect, work, made, written);
  };
  if (otherwise === 'retry') {
    const answer = (): void => answerTo(effect, work);
    return commitUntilTaken(ports, work, made, writes, answer).then(finish);
  }
  return commitWith(ports, work, made, writes).then(
    (results) => finish({ results, wasTriedBefore: false }),
    (error: unknown) => notCommitted(ports, work, writes, otherwise, error),
  );
}

/** The commit is stored. */
function committed(
  ports: OwnPorts,
  effect: EffectNamed<'commit'>,
  work: ChannelWork,
  { shown, outgoing, copies }: CommitEvents,
  written: Written,
): void {
  const { writes, settings, arrivedAt, report } = effect;
  rememberTimes(ports, writes, work);
  logMails(ports, writes, written, outgoing.length);
  answerTo(effect, work); // an ask that has been answered already is not answered twice
  if (report !== null) work.report(report);
  if (copies.length > 0) tellCopies(ports, copies, arrivedAt);
  if (shown.length > 0) announce(ports, newAmong(shown, outgoing, written), settings);
  if (outgoing.length > 0) reportAdded(outgoing, written, arrivedAt, work);
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
  ports.storeFailed('facts.commit-failed', error, { channel: work.key });
  forgetTimes(ports, writes);
  work.report(otherwise);
}

function commitUntilTaken(
  ports: OwnPorts,
  work: ChannelWork,
  made: Stored,
  writes: readonly TurnWrite[],
  whenCertain: WhenCertain,
): Promise<Written | null> {
  return retryUntilStored(ports, work, (triedBefore) =>
    commitWith(ports, work, made, writes, whenCertain).then((results) => ({
      results,
      wasTriedBefore: triedBefore > 0,
    })),
  );
}

type Stored = Pick<CommitEvents, 'outgoing' | 'copies'>;

/**
 * Deliveries first: in the other order, a crash between two writes could raise a status without its event. Copies come last, so that the
 * results of the others keep their places; a store writes them first.
 */
export function commitWith(
  { store, sealer }: ChannelPorts,
  { key, grant }: ChannelWork,
  { outgoing, copies }: Stored,
  writes: readonly TurnWrite[],
  whenCertain?: WhenCertain,
): Promise<WriteResult[]> {
  const all: Write[] = [];
  for (const { write } of outgoing) all.push(write);
  for (const write of writes)
    all.push(write.write === 'keepWaiting' ? keepSealed(sealer, key, write.unmatched) : write);
  for (const { writes: stored } of copies) all.push(...stored);
  return all.length === 0 ? Promise.resolve([]) : store.commit(key, grant.epoch, all, whenCertain);
}

function keepSealed(sealer: Sealer, channelId: string, kept: UnmatchedFact | PendingInbound): Write {
  const { id, fact, expiresAt, dueAt } = kept;
  const tries = 'tries' in kept ? kept.tries : 0;
  const sealed = sealer.sealText(JSON.stringify(fact), sealContext.unmatched(channelId, id));
  return { write: 'keepWaiting', unmatched: { id, fact: sealed, expiresAt, dueAt, tries } };
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
