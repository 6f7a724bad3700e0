/** The writes of a channel's owner. */
import type { SealedText } from '../../kernel/sealed.ts';
import type { EndedCall, DeliveryStatus, OutboundMessage } from '../../rules/messages/message.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import type { Delivery } from '../../rules/webhooks/delivery.ts';

/**
 * An `UnmatchedFact` or a `PendingInbound` as stored. Sealed because an echo contains message text, which the store must not see in clear.
 * [faults: I10]
 */
export interface SealedUnmatchedFact {
  id: string;
  fact: SealedText;
  expiresAt: number;
  /** null: only an event from upstream ends the wait. */
  dueAt: number | null;
  /** Of a message with files: fetches that have begun and not ended. [faults: 102] */
  tries: number;
}

/** Intents are compare-and-set and may not apply; facts are monotonic and always apply. [architecture §4] */
export type Write =
  /** Intent: claims the first copy. Applies only when no document has this id. */
  | { write: 'insertMessage'; message: OutboundMessage }
  /**
   * Intent: claims one more upstream call. Applies while the message is `sending` or `queued` and its `copies` and `tries` equal `expect`;
   * sets state `sending`, adds one to both, stores `attemptedAt` and the epoch, clears `nextTryAt`. `before`: the previous call; its start
   * is logged unless its end is logged.
   */
  | {
      write: 'claimCopy';
      messageId: string;
      expect: { copies: number; tries: number };
      attemptedAt: number;
      before?: Pick<EndedCall, 'n' | 'at'>;
    }
  /**
   * Fact: upstream accepted. State `sent` from any state, rank at least `rank` with the times of its steps, `statusAt` at least `at`,
   * upstream id added, `call` logged, content erased. `channelType`: that of the message, which may save the store a read.
   */
  | {
      write: 'recordAccepted';
      messageId: string;
      upstreamId: string | null;
      rank: number;
      at: number;
      call?: EndedCall;
      channelType?: ChannelType;
    }
  /**
   * Fact: definitely not sent. Back to `queued`, one copy less, due again at `nextTryAt`. No effect unless `sending`. `attemptedAt`: the start
   * of an earlier call that may have gone out.
   */
  | {
      write: 'recordDeferred';
      messageId: string;
      nextTryAt: number;
      error: string;
      errorCode: number | null;
      call?: EndedCall;
      attemptedAt?: number;
    }
  /** Fact: unknown outcome. `sending` becomes `queued`. */
  | { write: 'recordUnknown'; messageId: string; call?: EndedCall }
  /** Terminal `failed`, since `at`; content erased. No effect once `sent`. */
  | {
      write: 'recordFailed';
      messageId: string;
      error: string;
      errorCode: number | null;
      at: number;
      call?: EndedCall;
    }
  /**
   * Fact: upstream reported this status. Rank at least that of `status` (or `deliveryFailed`), state `sent` unless the message is an
   * abandoned marker, `statusAt` at least `at`, the status's own time at most `at`, upstream id added, content erased. A store may leave
   * `statusAt` as it is when nothing else of the message changes. `why`: with `failed` only. `channelType` makes it cheaper, no more.
   */
  | {
      write: 'recordStatus';
      messageId: string;
      channelType?: ChannelType;
      status: DeliveryStatus;
      upstreamId: string | null;
      at: number;
      why?: Pick<OutboundMessage, 'error' | 'errorCode'>;
    }
  /** A message sent outside the service, tracked for its statuses; no effect when the id exists. */
  | { write: 'insertEcho'; message: OutboundMessage }
  /** Stores an unmatched fact or a pending message until it expires; replaces a record with the same id. */
  | { write: 'keepWaiting'; unmatched: SealedUnmatchedFact }
  | { write: 'dropWaiting'; unmatchedIds: string[] }
  /** No effect when the id exists; the result is then not applied. */
  | { write: 'insertDelivery'; delivery: Delivery }
  /**
   * As `insertDelivery`, for the owner of an endpoint, which the delivery names: it has not claimed it, so the epoch is that of the
   * delivery. Stored before what the rest of the commit makes look done.
   */
  | { write: 'insertCopy'; delivery: Delivery }
  /** Intent: applies while the delivery is pending with this many attempts; stores the epoch. */
  | { write: 'claimDelivery'; deliveryId: string; attempts: number; claims: number }
  /** Outcome of an attempt. Erases the payload in the same write if `delivered`, or `failed` without `kept`. */
  | { write: 'recordAttempt'; deliveryId: string; attempt: DeliveryAttempt }
  /**
   * Intent: tries a given-up delivery again. Applies while it is kept since `keptSince`; makes it pending, without attempts, due at `at`,
   * and stores the epoch.
   */
  | { write: 'reviveDelivery'; deliveryId: string; keptSince: number; at: number }
  /** Adds a line to a mail of the outbox; creates the mail when its id is new. */
  | { write: 'addMail'; mail: MailLine };

export interface DeliveryAttempt {
  state: Delivery['state'];
  attempts: number;
  firstTriedAt: number;
  nextDueAt: number;
  lastResult: string;
  /** The complete log, so that a repeated write changes nothing. */
  attemptLog: string | null;
  /** Only with `failed`: the payload stays. `keptBytes`: its size. `keptSince`: when it was given up. */
  kept?: { keptSince: number; keptBytes: number };
}

/** `applied`: false when an insert found its id taken, a claim did not match, or a line was added to a mail that was there. */
export interface WriteResult {
  applied: boolean;
}

/** A line of a mail. Mails leave through an outbox, keyed by account or channel, kind and time bucket. [architecture §6.8] */
export interface MailLine {
  id: string;
  accountId: string;
  kind: 'webhook-warning' | 'webhook-alert' | 'delivery-digest' | 'reconnect';
  subject: string;
  /** First lines of the mail; those of the writer that creates it count. */
  opening: readonly string[];
  line: string;
  /** Not sent before this time (ms), so that a digest collects the lines of its interval. */
  sendAfter: number;
  createdAt: number;
}

/**
 * Called at most once, before the commit resolves, when the whole commit can't be lost any more: every later load of the channel finds it
 * applied, even if this process ends here, while other reads may see it only after the commit resolves. A store that writes everything at
 * once never calls it.
 */
export type WhenCertain = (results: readonly WriteResult[]) => void;
