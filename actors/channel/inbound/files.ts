/**
 * Processing of a message with files: stored and answered with 200 → each file fetched, with its own retries → all fetched or given up →
 * one event per file in one commit, which also drops the record. After a crash between any two steps, the next owner starts again from the
 * record. [spec: message.received data, rule 2; architecture §6.3]
 */
import { makeDeliveryId } from '../../../src/rules/events/built.ts';
import type { ChannelEvent } from '../../../src/rules/events/built.ts';
import type { MediaResult } from '../../../src/rules/events/content-blocks.ts';
import { inboundMessageId, receivedEvents } from '../../../src/rules/events/received.ts';
import type { Tier } from '../../../src/rules/licences/subscription.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import { idFrom } from '../../../src/kernel/ids.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, EffectResult, OwnedDelivery } from '../messages.ts';
import { enabledAmong } from '../eligibility.ts';
import { limits } from '../limits.ts';
import type {
  ChannelSettings,
  InboundPage,
  PendingInbound,
} from '../../../src/storage/journal/channel-journal.ts';
import type { FileOutcome } from '../../../src/rules/outside.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { leaveInStore, putInOrder, readBacklog, rememberInbound } from './backlog.ts';
import { endFetch, startFetches, clearSuspicion, quarantineFiles } from './fetches.ts';
import type { DueFile } from './fetches.ts';
import { isFile, moveFile, moveInbound } from './state.ts';
import type { OpenFile, OpenInbound } from './state.ts';

/**
 * Without a licence nothing is received. What was received before is told as it was then, as after the end of a licence: a message waits for
 * files on `pro` only.
 */
export function readTier({ subscription }: ChannelSettings): Tier {
  return subscription?.tier ?? 'pro';
}

/** Whether files of this message are fetched: on `starter` they are withheld. [spec: message.received data, rule 4] */
export function hasFilesFor({ settings }: ChannelState, { parts }: InboundMessage): boolean {
  return settings !== null && readTier(settings) !== 'starter' && parts.some(isFile);
}

/**
 * All events of a message are written together, so the first delivery proves all of them: that of the channel or, if its webhook does not list
 * the event, of an endpoint.
 */
export function firstDeliveries(
  { channelId, settings }: ChannelState,
  { upstreamId, again }: InboundMessage,
): OwnedDelivery[] {
  const messageId = inboundMessageId(channelId, upstreamId);
  const endpoints = (settings?.endpoints ?? []).filter(({ events }) => events.includes('message.received'));
  return [channelId, ...endpoints.map(({ ownerId }) => ownerId)].map((ownerId) => ({
    ownerId,
    id: makeDeliveryId(ownerId, messageId, 'message.received', again),
  }));
}

/** `received` is stored now. `unkept` was reserved but not stored: no message waits behind it any more. */
export function fetchFiles(
  state: ChannelState,
  received: readonly PendingInbound[],
  unkept: readonly string[],
  now: number,
): ChannelEffect[] {
  if (received.length + unkept.length === 0) return [];
  for (const pending of received) rememberInbound(state.inbound, pending, now);
  forgetUnkept(state, unkept);
  return emitReady(state, now);
}

/**
 * Drops reserved messages that were emitted before, or that could not be stored and that upstream redelivers: no message waits behind them
 * any more.
 */
export function forgetUnkept({ inboundAtWork }: ChannelState, unkept: readonly string[]): void {
  for (const id of unkept)
    if (inboundAtWork?.open.get(id)?.stage === 'keeping') inboundAtWork.open.delete(id);
}

/** What the previous owner wrote after the take-over. */
export function adoptInbound(
  state: ChannelState,
  { pending, upTo, storeHasMore }: InboundPage,
  now: number,
): void {
  if (pending.length === 0 && !storeHasMore) return;
  for (const each of pending) rememberInbound(state.inbound, each, now);
  putInOrder(state.inbound);
  if (storeHasMore) leaveInStore(state.inbound.backlog, upTo);
  wakeBy(state, now);
}

/** Starts the fetches that may start, and emits the ready messages in the order of each sender, with one commit per sender. */
export function emitReady(state: ChannelState, now: number): ChannelEffect[] {
  const { inboundAtWork: inbound, settings, draining } = state;
  if (inbound === null || draining || settings === null) return [];
  const due: DueFile[] = [];
  const ready = new Map<string, OpenInbound[]>();
  /** Until when a message of a person waits for earlier ones. */
  const held = new Map<string, number>();
  const quarantined: ChannelEffect[] = [];
  let parts = 0;
  for (const open of inbound.open.values()) {
    if (readTier(settings) !== 'starter') quarantined.push(...quarantineFiles(settings, open));
    const from = state.names.personOf(state.channelId, open.pending.fact.from);
    const isReady = open.stage === 'open' && isComplete(state, settings, open, now, due);
    const heldUntil = held.get(from) ?? 0;
    if (!isReady) held.set(from, Math.max(heldUntil, open.holdsUntil));
    else if (heldUntil > now) wakeBy(state, heldUntil);
    else if (parts < limits.turn) {
      parts += open.pending.fact.parts.length;
      ready.set(from, [...(ready.get(from) ?? []), open]);
    } else {
      held.set(from, Infinity);
      wakeBy(state, now + 1);
    }
  }
  const effects = [...quarantined, ...startFetches(state, settings, due, now)];
  for (const messages of ready.values()) effects.push(emit(settings, messages));
  return [...effects, ...readBacklog(inbound)];
}

/** Every file has ended, or the licence, which may have changed, allows no files. [faults: 52] */
function isComplete(
  state: ChannelState,
  settings: ChannelSettings,
  inbound: OpenInbound,
  now: number,
  due: DueFile[],
): boolean {
  const { files } = inbound;
  if (readTier(settings) === 'starter') return true;
  for (const open of files) {
    if (open.stage !== 'waiting') continue;
    if (open.nextTryAt > now) wakeBy(state, open.nextTryAt);
    else due.push({ inbound, open });
  }
  return files.every(({ stage }) => stage === 'ended');
}

function emit(settings: ChannelSettings, messages: readonly OpenInbound[]): ChannelEffect {
  const inboundIds = messages.map(({ pending }) => pending.id);
  for (const open of messages) moveInbound(open, 'emitting');
  const events = messages.flatMap((open) => buildEvents(settings, open));
  return commitUntilStored([{ write: 'dropWaiting', unmatchedIds: inboundIds }], {
    events,
    deliveries: enabledAmong(settings, events),
    settings,
    arrivedAt: Math.min(...messages.map(({ pending }) => pending.dueAt)),
    report: { type: 'inbound-emitted', inboundIds },
  });
}

function buildEvents(settings: ChannelSettings, { pending: { fact }, files }: OpenInbound): ChannelEvent[] {
  const media: (MediaResult | null)[] = fact.parts.map(() => null);
  for (const { part, result } of files) media[part] = result;
  return receivedEvents(settings.channel, readTier(settings), fact, media);
}

export function onFileEnded(
  state: ChannelState,
  { inboundId, part, outcome }: Extract<EffectResult, { type: 'file-ended' }>,
  now: number,
): ChannelEffect[] {
  endFetch(state, inboundId, part);
  const inbound = state.inbound.open.get(inboundId);
  const open = inbound?.files.find((file) => file.part === part);
  // A message that is emitted or left to the next owner does not need its files.
  if (inbound?.stage !== 'open' || open?.stage !== 'fetching') return emitReady(state, now);
  inbound.isCounted = true;
  takeOutcome(state, open, `${inboundId}/${part}`, outcome, now);
  return [...clearSuspicion(inbound, outcome), ...emitReady(state, now)];
}

/** The message is stored for operators; the client gets its event without the files. */
export function onFilesQuarantined(state: ChannelState, inboundId: string, now: number): ChannelEffect[] {
  for (const open of state.inboundAtWork?.open.get(inboundId)?.files ?? []) {
    if (open.stage === 'ended') continue;
    moveFile(open, 'ended');
    open.result = failedFile(`${inboundId}/${open.part}`, quarantineError, now);
  }
  return emitReady(state, now);
}

const quarantineError = 'The file could not be processed';

function failedFile(name: string, error: string, now: number): MediaResult {
  return { result: 'failed', mediaId: idFrom('media', name), error, failedAt: now };
}

function takeOutcome(
  { rules }: ChannelState,
  open: OpenFile,
  name: string,
  outcome: FileOutcome,
  now: number,
): void {
  if (outcome.outcome === 'busy') {
    moveFile(open, 'waiting');
    open.tries -= 1;
    open.nextTryAt = now + limits.retryPauseMs;
    return;
  }
  const delayMs =
    outcome.outcome === 'failed' && outcome.mayPass ? rules.mediaRetryDelaysMs[open.tries - 1] : undefined;
  if (delayMs !== undefined) {
    moveFile(open, 'waiting');
    open.nextTryAt = now + delayMs;
    return;
  }
  moveFile(open, 'ended');
  open.result = outcome.outcome === 'fetched' ? outcome.media : failedFile(name, outcome.error, now);
}

export function onInboundEmitted(
  state: ChannelState,
  inboundIds: readonly string[],
  now: number,
): ChannelEffect[] {
  for (const id of inboundIds) state.inboundAtWork?.open.delete(id);
  return emitReady(state, now);
}
