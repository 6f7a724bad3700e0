import type { Person, Role } from '../../../domain/accounts/person.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';

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
  },
  indexes: {
    email: { on: ['email'], isUnique: true, database: 'email' },
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'accountId' },
      file: 'people_of_account',
      database: 'of_account',
    },
  },
});
