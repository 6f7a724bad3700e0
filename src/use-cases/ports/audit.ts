/** Who changed what. */
import type { PageRequest, Page, TurnedPage, TurnRequest } from './paging.ts';

/** `service`: nobody asked at a door. */
export const actorKinds = ['operator', 'person', 'key', 'service'] as const;
export type ActorKind = (typeof actorKinds)[number];

/** Entries that an account keeps of what its keys did, and as many of what its people did; the oldest go. [operator-interface §3] */
export const mostAudited = 10_000;

/** What anybody who may read the log may see of a thing: no secret, nothing that a person wrote to another. */
export type Shown = Readonly<Record<string, string | number | boolean | null>>;

export interface AuditEntry {
  id: string;
  /** Whose it is; null: it belongs to the whole service. */
  accountId: string | null;
  actor: ActorKind;
  /** A person's e-mail address, a key's id; null: there is nothing that tells one from another. */
  actorName: string | null;
  /** `channel.updated` */
  action: string;
  /** Id of what was changed; null: several things, or none that has one. */
  subject: string | null;
  /** The values that changed; null: it was not there, or there is nothing to show. */
  before: Shown | null;
  after: Shown | null;
  /** Of the client; null: the service itself. */
  address: string | null;
  requestId: string | null;
  createdAt: number;
}

/** Left out: whatever it is. Times in ms. */
export interface AuditFilter {
  accountId?: string;
  actor?: ActorKind;
  action?: string;
  since?: number;
  until?: number;
}

export interface AuditStore {
  add(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
  /** As `list`, either way. */
  turn(filter: AuditFilter, page: TurnRequest): Promise<TurnedPage<AuditEntry>>;
  /** Answers how many went. */
  dropOlder(before: number): Promise<number>;
  /** Ids of accounts that have entries, in order, from behind this one on. */
  accountsAfter(accountId: string, limit: number): Promise<string[]>;
  /** Of this account's by such actors the newest `count` stay. Answers how many went. */
  keepNewest(of: { accountId: string; actor: ActorKind }, count: number): Promise<number>;
}
