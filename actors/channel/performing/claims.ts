/** Claims of upstream calls, the calls themselves, and claims made void. [architecture §5] */
import { sealContext } from '../../../src/kernel/sealed.ts';
import { readMessageType } from '../../../src/rules/messages/content.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { abandonedMarker, newMessage } from '../../../src/rules/messages/message.ts';
import type { UpstreamOutcome } from '../../../src/rules/messages/upstream-outcome.ts';
import { FencedError, asError } from '../../../src/kernel/faults.ts';
import { acceptance, attemptThatCounts } from '../sends/outcome.ts';
import type { ChannelSettings, KnownMessage } from '../../../src/storage/journal/channel-journal.ts';
import type { Write } from '../../../src/storage/journal/writes.ts';
import type { SendFields, TurnWrite } from '../messages.ts';
import { rememberSend } from './message-read-through.ts';
import { retryUntilStored, tryIntent, untilStored } from './retry-until-stored.ts';
import { commitWith } from './commits.ts';
import { buildOutgoing } from './outgoing.ts';
import type { ChannelWork, ChannelPorts, EffectNamed, OwnPorts } from './channel-ports.ts';

/** Awaits the claim, not the call: the call reports its own result. Throws FencedError. */
export async function claimAndCall(
  ports: OwnPorts,
  effect: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
): Promise<void> {
  const { messageId } = effect.send;
  const write = makeClaim(ports, effect, work);
  let applied: boolean;
  try {
    applied = await tryIntent(ports, work, write);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    ports.storeFailed('send.claim-failed', error, pickIds(effect.send, work));
    work.report({ type: 'claim-ended', messageId, outcome: 'unanswered' });
    return;
  }
  if (applied) {
    if (effect.first) rememberSend(ports, effect.send, work);
    const sureAt = ports.clock.monotonic();
    if (work.grant.isSure()) call(ports, effect, work, sureAt);
    else await callIfHighest(ports, effect, work, sureAt);
  } else {
    const found = effect.first ? await findHolder(ports, messageId, work) : null;
    work.report({ type: 'claim-ended', messageId, outcome: 'lost', found });
  }
}

/** The ids of a send in a log line. */
function pickIds({ messageId, requestId }: SendFields, work: ChannelWork): Record<string, unknown> {
  return { channel: work.key, message: messageId, request_id: requestId };
}

/** Inserts the message as for a first claim, without a call. */
export async function postpone(
  ports: OwnPorts,
  effect: EffectNamed<'postpone'>,
  work: ChannelWork,
): Promise<void> {
  const { send, content, settings } = effect;
  const { messageId, nextTryAt } = send;
  const { epoch } = work.grant;
  const sealed = sealedMessage(ports, send, content, settings, { state: 'queued', epoch });
  const message = { ...sealed, nextTryAt, error: send.refusal?.error ?? null };
  const write: Write = { write: 'insertMessage', message };
  try {
    if (await tryIntent(ports, work, write))
      work.report({ type: 'postpone-ended', messageId, outcome: 'postponed' });
    else {
      const found = await findHolder(ports, messageId, work);
      work.report({ type: 'postpone-ended', messageId, outcome: 'lost', found });
    }
  } catch (error) {
    if (error instanceof FencedError) throw error;
    ports.storeFailed('send.claim-failed', error, pickIds(effect.send, work));
    work.report({ type: 'postpone-ended', messageId, outcome: 'unanswered' });
  }
}

/** The message with the id that a first claim wanted. */
async function findHolder(
  ports: OwnPorts,
  messageId: string,
  work: ChannelWork,
): Promise<KnownMessage | null> {
  const by = { ids: [messageId], upstreamIds: [] };
  const found = await retryUntilStored(ports, work, () => ports.store.findMessages(work.key, by));
  return found?.[0] ?? null;
}

/** Another node may own the channel by now. The claim is stored, so every later owner finds it. */
async function callIfHighest(
  ports: OwnPorts,
  effect: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
  sureAt: number,
): Promise<void> {
  let isHighest = true;
  try {
    await ports.store.requireHighest(work.key, work.grant.epoch);
  } catch (error) {
    if (error instanceof FencedError) {
      await recordLate(ports, effect, work, notCalled); // the other owner need not wait for a call that was never made
      throw error;
    }
    ports.storeFailed('send.claim-unsure', error, pickIds(effect.send, work));
    isHighest = false;
  }
  call(ports, effect, work, isHighest ? sureAt : -Infinity);
}

/** A call that waits for a connection may start if the grant was sure at most this long ago. */
const goodForMs = 5_000;

function call(
  ports: OwnPorts,
  effect: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
  sureAt: number,
): void {
  const { send, content, settings, timeoutMs } = effect;
  const { messageId, recipient, tries: attempt } = send;
  work.report({ type: 'claim-ended', messageId, outcome: 'claimed' });
  // The claim, or the wait for a connection, may have taken long: the present owner must be able to rely on this node not calling.
  let wasHeldBack = false;
  const mayStart = (): boolean => {
    const may =
      work.isLive() &&
      work.grant.isValid() &&
      (work.grant.isSure() || ports.clock.monotonic() - sureAt < goodForMs);
    wasHeldBack = !may;
    return may;
  };
  if (!mayStart()) {
    settle(notCalled);
    return;
  }
  void ports.upstream
    .send({
      channel: settings.channel,
      messageId,
      recipient,
      content,
      timeoutMs,
      mayStart,
      requestId: send.requestId,
    })
    .then(settle, (error: unknown) => settle(broken(ports, effect, work, error)));

  function settle(outcome: UpstreamOutcome): void {
    if (work.isLive()) work.report({ type: 'send-result', messageId, attempt, outcome });
    else void recordLate(ports, effect, work, wasHeldBack ? notCalled : outcome);
  }
}

/** The call threw, which is our defect: it may have been made, so the send ends as one without an answer does. [faults: 336] */
function broken(
  { log }: ChannelPorts,
  { send }: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
  error: unknown,
): UpstreamOutcome {
  log.error({ ...pickIds(send, work), error: asError(error) }, 'send.broken');
  return { outcome: 'unknown', error: 'The call failed in an unexpected way' };
}

const notCalled = {
  outcome: 'deferred',
  error: 'The channel is moving to another node',
  errorCode: null,
  pause: 'none',
} as const satisfies UpstreamOutcome;

/**
 * The activation ended while the call was in flight: a fact is recorded whoever reports it, and never refused. One try: if it fails, the
 * next owner treats the call as unknown. [architecture §4; faults: 7, 8]
 */
async function recordLate(
  ports: OwnPorts,
  { send, settings }: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
  outcome: UpstreamOutcome,
): Promise<void> {
  const late = lateFact(send, settings, outcome, ports.clock.now());
  if (late === null) return;
  try {
    await commitWith(ports, work, buildOutgoing(ports, { ...late, settings }, work), late.writes);
  } catch (error) {
    ports.log.warn({ ...pickIds(send, work), error: asError(error) }, 'send.late-result-lost');
  }
}

function lateFact(
  send: SendFields,
  settings: ChannelSettings,
  outcome: UpstreamOutcome,
  now: number,
): ReturnType<typeof acceptance> | null {
  if (outcome.outcome === 'accepted') return acceptance(settings, send, outcome, now);
  if (outcome !== notCalled) return null;
  const { error, errorCode } = notCalled;
  const { messageId, copies, copyAt } = send;
  const earlier = attemptThatCounts({ copies: copies - 1, copyAt });
  const write: TurnWrite = {
    write: 'recordDeferred',
    messageId,
    nextTryAt: now,
    error,
    errorCode,
    ...earlier,
  };
  return { writes: [write], events: [], deliveries: [] };
}

/**
 * Inserts a marker with the message's id. If our insert was first after all, that message is ended as failed; if another node's insert was
 * first, that message counts. [architecture §5: the first insert wins]
 */
export async function withdraw(
  ports: OwnPorts,
  effect: EffectNamed<'withdraw'>,
  work: ChannelWork,
): Promise<void> {
  const { messageId } = effect.send;
  await untilStored(
    ports,
    work,
    async () => ({ found: await takeId(ports, effect, work) }),
    ({ found }) => work.report({ type: 'claim-ended', messageId, outcome: 'withdrawn', found }),
  );
}

async function takeId(
  ports: OwnPorts,
  { send, settings }: EffectNamed<'withdraw'>,
  work: ChannelWork,
): Promise<KnownMessage | null> {
  const { store, clock } = ports;
  const {
    key,
    grant: { epoch },
  } = work;
  const { messageId, attemptedAt, copies, tries } = send;
  const marker: Write = { write: 'insertMessage', message: abandoned(send, settings, epoch) };
  if (await tryIntent(ports, work, marker)) return null;
  const [holder] = await store.findMessages(key, { ids: [messageId], upstreamIds: [] });
  // The start of the call identifies our claim.
  if (holder?.attemptedAt !== attemptedAt) return holder ?? null;
  // A fact is taken from any owner; only a claim shows whether a later owner has loaded the message. Throws FencedError.
  const ours: Write = { write: 'claimCopy', messageId, expect: { copies, tries }, attemptedAt };
  await tryIntent(ports, work, ours);
  const error = 'Not sent: the store was not available';
  const at = clock.now();
  await store.commit(key, epoch, [{ write: 'recordFailed', messageId, error, errorCode: null, at }]);
  return null;
}

function makeClaim(
  ports: OwnPorts,
  { send, content, first, settings }: EffectNamed<'claim-and-call'>,
  work: ChannelWork,
): Write {
  const { messageId, attemptedAt, copies, tries, callBefore } = send;
  if (!first) {
    const expect = { copies: copies - 1, tries: tries - 1 };
    return { write: 'claimCopy', messageId, expect, attemptedAt, before: callBefore ?? undefined };
  }
  const { epoch } = work.grant;
  return {
    write: 'insertMessage',
    message: sealedMessage(ports, send, content, settings, { state: 'sending', epoch }),
  };
}

function sealedMessage(
  { sealer }: ChannelPorts,
  send: SendFields,
  content: Content,
  { channel }: ChannelSettings,
  place: Pick<OutboundMessage, 'state' | 'epoch'>,
): OutboundMessage {
  const { messageId: id, recipient, attemptedAt, arrivedAt: createdAt, copies, tries } = send;
  const sealed = sealer.seal(Buffer.from(JSON.stringify(content)), sealContext.content(channel.id, id));
  const { state, epoch } = place;
  const messageType = readMessageType(content);
  const sent = { content: sealed, messageType, copies, tries, attemptedAt, epoch, createdAt };
  return newMessage(channel, { id, recipient, state, ...sent });
}

function abandoned(send: SendFields, { channel }: ChannelSettings, epoch: number): OutboundMessage {
  const { messageId: id, recipient, attemptedAt, arrivedAt: createdAt } = send;
  return abandonedMarker(channel, { id, recipient, attemptedAt, epoch, createdAt });
}
