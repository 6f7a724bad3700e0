import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';
import type { ActorKind } from '../../rules/caller.ts';

export const audit = entity<AuditEntry>('audit', {
  fields: {
    id: text(),
    accountId: textOrNull(),
    actor: text(),
    actorName: textOrNull(),
    action: text(),
    subject: textOrNull(),
    before: jsonOrNull(),
    after: jsonOrNull(),
    address: textOrNull(),
    requestId: textOrNull(),
    createdAt: integer(),
    times: integer({ before: 1 }),
    lastAt: integerOrNull(),
  },
  indexes: {
    byAge: { on: ['createdAt', 'id'], file: 'audit_by_age', database: 'by_age' },
    ofAccount: { on: ['accountId', 'createdAt', 'id'], file: 'audit_of_account', database: 'of_account' },
    ofAccountAndActor: {
      on: ['accountId', 'actor', 'createdAt', 'id'],
      file: 'audit_of_account_and_actor',
      database: 'of_account_and_actor',
    },
    ofActor: { on: ['actor', 'createdAt', 'id'], file: 'audit_of_actor', database: 'of_actor' },
    ofAction: { on: ['action', 'createdAt', 'id'], file: 'audit_of_action', database: 'of_action' },
  },
});

/** `service`: the change follows from no request. */

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
