import type { Person, Role, Pass } from '../../rules/person.ts';
import { entity } from '../../storage/entities/entity.ts';
import {
  integer,
  integerOrNull,
  jsonOrNull,
  text,
  textOrNull,
  uniqueText,
} from '../../storage/entities/fields.ts';
import { dayMs } from '../../kernel/clock.ts';

/** `accountId` is null for an account's first person, whose id is the account's: older versions stored one person per account that way. */
export type StoredPerson = Omit<Person, 'accountId'> & { accountId: string | null };

export const people = entity<StoredPerson>('people', {
  fields: {
    id: text(),
    email: uniqueText(),
    passwordHash: textOrNull(),
    passwordVersion: text(),
    confirmedAt: integerOrNull(),
    createdAt: integer(),
    accountId: textOrNull(),
    role: text<Role>({ before: 'owner' }),
    lastSeenAt: integerOrNull(),
    homeSeenAt: integerOrNull(),
    homeSince: integerOrNull(),
    stepSecret: textOrNull(),
    stepUsed: integerOrNull(),
    stepSince: integerOrNull(),
    mailTopics: jsonOrNull(),
  },
  indexes: {
    email: { on: ['email'], isUnique: true, database: 'email' },
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'accountId' },
      file: 'people_of_account',
      database: 'of_account',
    },
    withStep: {
      on: ['stepSince', 'id'],
      where: { present: 'stepSince' },
      file: 'people_with_step',
      database: 'with_step',
    },
  },
});

/** `accountId` holds the person's id; stored data of older versions has this name. */
export type StoredPass = Omit<Pass, 'personId'> & { accountId: string };

export const passes = entity<StoredPass>('passes', {
  fields: {
    id: text(),
    accountId: text(),
    kind: text(),
    passwordVersion: text(),
    createdAt: integer(),
    expiresAt: integer({ isDate: true }),
    address: textOrNull(),
    agent: textOrNull(),
    seenAt: integerOrNull(),
    email: textOrNull(),
  },
  isTaken: true,
  indexes: {
    ofAccount: {
      on: ['accountId', 'kind', 'createdAt', 'id'],
      file: 'passes_of_account',
      database: 'of_account',
    },
    // A day late on purpose: the index only cleans up, queries compare the time themselves.
    byExpiry: { on: ['expiresAt'], file: 'passes_by_expiry', database: 'expiry', expiresAfterMs: dayMs },
  },
});
