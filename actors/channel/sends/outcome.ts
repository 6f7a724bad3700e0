/** The consequences of a send's end: upstream accepted it, or it failed. */
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { ChannelEvent } from '../../../src/rules/events/built.ts';
import { gatherFor } from '../../../src/rules/mails/letter.ts';
import { reconnectNeeded, undelivered } from '../../../src/rules/mails/channels.ts';
import { upstreamWordsIn, withoutUpstreamWords } from '../../../src/rules/messages/error-codes.ts';
import type { UpstreamErrorDetail } from '../../../src/rules/messages/facts.ts';
import { rankOf } from '../../../src/rules/messages/message.ts';
import type { EndedCall } from '../../../src/rules/messages/message.ts';
import { pickNames } from '../../../src/rules/messages/recipient-names.ts';
import type { RecipientNames } from '../../../src/rules/messages/recipient-names.ts';
import { commitUntilStored } from '../messages.ts';
import type { ChannelEffect, Commit, Reply, TurnWrite, EffectResult } from '../messages.ts';
import { statusEvents } from '../../../src/rules/events/status.ts';
import { enabledAmong } from '../eligibility.ts';
import type { ChannelSettings } from '../../../src/storage/journal/channel-journal.ts';
import type { ChannelState } from '../state.ts';
import type { OpenSend, SendRefusal } from './state.ts';
import { moveSend } from './state.ts';

/**
 * The consequences when upstream accepts a message: `message.sent` on chatapp, a synthetic `message.delivered` on photoapp. `at` in ms.
 * [spec: Event types, Delivery status]
 */
export function acceptance(
  settings: ChannelSettings | null,
  send: { messageId: string; recipient: string; requestId: string | null },
  accepted: { upstreamId: string } & RecipientNames,
  at: number,
  call?: EndedCall,
): Pick<Commit, 'writes' | 'events' | 'deliveries'> {
  const { messageId, recipient } = send;
  const { upstreamId } = accepted;
  const requestId = send.requestId ?? undefined;
  const channelType = settings?.channel.channelType;
  const kind = channelType === undefined ? null : kindOf(channelType);
  const rank = kind?.rankOnAccept ?? rankOf('sent');
  const writes: TurnWrite[] = [
    { write: 'recordAccepted', messageId, upstreamId, rank, at, call, channelType },
  ];
  // A fact is recorded even when the channel does not exist any more.
  if (settings === null || kind === null) return { writes, events: [], deliveries: [] };
  const events: ChannelEvent[] = [];
  const names = pickNames(accepted);
  for (const status of kind.statusesOnAccept)
    events.push(
      ...statusEvents(settings.channel, {
        status,
        messageId,
        recipient,
        at,
        errors: [],
        requestId,
        ...names,
      }),
    );
  return { writes, events, deliveries: enabledAmong(settings, events) };
}

interface SendFailure extends SendRefusal {
  /** No send succeeds until somebody connects the channel again. */
  needsReconnect?: boolean;
  /** If the service ends the send: what upstream last said against it. */
  before?: SendRefusal | null;
  /** The refused call, if upstream refused the send. */
  call?: EndedCall;
}

/**
 * Ends a send as `failed`. A client that still waits gets the failure as its answer. Otherwise the channel's owner gets the delivery digest
 * and, on chatapp, `message.failed`. [spec: Message send state]
 */
export function failSend(
  state: ChannelState,
  send: OpenSend,
  { error, errorCode, needsReconnect = false, before = null, call }: SendFailure,
  now: number,
): ChannelEffect[] {
  const { settings } = state;
  const { messageId, asks } = send;
  moveSend(send, 'failed');
  send.refusal = { error, errorCode };
  send.asks = [];
  send.recordedFor = asks;
  const mails = needsReconnect ? reconnectMail(state, { error, errorCode }, now) : [];
  const record: TurnWrite = { write: 'recordFailed', messageId, error, errorCode, at: now, call };
  const report: EffectResult = { type: 'send-recorded', messageId };
  if (asks.length > 0) {
    const reply: Reply = { asks, reply: { status: 'failed', error, errorCode } };
    return [commitUntilStored([record, ...mails], { settings, reply, report })];
  }
  if (settings === null) return [commitUntilStored([record], { report })];
  const { writes, events } = failureNews(settings, state, send, { error, errorCode, before }, now);
  const deliveries = enabledAmong(settings, events);
  return [commitUntilStored([record, ...mails, ...writes], { events, deliveries, settings, report })];
}

/** The failure is stored, and its client does not wait for it any more. */
export function tellFailure(
  state: ChannelState,
  send: OpenSend,
  refusal: SendRefusal,
  now: number,
): ChannelEffect[] {
  const { settings } = state;
  if (settings === null) return [];
  const { writes, events } = failureNews(settings, state, send, { ...refusal, before: null }, now);
  return [commitUntilStored(writes, { events, deliveries: enabledAmong(settings, events), settings })];
}

function failureNews(
  settings: ChannelSettings,
  state: ChannelState,
  { messageId, recipient, requestId }: OpenSend,
  { error, errorCode, before }: SendRefusal & { before: SendRefusal | null },
  now: number,
): { writes: TurnWrite[]; events: ChannelEvent[] } {
  const errors = upstreamErrorsIn(errorCode === null ? before : { error, errorCode });
  const events = statusEvents(settings.channel, {
    status: 'failed',
    messageId,
    recipient,
    at: now,
    errors,
    error,
    requestId: requestId ?? undefined,
  });
  return { writes: [digestLine(state, settings, messageId, error, now)], events };
}

/** `error` is our sentence, `errors` have upstream's words. [spec: Status events] */
function upstreamErrorsIn(said: SendRefusal | null): UpstreamErrorDetail[] {
  if (said === null || said.errorCode === null) return [];
  const { error, errorCode: code } = said;
  const { words, details } = upstreamWordsIn(error);
  // Upstream's answer has the code before its words; the title of a status does not.
  const prefix = `(#${code}) `;
  const title = words.startsWith(prefix) ? words.slice(prefix.length) : words;
  return [{ code, title, ...(details === null ? {} : { details }) }];
}

/** The channel's owner gets one mail per token. The channel stays active and keeps receiving. [spec: Send error codes, 190] */
function reconnectMail(state: ChannelState, { error, errorCode }: SendRefusal, now: number): TurnWrite[] {
  const channel = state.settings?.channel;
  const token = channel?.token ?? null;
  if (channel === undefined || state.sends.mailedToken === (token ?? '')) return [];
  state.sends.mailedToken = token ?? '';
  const what = withoutUpstreamWords(error);
  const mail = reconnectNeeded(channel, { what, code: errorCode, at: now, baseUrl: state.rules.baseUrl });
  return [{ write: 'addMail', mail: { ...mail, sendAfter: now, createdAt: now } }];
}

/** [operator-interface §2 DIGEST_INTERVAL_MS: at most one mail per account per interval] */
function digestLine(
  state: ChannelState,
  { channel }: ChannelSettings,
  messageId: string,
  error: string,
  now: number,
): TurnWrite {
  const { digestIntervalMs, baseUrl } = state.rules;
  const { interval, sendAfter } = gatherFor(digestIntervalMs, now);
  return {
    write: 'addMail',
    mail: {
      id: `delivery-digest:${channel.accountId}:${interval}`,
      accountId: channel.accountId,
      kind: 'delivery-digest',
      ...undelivered(channel, { messageId, error, at: now, baseUrl }),
      sendAfter,
      createdAt: now,
    },
  };
}

/** The call did not go out, but an earlier one may have: receipts are about that one. [faults: 349] */
export function attemptThatCounts({ copies, copyAt }: Pick<OpenSend, 'copies' | 'copyAt'>): {
  attemptedAt?: number;
} {
  return copies > 0 && copyAt !== null ? { attemptedAt: copyAt } : {};
}
