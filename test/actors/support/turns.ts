/** A channel driven turn by turn: the test gives it messages, and gets its effects as short lines. */
import { decide } from '../../../actors/channel/turns/decide.ts';
import type { ChannelEffect, ChannelRules, ChannelState } from '../../../actors/channel/index.ts';
import type { ChannelMessage, Commit, TurnWrite } from '../../../actors/channel/messages.ts';
import { noInbound } from '../../../actors/channel/performing/contents.ts';
import type {
  ChannelSettings,
  OpenedMessage,
  PendingDelivery,
} from '../../../src/storage/journal/channel-journal.ts';
import { PersonNames } from '../../../actors/channel/person-names.ts';
import { NodeTotals } from '../../../actors/channel/turns/node-totals.ts';
import { newState } from '../../../actors/channel/state.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { kindOf } from '../../../src/rules/channels/kinds.ts';
import type { Subscription } from '../../../src/rules/licences/subscription.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import type { UpstreamOutcome } from '../../../src/rules/messages/upstream-outcome.ts';
import { channelOf, newYear, subscriptionOf } from '../../rules/samples.ts';
import { ourAppId } from './model-upstream.ts';

/** The defaults of operator-interface §2. */
export const rules: ChannelRules = {
  sendQueuedAfterMs: 30_000,
  sendResendAfterMs: 180_000,
  sendGiveUpAfterMs: 600_000,
  maxQueueAgeMs: 5_000,
  webhookRetryDelaysMs: [30_000, 60_000, 120_000, 120_000, 120_000, 120_000, 120_000],
  webhookDeadlineMs: 1_200_000,
  digestIntervalMs: 900_000,
  mediaRetryDelaysMs: [1_000, 5_000, 20_000, 60_000],
  graceMs: 0,
  baseUrl: 'https://trunkline.example',
  upstreamAppId: ourAppId,
};

export interface Start {
  type?: ChannelType;
  channel?: Partial<Channel>;
  subscription?: Partial<Subscription>;
  open?: OpenedMessage[];
  deliveries?: PendingDelivery[];
  epoch?: number;
  rules?: Partial<ChannelRules>;
}

export function settingsOf({
  type = 'chatapp',
  channel = {},
  subscription = {},
}: Start = {}): ChannelSettings {
  return {
    channel: channelOf(type, {
      id: 'channel-1',
      webhookUrl: 'https://receiver.example.com/',
      webhookEvents: [...kindOf(type).availableEvents],
      ...channel,
    }),
    subscription: subscriptionOf({ expiresAt: null, ...subscription }),
  };
}

export class Turns {
  readonly state: ChannelState;
  now = newYear;
  #nextAsk = 1;

  constructor(start: Start = {}) {
    const { open = [], deliveries = [], epoch = 1 } = start;
    const loaded = {
      open,
      unmatched: [],
      inbound: noInbound,
      nodeFull: new NodeTotals().full,
      names: new PersonNames(),
    };
    const of = {
      channelId: 'channel-1',
      epoch,
      rules: { ...rules, ...start.rules },
      settings: settingsOf(start),
    };
    this.state = newState(of, { ...loaded, deliveries, storeHasMoreDeliveries: false }, this.now);
    this.tell({ type: 'alarm' }); // as the runtime does after the load
  }

  /** One turn without a waiting client. */
  tell(message: ChannelMessage): string[] {
    return briefly(this.effects(message));
  }

  /** One turn with a waiting client; asks are numbered from 1. */
  ask(message: ChannelMessage): string[] {
    const ask = this.#nextAsk;
    this.#nextAsk += 1;
    return briefly(this.effects(message, ask));
  }

  effects(message: ChannelMessage, ask: number | null = null): ChannelEffect[] {
    return decide(this.state, message, { now: this.now, ask });
  }

  /** Advances the time, and fires the alarm when the state asks for it. */
  pass(ms: number): string[] {
    const until = this.now + ms;
    const said: string[] = [];
    while (this.state.wakeAt <= until) {
      this.now = Math.max(this.now, this.state.wakeAt);
      said.push(...this.tell({ type: 'alarm' }));
      if (this.state.wakeAt <= this.now) throw new Error('the alarm turn wants to be rung again at once');
    }
    this.now = until;
    return said;
  }

  send(messageId: string, recipient = 'mia', text = 'Hello'): string[] {
    return this.ask({ type: 'send', messageId, recipient, content: { type: 'text', text } });
  }

  /** Reports the claim as stored; the call is in flight. */
  sent(messageId: string, recipient = 'mia', text = 'Hello'): this {
    this.send(messageId, recipient, text);
    this.tell({ type: 'claim-ended', messageId, outcome: 'claimed' });
    return this;
  }

  /** Reports the postponement as stored. */
  postponed(messageId: string): string[] {
    return this.tell({ type: 'postpone-ended', messageId, outcome: 'postponed' });
  }

  answer(messageId: string, outcome: UpstreamOutcome): string[] {
    const attempt = this.state.sends.open.get(messageId)?.tries ?? 0;
    return this.tell({ type: 'send-result', messageId, attempt, outcome });
  }

  /** Gives the call this answer, and reports its outcome as stored. */
  answered(messageId: string, outcome: UpstreamOutcome): this {
    this.answer(messageId, outcome);
    this.tell({ type: 'send-recorded', messageId });
    return this;
  }
}

/** The channel was deleted. */
export const gone: ChannelMessage = { type: 'settings-loaded', request: 1, settings: null, ask: null };

export const accepted = (upstreamId = 'up-1'): UpstreamOutcome => ({
  outcome: 'accepted',
  upstreamId,
});
export const unknown: UpstreamOutcome = { outcome: 'unknown', error: 'timeout' };
export const refused: UpstreamOutcome = { outcome: 'refused', error: 'Not reachable', errorCode: 131026 };
export const deferred = (
  pause: 'none' | 'pair' | 'channel' = 'none',
  errorCode = 131053,
): UpstreamOutcome => ({
  outcome: 'deferred',
  error: 'Too fast',
  errorCode,
  pause,
});

export function openMessage(fields: Partial<OutboundMessage> = {}): OpenedMessage {
  const message: OutboundMessage = {
    id: 'm-1',
    channelId: 'channel-1',
    accountId: 'account-1',
    channelType: 'chatapp',
    origin: 'service',
    recipient: 'mia',
    messageType: 'text',
    content: new Uint8Array(),
    state: 'queued',
    rank: 0,
    deliveryFailed: false,
    copies: 1,
    tries: 1,
    attemptedAt: newYear,
    statusAt: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    calls: null,
    nextTryAt: null,
    upstreamIds: [],
    error: null,
    errorCode: null,
    epoch: 1,
    createdAt: newYear,
    ...fields,
  };
  return { message, content: { type: 'text', text: 'Hello' } };
}

type Reloaded = Extract<ChannelMessage, { type: 'reloaded' }>;

/** The report of a second read of the store: of the given messages, and of open work that the store has besides. */
export function reloaded({
  messageIds = [],
  open = [],
  ...left
}: Partial<Pick<Reloaded, 'messageIds' | 'open'> & Reloaded['left']> = {}): Reloaded {
  const none = {
    sends: [],
    unmatched: [],
    inbound: noInbound,
    deliveries: [],
    storeHasMoreDeliveries: false,
  };
  return { type: 'reloaded', messageIds, open, left: { ...none, ...left } };
}

/** One line per effect; log lines are left out. */
export function briefly(effects: readonly ChannelEffect[]): string[] {
  return effects.flatMap((effect) => brief(effect) ?? []);
}

function brief(effect: ChannelEffect): string | null {
  switch (effect.effect) {
    case 'claim-and-call':
      return `call ${effect.send.messageId}, copy ${effect.send.copies}${effect.first ? '' : ' again'}`;
    case 'postpone':
      return `postpone ${effect.send.messageId} for ${(effect.send.nextTryAt ?? 0) - effect.send.attemptedAt} ms`;
    case 'withdraw':
      return `withdraw ${effect.send.messageId}`;
    case 'reload':
      return `reload [${effect.messageIds.join(' ')}]`;
    case 'commit':
      return briefCommit(effect);
    case 'resolve-facts':
      return `look up ${effect.job}${effect.retry ? '!' : ''}`;
    case 'post-webhook':
      return `post ${effect.deliveryId} attempt ${effect.attempts + 1}${effect.payload === null ? ' claimed' : ''}`;
    case 'load-deliveries':
      return 'load deliveries';
    case 'read-replay':
      return `read replay ${effect.order?.id ?? 'next'}`;
    case 'revive':
      return `revive ${effect.kept.map(({ id }) => id).join(' ')}`;
    case 'load-inbound':
      return `load ${effect.limit} inbound after ${effect.after}`;
    case 'load-settings':
      return `load settings ${effect.request}`;
    case 'reply':
      return `→ ${effect.asks.join(' ')}: ${replyIn(effect.reply)}`;
    case 'refuse':
      return `✗ ${effect.asks.join(' ')}: ${effect.code}`;
    case 'ask-for-echoes':
      return `ask for ${effect.echoIds.join(' ')}`;
    case 'fetch-file':
      return `fetch ${effect.inbound.pending.id.slice('channel-1/i/'.length)}.${effect.part + 1}`;
    case 'await-turn':
      return `await the turn of ${effect.deliveryId}`;
    case 'quarantine-delivery':
      return `put aside ${effect.delivery.id}`;
    case 'quarantine-files':
      return `put aside ${effect.message.id.slice('channel-1/i/'.length)}`;
    case 'log':
      return null;
    default:
      return effect satisfies never;
  }
}

/** A commit of facts is named by its job, any other by what it stores. */
function briefCommit({ report, otherwise, events, writes, reply }: Commit): string {
  const written = writes.map(briefWrite);
  if (report?.type === 'facts-ended') {
    const about = events.map(({ event, messageId }) => `${event}(${messageId})`);
    return [`commit ${report.job}${otherwise === 'retry' ? '!' : ''}`, ...about, ...written].join(' ');
  }
  const said = reply === null ? [] : [`→ ${reply.asks.join(' ')}: ${replyIn(reply.reply)}`];
  return ['record', ...events.map(({ event }) => event), ...written, ...said].join(' ');
}

function replyIn(reply: object): string {
  if ('status' in reply && reply.status === 'failed') return JSON.stringify(reply);
  return 'status' in reply ? String(reply.status) : JSON.stringify(reply);
}

function briefWrite(write: TurnWrite): string {
  switch (write.write) {
    case 'recordStatus':
      return `${write.messageId}:${write.status}${write.upstreamId === null ? '' : `=${write.upstreamId}`}`;
    case 'recordAccepted':
      return `${write.messageId}:accepted=${write.upstreamId}/${write.rank}`;
    case 'recordDeferred':
      return `${write.messageId}:deferred`;
    case 'recordUnknown':
      return `${write.messageId}:unknown`;
    case 'recordFailed':
      return `${write.messageId}:failed(${write.error}, ${write.errorCode})`;
    case 'recordAttempt':
      return `${write.deliveryId}:${write.attempt.state}#${write.attempt.attempts}`;
    case 'addMail':
      return `mail:${write.mail.kind}`;
    case 'keepWaiting':
      return `hold ${write.unmatched.id.slice('channel-1/'.length)}`;
    case 'dropWaiting':
      return `drop ${write.unmatchedIds.map((id) => id.slice('channel-1/'.length)).join(' ')}`;
    case 'insertEcho':
      return `echo(${write.message.upstreamIds.join(' ')})`;
    default:
      return write.write;
  }
}
