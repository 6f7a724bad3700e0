/** The audit log: who changed what. */
import type { PageRequest, Page, TwoWayPage, TwoWayPageRequest } from '../../kernel/paging.ts';

/** `service`: the change follows from no request. */
export const actorKinds = ['operator', 'person', 'key', 'service'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Entries kept per account for its keys, and as many for its people; the oldest are dropped. [operator-interface §3] */
export const mostAudited = 10_000;

/** Fields of a changed object as the log shows them to everybody who may read it: no secrets, no message content. */
export type Shown = Readonly<Record<string, string | number | boolean | null>>;

export interface AuditEntry {
  id: string;
  /** null: the change belongs to the whole service. */
  accountId: string | null;
  actor: ActorKind;
  /** E-mail address of a person, id of a key; null for an actor without a name. */
  actorName: string | null;
  /** For example `channel.updated`. */
  action: string;
  /** Id of the changed object; null for several objects, or for one without an id. */
  subject: string | null;
  /** The changed fields only; null if the object did not exist, or if nothing can be shown. */
  before: Shown | null;
  after: Shown | null;
  /** IP address of the client; null for the service itself. */
  address: string | null;
  requestId: string | null;
  /** Time of the first such change. */
  createdAt: number;
  /** How many changes the entry stands for; more than one: they were equal, or too many to be listed (then without subject and values). */
  times: number;
  /** Time of the last of them; null in entries of older versions. */
  lastAt: number | null;
}

/** An omitted field matches everything. Times in ms. */
export interface AuditFilter {
  accountId?: string;
  actor?: ActorKind;
  action?: string;
  since?: number;
  until?: number;
}

export interface AuditStore {
  /** Adds the entry, or its `times` to the stored one of its id, whose other fields stay; `lastAt` never moves back. */
  add(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** As `list`, in either direction. */
  listTwoWay(filter: AuditFilter, page: TwoWayPageRequest): Promise<TwoWayPage<AuditEntry>>;
  /** Returns the number of dropped entries. */
  dropOlder(before: number, stopping?: AbortSignal): Promise<number>;
  /** Ids of accounts that have entries, in order, the first `limit` after `accountId`. */
  accountsAfter(accountId: string, limit: number): Promise<string[]>;
  /**
   * Keeps `count` entries of the account by this kind of actor. If there are more, the oldest of those actors go who have the most, so that
   * none displaces the entries of another. Returns the number of dropped entries.
   */
  keepNewest(
    of: { accountId: string; actor: ActorKind },
    count: number,
    stopping?: AbortSignal,
  ): Promise<number>;
}
