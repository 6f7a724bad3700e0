/** What a channel puts on record. */
import type { SealedText } from '../../../src/domain/accounts/sealed.ts';
import type { EndedCall } from '../../../src/domain/messages/call-log.ts';
import type { DeliveryStatus, OutboundMessage } from '../../../src/domain/messages/message.ts';
import type { Delivery } from '../../../src/domain/webhooks/delivery.ts';

/** An `UnmatchedFact` or a `PendingInbound` at rest: an echo carries what was written, so the store never sees it in clear. [faults: I10] */
export interface SealedUnmatchedFact {
  id: string;
  fact: SealedText;
  expiresAt: number;
  /** null: only what comes from upstream can end its waiting. */
  dueAt: number | null;
  /** Of a message with files: times that a fetch was begun and did not end. [faults: 102] */
  tries: number;
}

/** Intents are compare-and-set and may not apply; facts are monotonic and always do. [architecture §4] */
export type Write =
  /** Intent: the claim of a first copy. Applies only when no document has this id. */
  | { write: 'insertMessage'; message: OutboundMessage }
  /**
   * Intent: the claim of one more upstream call. Applies while the message is `sending` or `queued` and its `copies` and
   * `tries` are still `expect`; sets state `sending`, adds one to both, stores `attemptedAt` and the epoch, clears
   * `nextTryAt`. `before`: the call before this one, logged with its start unless its end is logged.
   */
  | {
      write: 'claimCopy';
      messageId: string;
      expect: { copies: number; tries: number };
      attemptedAt: number;
      before?: Pick<EndedCall, 'n' | 'at'>;
    }
  /**
   * Fact: upstream accepted. State `sent` from any state, rank at least `rank` with the times of its steps, `statusAt` at least
   * `at`, upstream id added, `call` logged; content erased.
   */
  | {
      write: 'recordAccepted';
      messageId: string;
      upstreamId: string | null;
      rank: number;
      at: number;
      call?: EndedCall;
    }
  /** Fact: definitely not sent. Back to `queued`, one copy less, due again at `nextTryAt`. No effect unless `sending`. */
  | {
      write: 'recordDeferred';
      messageId: string;
      nextTryAt: number;
      error: string;
      errorCode: number | null;
      call?: EndedCall;
    }
  /** Fact: unknown outcome. `sending` becomes `queued`. */
  | { write: 'recordUnknown'; messageId: string; call?: EndedCall }
  /** Terminal `failed`, since `at`, content erased; no effect once `sent`. */
  | {
      write: 'recordFailed';
      messageId: string;
      error: string;
      errorCode: number | null;
      at: number;
      call?: EndedCall;
    }
  /**
   * Fact: upstream reported this status of this message. Rank to at least that of `status` (or `deliveryFailed`), state
   * `sent` unless the message is an abandoned marker, `statusAt` at least `at`, the status's own time at most `at`, upstream id
   * added, content erased. It need not raise `statusAt` of a message that it changes in nothing else. `why`: of a `failed`.
   */
  | {
      write: 'recordStatus';
      messageId: string;
      status: DeliveryStatus;
      upstreamId: string | null;
      at: number;
      why?: Pick<OutboundMessage, 'error' | 'errorCode'>;
    }
  /** A message that went out beside us, tracked for its statuses; no effect when the id exists. */
  | { write: 'insertEcho'; message: OutboundMessage }
  /** Keeps an unmatched fact or a pending message until it expires; replaces what stands under the same id. */
  | { write: 'keepWaiting'; unmatched: SealedUnmatchedFact }
  | { write: 'dropWaiting'; unmatchedIds: string[] }
  /** No effect when the id exists: the result says so. */
  | { write: 'insertDelivery'; delivery: Delivery }
  /** Intent: applies while pending with this many attempts; stores the epoch. */
  | { write: 'claimDelivery'; deliveryId: string; attempts: number; claims: number }
  /** Outcome of an attempt. `delivered`, and `failed` that is not `kept`, erase the payload in the same write. */
  | { write: 'recordAttempt'; deliveryId: string; attempt: DeliveryAttempt }
  /**
   * Intent: what was given up is tried anew. Applies while it is kept since `keptSince`: pending, no attempt made, due at `at`; stores
   * the epoch.
   */
  | { write: 'reviveDelivery'; deliveryId: string; keptSince: number; at: number }
  /** Adds a line to a mail of the outbox, making the mail when its id is new. */
  | { write: 'addMail'; mail: MailLine };

export interface DeliveryAttempt {
  state: Delivery['state'];
  attempts: number;
  firstTriedAt: number;
  nextDueAt: number;
  lastResult: string;
  /** The whole of it: a write that is repeated changes nothing. */
  attemptLog: string | null;
  /** Of `failed` alone: the payload stays, so many bytes of it, kept since then. */
  kept?: { keptSince: number; keptBytes: number };
}

/** `applied`: false when an insert found its id taken or a claim did not match. */
export interface WriteResult {
  applied: boolean;
}

/** Mails leave through an outbox keyed by account or channel, kind and time bucket. [architecture §6.8] */
export interface MailLine {
  id: string;
  accountId: string;
  kind: 'webhook-warning' | 'webhook-alert' | 'delivery-digest' | 'reconnect';
  subject: string;
  /** What the mail begins with; of who makes it. */
  opening: readonly string[];
  line: string;
  /** Not sent before this, so that a digest collects its interval. */
  sendAfter: number;
  createdAt: number;
}

/**
 * Told at most once, and before the answer, when the whole commit can't be lost any more: whoever loads the channel from then on
 * finds it applied, even if this process ends here, while other reads may see it only with the answer. A store that writes
 * everything at once says nothing before it answers.
 */
export type WhenCertain = (results: readonly WriteResult[]) => void;
