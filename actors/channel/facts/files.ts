/**
 * The way of a message with files: on record and answered 200 → each file fetched, with retries of its own → all of them there or
 * given up → one event per file in one commit, which also forgets the message. A crash between any two steps starts again from the
 * record. [spec: message.received data, rule 2; architecture §6.3]
 */
import { deliveryIdOf } from '../../../src/domain/events/built.ts';
import type { MediaResult } from '../../../src/domain/events/media-block.ts';
import { inboundMessageId, receivedEvents } from '../../../src/domain/events/received.ts';
import type { Tier } from '../../../src/domain/licences/subscription.ts';
import type { InboundMessage } from '../../../src/domain/messages/facts.ts';
import { idFrom } from '../../../src/kernel/ids.ts';
import { commitUntilStored } from '../effects.ts';
import type { ChannelEffect } from '../effects.ts';
import { limits } from '../limits.ts';
import type { EffectResult } from '../messages.ts';
import type { ChannelSettings, FileOutcome, PendingInbound } from '../ports.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { isFile, openInbound } from './pending.ts';
import type { OpenFile, OpenInbound } from './pending.ts';

export function tierOf({ subscription }: ChannelSettings): Tier {
  return subscription?.tier ?? 'starter';
}

/** Whether files of this message are to be fetched: on `starter` they are withheld. [spec: message.received data, rule 4] */
export function hasFilesFor({ settings }: ChannelState, { parts }: InboundMessage): boolean {
  return settings !== null && tierOf(settings) !== 'starter' && parts.some(isFile);
}

/** All events of a message are written together: where the first is, the message was told. */
export function firstDeliveryOf(channelId: string, { upstreamId }: InboundMessage): string {
  return deliveryIdOf(channelId, inboundMessageId(channelId, upstreamId), 'message.received');
}

/** These are on record now. */
export function fetchFiles(
  state: ChannelState,
  received: readonly PendingInbound[],
  now: number,
): ChannelEffect[] {
  if (received.length === 0) return [];
  for (const pending of received) {
    const known = state.facts.inbound.get(pending.id);
    if (known === undefined) state.facts.inbound.set(pending.id, openInbound(pending, now, 'open'));
    else if (known.stage === 'keeping') known.stage = 'open';
  }
  return tellReady(state, now);
}

/** They could not be put on record: upstream brings them again. */
export function forgetUnkept({ facts }: ChannelState, received: readonly PendingInbound[]): void {
  for (const { id } of received) if (facts.inbound.get(id)?.stage === 'keeping') facts.inbound.delete(id);
}

/** Starts what may start, and tells what is ready in the order of its sender. */
export function tellReady(state: ChannelState, now: number): ChannelEffect[] {
  const { facts, settings, draining } = state;
  if (facts.inbound.size === 0 || settings === null || draining) return [];
  const effects: ChannelEffect[] = [];
  const behind = new Set<string>();
  for (const open of facts.inbound.values()) {
    if (open.stage === 'telling') continue;
    const { from } = open.pending.fact;
    const isReady = open.stage === 'open' && isComplete(state, settings, open, now, effects);
    const mayGo = !behind.has(from) || open.overtakesAt <= now;
    if (isReady && mayGo) effects.push(tell(settings, open));
    else {
      behind.add(from);
      if (isReady) wakeBy(state, open.overtakesAt);
    }
  }
  return effects;
}

/** Every file has ended, or none may be had: a licence may have changed meanwhile. [faults: 52] */
function isComplete(
  state: ChannelState,
  settings: ChannelSettings,
  { pending, files }: OpenInbound,
  now: number,
  effects: ChannelEffect[],
): boolean {
  if (tierOf(settings) === 'starter') return true;
  for (const open of files) {
    if (open.stage !== 'waiting') continue;
    if (open.nextTryAt > now) wakeBy(state, open.nextTryAt);
    else if (state.facts.fetches < limits.fetches) effects.push(fetchFile(state, settings, pending.id, open));
  }
  return files.every(({ stage }) => stage === 'ended');
}

function fetchFile(
  { facts }: ChannelState,
  { channel }: ChannelSettings,
  inboundId: string,
  open: OpenFile,
): ChannelEffect {
  const { part, type, file } = open;
  facts.fetches += 1;
  open.stage = 'fetching';
  open.tries += 1;
  return { effect: 'fetch-file', inboundId, part, request: { channel, type, file } };
}

function tell(settings: ChannelSettings, open: OpenInbound): ChannelEffect {
  const { id, fact } = open.pending;
  const media: (MediaResult | null)[] = fact.parts.map(() => null);
  for (const { part, result } of open.files) media[part] = result;
  open.stage = 'telling';
  return commitUntilStored([{ write: 'dropUnmatched', unmatchedIds: [id] }], {
    events: receivedEvents(settings.channel, tierOf(settings), fact, media),
    settings,
    report: { type: 'inbound-told', inboundId: id },
  });
}

export function onFileEnded(
  state: ChannelState,
  { inboundId, part, outcome }: Extract<EffectResult, { type: 'file-ended' }>,
  now: number,
): ChannelEffect[] {
  state.facts.fetches -= 1;
  const files = state.facts.inbound.get(inboundId)?.files ?? [];
  const open = files.find((file) => file.part === part);
  if (open?.stage === 'fetching') takeOutcome(state, open, `${inboundId}/${part}`, outcome, now);
  return tellReady(state, now);
}

function takeOutcome(
  { rules }: ChannelState,
  open: OpenFile,
  name: string,
  outcome: FileOutcome,
  now: number,
): void {
  const delayMs =
    outcome.outcome === 'failed' && outcome.mayPass ? rules.fileDelaysMs[open.tries - 1] : undefined;
  if (delayMs !== undefined) {
    open.stage = 'waiting';
    open.nextTryAt = now + delayMs;
    return;
  }
  open.stage = 'ended';
  open.result =
    outcome.outcome === 'fetched'
      ? outcome.media
      : { result: 'failed', mediaId: idFrom('media', name), error: outcome.error, failedAt: now };
}

export function onInboundTold(state: ChannelState, inboundId: string, now: number): ChannelEffect[] {
  state.facts.inbound.delete(inboundId);
  return tellReady(state, now);
}
