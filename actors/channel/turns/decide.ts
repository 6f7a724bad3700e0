import type { Turn } from '../../runtime/actor.ts';
import { addDeliveries, onDeliveriesLoaded } from '../deliveries/due.ts';
import { onEmit } from '../deliveries/emit.ts';
import { onSuspect } from '../deliveries/suspects.ts';
import { onAttemptRecorded, onPostEnded } from '../deliveries/post.ts';
import { goOnReplaying, onDeliveriesRevived, onReplay, onReplayRead } from '../deliveries/replay.ts';
import { onRetryDelivery } from '../deliveries/retry.ts';
import type { ChannelEffect, ChannelMessage } from '../messages.ts';
import { matchLearned, onInboundLoaded } from '../facts/match.ts';
import { onFileEnded, onFilesQuarantined, onInboundEmitted } from '../inbound/files.ts';
import { onEchoesAnswered } from '../facts/echo-answers.ts';
import { onFactsEnded, onFactsResolved, onTakeFacts } from '../facts/take.ts';
import { onClaimEnded, onPostponeEnded } from '../sends/claim.ts';
import { dropEmptied } from '../sends/queue.ts';
import { onSendRecorded, onSendResult } from '../sends/result.ts';
import { onSend } from '../sends/send.ts';
import type { ChannelState } from '../state.ts';
import { dropIdleSlices } from './idle.ts';
import {
  loadSettings,
  onAlarm,
  onDrain,
  onInspect,
  onReloaded,
  onSettingsLoaded,
  onWake,
} from './whole-channel.ts';

/** One turn: changes the state in place and returns the effects, in order. No I/O, no clock, no randomness. [architecture §2.1] */
export function decide(state: ChannelState, message: ChannelMessage, turn: Turn): ChannelEffect[] {
  const effects = take(state, message, turn);
  const replayed = goOnReplaying(state);
  const matched = matchLearned(state, turn.now);
  dropEmptied(state, turn.now);
  dropIdleSlices(state, turn.now);
  return matched.length + replayed.length === 0 ? effects : [...effects, ...matched, ...replayed];
}

function take(state: ChannelState, message: ChannelMessage, turn: Turn): ChannelEffect[] {
  switch (message.type) {
    case 'send':
      return onSend(state, message, turn);
    case 'send-result':
      return onSendResult(state, message, turn);
    case 'send-recorded':
      return onSendRecorded(state, message.messageId, turn);
    case 'claim-ended':
      return onClaimEnded(state, message, turn);
    case 'postpone-ended':
      return onPostponeEnded(state, message);
    case 'reloaded':
      return onReloaded(state, message, turn);
    case 'take-facts':
      return onTakeFacts(state, message.facts, turn);
    case 'facts-resolved':
      return onFactsResolved(state, message, turn.now);
    case 'facts-ended':
      return onFactsEnded(state, message, turn.now);
    case 'file-ended':
      return onFileEnded(state, message, turn.now);
    case 'files-quarantined':
      return onFilesQuarantined(state, message.inboundId, turn.now);
    case 'inbound-emitted':
      return onInboundEmitted(state, message.inboundIds, turn.now);
    case 'inbound-loaded':
      return onInboundLoaded(state, message, turn.now);
    case 'deliveries-added':
      return addDeliveries(state, message, turn.now);
    case 'deliveries-loaded':
      return onDeliveriesLoaded(state, message, turn.now);
    case 'post-ended':
      return onPostEnded(state, message, turn.now);
    case 'turn-came':
    case 'delivery-quarantined':
      return onSuspect(state, message, turn.now);
    case 'emit':
      return onEmit(state, message, turn);
    case 'attempt-recorded':
      return onAttemptRecorded(state, message, turn.now);
    case 'reload':
    case 'settings-changed':
      return loadSettings(state, turn.ask);
    case 'settings-loaded':
      return onSettingsLoaded(state, message, turn);
    case 'wake':
      return onWake(state, message, turn);
    case 'retry-delivery':
      return onRetryDelivery(state, message, turn);
    case 'inspect':
      return onInspect(state, turn);
    case 'alarm':
      return onAlarm(state, turn);
    case 'drain':
      return onDrain(state);
    default:
      return takeRare(state, message, turn);
  }
}

type Rare = Extract<
  ChannelMessage,
  { type: 'replay' | 'replay-read' | 'deliveries-revived' | 'echoes-answered' }
>;

function takeRare(state: ChannelState, message: Rare, { now }: Turn): ChannelEffect[] {
  switch (message.type) {
    case 'replay':
      return onReplay(state);
    case 'replay-read':
      return onReplayRead(state, message, now);
    case 'deliveries-revived':
      return onDeliveriesRevived(state, message, now);
    case 'echoes-answered':
      return onEchoesAnswered(state, message, now);
    default:
      return unknownMessage(message);
  }
}

function unknownMessage(message: never): never {
  throw new Error(`a channel was told something it does not know: ${JSON.stringify(message).slice(0, 80)}`);
}
