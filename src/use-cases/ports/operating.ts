/** Work that nodes do without a request: mails, due work, jobs, ownership. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { UnparsedItem } from '../../domain/messages/facts.ts';
import type { PageRequest, Page } from './paging.ts';

export interface StoredMail {
  id: string;
  accountId: string;
  kind: string;
  subject: string;
  /** Opening line and the first `maxMailLines` lines; the last one counts the omitted lines. */
  lines: string[];
  /** URL that replaces `linkPlace` in the lines; null: no link, mail sent, or link expired. */
  link: SealedText | null;
  /** Recipient's address; null: the account's address at the time of sending. */
  recipient: string | null;
  sendAfter: number;
  sentAt: number | null;
  createdAt: number;
}

export interface MailStore {
  list(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  /** Adds a complete mail. False, and nothing changes, if its id is taken. */
  add(mail: StoredMail): Promise<boolean>;
  /** Ids of unsent mails that are due, longest due first. */
  due(now: number, limit: number): Promise<string[]>;
  /** null if sent or never stored. */
  unsent(mailId: string): Promise<StoredMail | null>;
  /** Delays an unsent mail until `sendAfter`. */
  postpone(mailId: string, sendAfter: number): Promise<void>;
  /** Also erases the link. */
  markSent(mailId: string, now: number): Promise<void>;
  /** Erases the links of mails created before this. Returns their number. */
  dropLinks(before: number): Promise<number>;
  /** Erases mails created before this, sent or not, except one kind. Returns their number. */
  dropOlder(before: number, butOfKind: string): Promise<number>;
}

/**
 * Items of upstream that no parser could turn into a fact, one entry per shape and place; and messages whose files
 * crashed the nodes that fetched them (`ended_node`).
 */
export interface QuarantinedItem extends Omit<UnparsedItem, 'reason'> {
  reason: UnparsedItem['reason'] | 'ended_node';
  /** JSON of the retryable item, under `sealContext.aside`; null: only its shape is kept. */
  sealed: SealedText | null;
  /** Derived from the item: a repeated item adds to the same entry. */
  id: string;
  /** null: unknown, or no channel has that identity. */
  channelId: string | null;
  accountId: string | null;
  /** Time of the first such item. */
  createdAt: number;
  lastSeenAt: number;
}

export interface QuarantineStore {
  /** Adds each item's `times` to the stored entry of its id, whose other fields are kept. */
  add(items: readonly QuarantinedItem[]): Promise<void>;
  /** Latest first seen first. */
  list(page: PageRequest): Promise<Page<QuarantinedItem>>;
  find(id: string): Promise<QuarantinedItem | null>;
  /** False if there is no such entry. */
  drop(id: string): Promise<boolean>;
  /** Keeps about `max` entries, the last seen ones, and none last seen before `before`. Returns the number of dropped entries. */
  trim(max: number, before: number): Promise<number>;
}

/** Due work, which exists even if no request waits for it. [architecture §6.6] */
export interface DueWorkStore {
  /** Channels with a pending delivery or an unfinished send due at or before `now`. */
  channelsWithDueWork(now: number, limit: number): Promise<string[]>;
  /** Channels with an unfinished send that no owner has loaded yet (`SendStore.insertUnlessTaken`). Cheap if there are none. */
  channelsWithUntakenSends(limit: number): Promise<string[]>;
  /**
   * Erases older deliveries that have ended, and the bookkeeping of older finished messages, in slices. Takes no further slice once the
   * signal has aborted. Returns the number of erased records.
   */
  dropFinished(before: number, stopping?: AbortSignal): Promise<number>;
}

/** Who may act for a channel: one document per channel whose epoch only ever grows. [architecture §4] */
export interface OwnerStore {
  /**
   * Makes `owner` the owner under an epoch higher than every earlier one, even if Redis has lost its data. `previous`: the incarnation
   * of the last owner; null for the first.
   */
  mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
    now: number,
    /** Increase of the epoch; default 1. */
    step?: number,
  ): Promise<{ epoch: number; previous: string | null }>;
  /** Last owner of each of these channels; channels that never had an owner are missing. */
  lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>>;
}

interface LastOwner {
  epoch: number;
  incarnation: string;
}

/** `alone`: single node. `unsure`: the lock service does not answer; the node keeps its channels. `lost`: the node owns nothing. */
export type LeaseState = 'alone' | 'held' | 'unsure' | 'lost';

/** Version and load of a node. */
export interface NodeRun {
  version: string;
  /** Utilisation of the event loop in the last seconds: 0 to 1. */
  busy: number;
  memoryBytes: number;
}

/** A node's report about itself. */
export interface NodeStatus extends NodeRun {
  lease: LeaseState;
  /** Sums over the channels that the node owns. */
  sendsOpen: number;
  sendsWaiting: number;
  /** Age of the oldest open send. */
  oldestSendMs: number;
  deliveriesPending: number;
  oldestDeliveryMs: number;
  receiversFailing: number;
}

export interface NodeInsight {
  nodeId: string;
  channelsOwned: number;
  startedAt: number;
  draining: boolean;
  /** null: the node did not answer in time. */
  status: NodeStatus | null;
}

/** View of the nodes for operators and readiness; implemented by the cluster and by a single node. */
export interface ClusterView {
  nodes(): Promise<NodeInsight[]>;
  /** Id of the node that owns the channel. */
  whereIs(channelId: string): Promise<string>;
  /**
   * Lets a node (null: this node) hand over its channels and acquire none until its next start. Resolves when it owns none. Throws 404
   * `not_found` if no such node is alive, 503 `unavailable` if it can't be asked: then the drain may not have begun.
   */
  drain(nodeId: string | null): Promise<void>;
  /** Tells the other nodes to evict their cached copies. */
  changed(change: { channelId?: string; apiKeyId?: string }): void;
}

// Background jobs: each is run by one node of the cluster, at least once, and retried if it fails.

/** Payload of each job, with the id of the request that caused it. Ids only, because Redis may store it unsealed. [faults: I10] */
export interface JobPayloads {
  /** An inactive channel; its asset's webhook subscription may be unnecessary. */
  'unsubscribe-asset': { channelId: string; requestId?: string };
  /** A channel that changed according to upstream. */
  'look-at-channel': { channelId: string; requestId?: string };
}

type JobName = keyof JobPayloads;

export interface JobQueue {
  /** Throws Fault `overloaded` or `unavailable`: then the job will not run. */
  enqueue<N extends JobName>(name: N, data: JobPayloads[N]): Promise<void>;
}

/** Worker of each job; a job whose worker rejects is retried. */
export type JobWorkers = { [N in JobName]: (data: JobPayloads[N]) => Promise<void> };
