/**
 * How fast calls may follow each other: at the rate upstream is known to allow this number and this pair, and slower after upstream has
 * refused calls as too fast. [upstream §3.7, §3.8]
 */
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { Pace } from '../../../src/rules/channels/kind.ts';
import { isAudioOrVideo } from '../../../src/rules/messages/content.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import { limits } from '../limits.ts';
import { wakeBy } from '../state.ts';
import type { ChannelState } from '../state.ts';
import { findQueue, moveSend } from './state.ts';
import type { PersonQueue, SendsState, OpenSend } from './state.ts';
import type { ChannelEffect } from '../messages.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';

/** 80 calls a second, the limit of a number without an upgrade. [upstream §3.8] */
const firstGapMs = 12.5;
/** Each refusal doubles the gap, up to one call a second. */
const maxGapMs = 1_000;
/** After this time without a refusal the gap is halved. */
const relaxAfterMs = 60_000;
/** The sustained limit of a pair: one message in 6 s. [upstream §3.8] */
const pairGapMs = 6_000;
/** While sends wait for the pace, `pacedAt` is set more often than this. */
const pacedMs = 1_000;
const longLineMs = 250;

/** Upstream refused a call at its throughput limit. Refusals of calls that were in flight together count once. */
export function slowDown(sends: SendsState, now: number): void {
  if (sends.pausedUntil > now) return;
  sends.gapMs = Math.min(sends.gapMs === 0 ? firstGapMs : sends.gapMs * 2, maxGapMs);
  sends.relaxAt = now + relaxAfterMs;
}

/** Upstream refused a call at its pair limit. The gap applies as long as this person's queue exists. */
export function slowDownPair(queue: PersonQueue): void {
  queue.gapMs = pairGapMs;
}

interface PacedCall {
  channel: Channel;
  person: string;
  content: Content;
}

/** Counts an outgoing call against every pace. */
export function keepPace(sends: SendsState, { channel, person, content }: PacedCall, now: number): void {
  const kind = kindOf(channel.channelType);
  holdPair(sends, person, kind.pairPace, now);
  holdChannel(sends, kind.pickPace(channel.profile), now);
  if (isAudioOrVideo(content)) holdAudioVideo(sends, kind.audioVideoPace, now);
  if (sends.relaxAt <= now) relax(sends, now);
  sends.nextCallAt = Math.max(sends.nextCallAt, now) + sends.gapMs;
}

/** The pace of a number or a page is one of its properties, known before upstream refuses anything. */
function holdChannel(sends: SendsState, pace: Pace | null, now: number): void {
  if (pace === null) return;
  sends.spentUntil = Math.max(sends.spentUntil, now) + pace.gapMs;
  sends.nextCallAt = Math.max(sends.nextCallAt, freeAgainAt(sends.spentUntil, pace));
}

function holdAudioVideo(sends: SendsState, pace: Pace | null, now: number): void {
  if (pace === null) return;
  sends.audioVideoSpentUntil = Math.max(sends.audioVideoSpentUntil, now) + pace.gapMs;
  sends.nextAudioVideoAt = freeAgainAt(sends.audioVideoSpentUntil, pace);
}

function freeAgainAt(spentUntil: number, { gapMs, burst }: Pace): number {
  return spentUntil - (burst - 1) * gapMs;
}

function holdPair(sends: SendsState, person: string, pace: Pace | null, now: number): void {
  const queue = findQueue(sends, person);
  queue.pausedUntil = Math.max(queue.pausedUntil, now + queue.gapMs);
  if (pace === null) return;
  const known = sends.pairs.get(person);
  const spentUntil = Math.max(known ?? 0, now) + pace.gapMs;
  sends.pairs.delete(person); // moves it to the end: the longest quiet come first
  sends.pairs.set(person, spentUntil);
  if (sends.pairs.size > limits.pairs) forgetFirst(sends);
  queue.pausedUntil = Math.max(queue.pausedUntil, freeAgainAt(spentUntil, pace));
}

/** Several at once: the search for a map's first entry passes all entries deleted before it. */
function forgetFirst({ pairs }: SendsState): void {
  const most = pairs.size - Math.floor(limits.pairs / 20);
  for (const person of pairs.keys()) {
    if (pairs.size <= most) return;
    pairs.delete(person);
  }
}

/** Alarm: forgets pairs that have their whole burst available again. */
export function forgetPairs(state: ChannelState, now: number): void {
  const { pairs } = state.sends;
  let looked = 0;
  for (const [person, spentUntil] of pairs) {
    if (spentUntil <= now) pairs.delete(person);
    looked += 1;
    if (looked === limits.turn) break;
  }
  if (pairs.size > 0) wakeBy(state, now + pairGapMs);
}

function relax(sends: SendsState, now: number): void {
  const faster = sends.gapMs / 2;
  sends.gapMs = faster < firstGapMs ? 0 : faster;
  sends.relaxAt = now + relaxAfterMs;
}

/** Every new call has to wait: all calls are in use, or the pace does not allow another yet. */
export function isFull(sends: SendsState, now: number): boolean {
  return sends.calls >= limits.calls || sends.nextCallAt > now;
}

/** When the pace allows this content: audio and video have an additional pace of their own. */
export function paceAllowsAt({ nextCallAt, nextAudioVideoAt }: SendsState, content: Content): number {
  return isAudioOrVideo(content) ? Math.max(nextCallAt, nextAudioVideoAt) : nextCallAt;
}

/**
 * Sets the alarm for the time when the pace allows the next call. Every alarm looks at all sends, so with thousands of them it rings at
 * most four times a second; each then starts several sends, because the pace allows bursts.
 */
export function wakeForPace(state: ChannelState, at: number, now: number): void {
  const isLong = state.sends.open.size > limits.turn;
  wakeBy(state, isLong ? Math.max(at, now + longLineMs) : at);
}

/** The pace, not a missing call slot, has just held back a send: a wait for upstream, not an overload of ours. */
export function isPaced({ gapMs, pacedAt }: SendsState, now: number): boolean {
  return gapMs > 0 || now - pacedAt < pacedMs;
}

const rateLimited = {
  error: 'The message waits: upstream limits the rate of this channel, or has refused a call before it',
  errorCode: null,
};
const numberPaused = {
  error: 'The message waits: the number was registered anew on its phone, and upstream has paused it',
  errorCode: null,
};

interface Postponement {
  settings: ChannelSettings;
  until: number;
  isNumberPaused: boolean;
}

/**
 * When a send of this queue will be called, no earlier than `from`: behind those that have a time already, at the pace of the pair, whose
 * allowance the calls until now have used up until `spentUntil`.
 */
function takePlace(queue: PersonQueue, from: number, pace: Pace | null, spentUntil: number): number {
  const at = Math.max(from, queue.plannedFreeAt);
  queue.plannedFreeAt = at + queue.gapMs;
  if (pace === null) return at;
  queue.plannedSpentUntil = Math.max(queue.plannedSpentUntil, spentUntil, at) + pace.gapMs;
  queue.plannedFreeAt = Math.max(queue.plannedFreeAt, freeAgainAt(queue.plannedSpentUntil, pace));
  return at;
}

/**
 * While upstream demands a pause, a send is stored and answered `queued`. It is called when the pause is over, before later sends to its
 * person. [operator-interface §4]
 */
export function postpone(
  sends: SendsState,
  send: OpenSend,
  { settings, until, isNumberPaused }: Postponement,
  now: number,
): ChannelEffect[] {
  if (send.content === null) return [];
  const queue = findQueue(sends, send.person);
  const { pairPace } = kindOf(settings.channel.channelType);
  moveSend(send, 'postponing');
  send.attemptedAt = now;
  send.nextTryAt = takePlace(queue, until, pairPace, sends.pairs.get(send.person) ?? 0);
  send.refusal = isNumberPaused ? numberPaused : rateLimited;
  send.postponed = true;
  queue.postponed += 1;
  return [{ effect: 'postpone', send: { ...send }, content: send.content, settings }];
}
