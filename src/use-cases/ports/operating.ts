/** What the nodes do without being asked: mails, due work, ownership. */
import type { SealedText } from '../../domain/accounts/sealed.ts';
import type { LeftOut } from '../../domain/messages/facts.ts';
import type { PageRequest, Page } from './paging.ts';

export interface StoredMail {
  id: string;
  accountId: string;
  kind: string;
  subject: string;
  /** Its opening and the first `maxMailLines`; the last one says how many more there were. */
  lines: string[];
  /** What `linkPlace` among the lines stands for; null: there is none, it was sent, or its time is over. */
  link: SealedText | null;
  /** Whom it is for; null: the account's address, as it is when the mail is sent. */
  recipient: string | null;
  sendAfter: number;
  sentAt: number | null;
  createdAt: number;
}

export interface MailStore {
  list(accountId: string | null, page: PageRequest): Promise<Page<StoredMail>>;
  /** One that is complete. False when its id is taken: then nothing changes. */
  add(mail: StoredMail): Promise<boolean>;
  /** Ids of unsent mails whose time has come, the longest due first. */
  due(now: number, limit: number): Promise<string[]>;
  /** null: sent, or never stored. */
  unsent(mailId: string): Promise<StoredMail | null>;
  /** An unsent one is not due before this. */
  postpone(mailId: string, sendAfter: number): Promise<void>;
  /** Its link is erased. */
  markSent(mailId: string, now: number): Promise<void>;
  /** Erases the links of mails written before this. Answers how many there were. */
  dropLinks(before: number): Promise<number>;
  /** Erases mails written before this, sent or not, but for those of one kind. Answers how many went. */
  dropOlder(before: number, butOfKind: string): Promise<number>;
}

/**
 * Items of upstream that became no fact and should perhaps have, one entry for all of one shape at one place; and messages whose files
 * ended the nodes that fetched them (`ended_node`).
 */
export interface QuarantinedItem extends Omit<LeftOut, 'reason'> {
  reason: LeftOut['reason'] | 'ended_node';
  /** What can be tried again, as JSON under `sealContext.aside`; null: only its shape is kept. */
  sealed: SealedText | null;
  /** Made of what it is: the same again adds to it. */
  id: string;
  /** null: nobody knows, or nobody has connected that identity. */
  channelId: string | null;
  accountId: string | null;
  /** First seen. */
  createdAt: number;
  lastSeenAt: number;
}

export interface QuarantineStore {
  /** Adds the times of each to what stands under its id, which keeps the rest. */
  add(items: readonly QuarantinedItem[]): Promise<void>;
  /** First seen last comes first. */
  list(page: PageRequest): Promise<Page<QuarantinedItem>>;
  find(id: string): Promise<QuarantinedItem | null>;
  /** False: there is none. */
  drop(id: string): Promise<boolean>;
  /** Keeps about the `max` that were seen last, and none last seen before `before`. Answers how many went. */
  trim(max: number, before: number): Promise<number>;
}

/** Work whose time has come although nobody may be waiting for it. [architecture §6.6] */
export interface DueWorkStore {
  /** Channels with a pending delivery or an unfinished send due at or before `now`. */
  channelsWithDueWork(now: number, limit: number): Promise<string[]>;
  /** Channels with an unfinished send that no owner has loaded yet (`SendStore.insertUnlessTaken`). Cheap when there are none. */
  channelsWithUntakenSends(limit: number): Promise<string[]>;
  /** Erases delivered and failed deliveries and finished messages' bookkeeping older than this. */
  dropFinished(before: number): Promise<number>;
}

/** Who may act for a channel: one document per channel whose epoch only ever grows. [architecture §4] */
export interface OwnerStore {
  /**
   * Makes `owner` the owner under an epoch higher than every one before, whatever Redis has forgotten. `previous`: the incarnation
   * that owned it last, null for the first.
   */
  mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
    now: number,
    /** How much higher than the last; 1 unless given. */
    step?: number,
  ): Promise<{ epoch: number; previous: string | null }>;
  /** Who minted last, of the channels that ever had an owner. */
  lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>>;
}

interface LastOwner {
  epoch: number;
  incarnation: string;
}

/** `alone`: there is no other node. `unsure`: the lock service says nothing; it goes on with what it owns. `lost`: it owns nothing. */
export type LeaseState = 'alone' | 'held' | 'unsure' | 'lost';

/** What runs there, and how hard it works. */
export interface NodeRun {
  version: string;
  /** Share of the last seconds in which its event loop had something to do: 0 to 1. */
  busy: number;
  memoryBytes: number;
}

/** What a node says of itself. */
export interface NodeStatus extends NodeRun {
  lease: LeaseState;
  /** Of the channels that live there. */
  sendsOpen: number;
  sendsWaiting: number;
  /** Age of the oldest that is open. */
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
  /** null: it did not answer at once. */
  status: NodeStatus | null;
}

/** What operators and readiness ask of the nodes; fulfilled by the cluster, and by one node alone. */
export interface ClusterView {
  nodes(): Promise<NodeInsight[]>;
  /** Id of the node that owns the channel. */
  whereIs(channelId: string): Promise<string>;
  /**
   * That node hands its channels over and takes none until it is started anew; null: this one. Resolves when all are gone. Throws 404
   * `not_found` where no such node lives, 503 `unavailable` when it can't be asked: then nothing may have begun.
   */
  drain(nodeId: string | null): Promise<void>;
  /** Tells the other nodes to forget what they cache of it (`CacheControl`). */
  changed(change: { channelId?: string; apiKeyId?: string }): void;
}
