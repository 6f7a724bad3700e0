/**
 * The effect of each write of a commit. Intents are compare-and-set; facts are monotonic, so that a repeated or late fact, or one of a former
 * owner, does no harm. [architecture §4, Fence intents] `src/storage/journal/writes.ts` says what each write means.
 */
import { kindOf } from '../../rules/channels/kinds.ts';
import { rankOf, statusTimes } from '../../rules/messages/message.ts';
import type { EndedCall, OutboundMessage } from '../../rules/messages/message.ts';
import { channelTypes } from '../../rules/vocabulary.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Write } from './writes.ts';
import type { Effect, Effects, Rule, RuledMessage } from './rule.ts';

/** No copy can become due after this. */
const closed = { nextTryAt: null, content: null };
const unkept = { keptSince: null, keptBytes: null };

/** A message after its first claim. */
function firstClaimed(channelType: ChannelType): Partial<OutboundMessage> {
  const times = { statusAt: null, sentAt: null, deliveredAt: null, nextTryAt: null };
  return { channelType, state: 'sending', rank: 0, upstreamIds: [], ...times };
}

const firstClaims = new Map(channelTypes.map((type) => [type, firstClaimed(type)]));

/** The message of an acceptance; a call that is logged is not the first. */
function likelyMessage({ call, channelType, rank }: Accepted): Partial<OutboundMessage> | undefined {
  if (call !== undefined || channelType === undefined) return undefined;
  return rank === kindOf(channelType).rankOnAccept ? firstClaims.get(channelType) : undefined;
}

/** The message of a status that is reported in turn, after the one of the rank before it. */
function beforeStatus(channelType: ChannelType, status: ReportedInTurn): Partial<OutboundMessage> {
  const rank = Math.max(rankOf('sent'), rankOf(status) - 1);
  const before = { channelType, state: 'sent', rank, nextTryAt: null, content: null } as const;
  return status === 'sent' ? before : { ...before, [statusTimes[status]]: null };
}

const reportedInTurn = ['sent', 'delivered', 'read'] as const;
type ReportedInTurn = (typeof reportedInTurn)[number];
const beforeStatuses = new Map<string, Partial<OutboundMessage>>(
  channelTypes.flatMap((type) =>
    reportedInTurn.map((status) => [`${type} ${status}`, beforeStatus(type, status)] as const),
  ),
);

type Accepted = Extract<Write, { write: 'recordAccepted' }>;

function timesOf({ rank, at }: Accepted): { sentAt: number; deliveredAt?: number } {
  return rank >= rankOf('delivered') ? { sentAt: at, deliveredAt: at } : { sentAt: at };
}

const effects: Effects<Write['write']> = {
  insertMessage: ({ message: item }) => ({ does: 'insert', to: 'messages', item, isIntent: true }),
  insertEcho: ({ message: item }) => ({ does: 'insert', to: 'messages', item }),

  claimCopy: ({ messageId: id, expect, attemptedAt, before }) => ({
    does: 'claim',
    to: 'messages',
    id,
    rule: {
      when: { state: ['sending', 'queued'], copies: [expect.copies], tries: [expect.tries] },
      set: { state: 'sending', attemptedAt, nextTryAt: null },
      add: { copies: 1, tries: 1 },
      entries: logged(before),
    },
  }),

  recordAccepted: (accepted) => ({
    does: 'update',
    to: 'messages',
    id: accepted.messageId,
    rule: {
      set: { state: 'sent', ...closed },
      max: { rank: accepted.rank },
      beside: { statusAt: accepted.at },
      min: timesOf(accepted),
      join: { upstreamIds: accepted.upstreamId },
      entries: logged(accepted.call),
    },
    likely: likelyMessage(accepted),
  }),

  recordDeferred: ({ messageId, nextTryAt, error, errorCode, call, attemptedAt }) =>
    endCall(messageId, {
      set: {
        state: 'queued',
        nextTryAt,
        error,
        errorCode,
        ...(attemptedAt === undefined ? {} : { attemptedAt }),
      },
      add: { copies: -1 },
      entries: logged(call),
    }),

  recordUnknown: ({ messageId, call }) =>
    endCall(messageId, { set: { state: 'queued' }, entries: logged(call) }),

  recordFailed: ({ messageId, error, errorCode, at, call }) =>
    update(messageId, {
      when: { state: ['sending', 'queued', 'failed', 'abandoned'] },
      set: { state: 'failed', error, errorCode, ...closed },
      min: { failedAt: at },
      entries: logged(call),
    }),

  recordStatus: ({ messageId, channelType, status, upstreamId, at, why }) => ({
    does: 'update',
    to: 'messages',
    id: messageId,
    rule: {
      set: { state: 'sent', ...(status === 'failed' ? { deliveryFailed: true } : {}), ...why, ...closed },
      // An `abandoned` marker stays: nothing was sent under this id.
      keep: { state: 'abandoned' },
      max: { rank: rankOf(status) },
      beside: { statusAt: at },
      min: { [statusTimes[status]]: at },
      join: { upstreamIds: upstreamId },
    },
    likely: upstreamId === null ? undefined : beforeStatuses.get(`${channelType} ${status}`),
  }),

  insertDelivery: ({ delivery: item }) => ({ does: 'insert', to: 'deliveries', item }),

  insertCopy: ({ delivery: item }) => ({ does: 'insert', to: 'deliveries', item, isCopy: true }),

  claimDelivery: ({ deliveryId: id, attempts, claims }) => ({
    does: 'claim',
    to: 'deliveries',
    id,
    rule: { when: { state: ['pending'], attempts: [attempts] }, set: { claims } },
  }),

  reviveDelivery: ({ deliveryId: id, keptSince, at }) => ({
    does: 'claim',
    to: 'deliveries',
    id,
    rule: {
      when: { state: ['failed'], keptSince: [keptSince] },
      set: { state: 'pending', attempts: 0, claims: 0, firstTriedAt: null, nextDueAt: at, ...unkept },
    },
  }),

  /**
   * Applies only to a pending delivery, and never returns it to an earlier attempt; a failure from before a replay does not apply to the
   * replayed delivery. A late result must not revive an erased payload.
   */
  recordAttempt({ deliveryId: id, attempt }) {
    const { state, attempts, firstTriedAt, nextDueAt, lastResult, attemptLog } = attempt;
    const isPending = state === 'pending';
    const ended = attempt.kept ?? { payload: null };
    return {
      does: 'update',
      to: 'deliveries',
      id,
      rule: {
        when: { state: ['pending'], ...(state === 'failed' ? { attempts: [attempts - 1, attempts] } : {}) },
        ...(isPending ? { atMost: { attempts } } : {}),
        // [spec: Payload storage] The write that ends the delivery also erases its payload.
        set: { state, claims: 0, nextDueAt, lastResult, attemptLog, ...(isPending ? {} : ended) },
        max: { attempts },
        min: { firstTriedAt },
      },
    };
  },

  keepWaiting: ({ unmatched }) => ({ does: 'keep', unmatched }),
  dropWaiting: ({ unmatchedIds }) => ({ does: 'drop', unmatchedIds }),
  addMail: ({ mail }) => ({ does: 'mail', mail }),
};

export function toEffect(write: Write): Effect {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a write's name selects the function for its type
  const effect = effects[write.write] as (write: Write) => Effect;
  return effect(write);
}

function update(id: string, rule: Rule<RuledMessage>): Effect {
  return { does: 'update', to: 'messages', id, rule };
}

/** Ends a call in progress. */
function endCall(id: string, rule: Omit<Rule<RuledMessage>, 'when' | 'keep'>): Effect {
  const underWay = { ...rule, when: { state: ['sending'] } } as const;
  return { does: 'update', to: 'messages', id, untilNextClaim: true, rule: underWay };
}

/** The call's entry in `calls`. A repeated start does not overwrite an end that is logged. */
function logged(call: Pick<EndedCall, 'n' | 'at'> | undefined): Rule<RuledMessage>['entries'] {
  if (call === undefined) return undefined;
  const { n, ...entry } = call;
  return { calls: { [n]: entry } };
}
