import type { Pass } from '../../../domain/accounts/person.ts';
import { dayMs, entity } from './entity.ts';
import { integer, text } from './fields.ts';

/** `accountId`: the person's id. They were one while an account had one person, and files and databases keep the name. */
export type StoredPass = Omit<Pass, 'personId'> & { accountId: string };

export const passes = entity<StoredPass>('passes', {
  fields: {
    id: text(),
    accountId: text(),
    kind: text(),
    passwordVersion: text(),
    createdAt: integer(),
    expiresAt: integer({ isDate: true }),
  },
  isTaken: true,
  indexes: {
    ofAccount: {
      on: ['accountId', 'kind', 'createdAt', 'id'],
      file: 'passes_of_account',
      database: 'of_account',
    },
    // A day late on purpose: it cleans up, the time itself is compared in the queries.
    byExpiry: { on: ['expiresAt'], file: 'passes_by_expiry', database: 'expiry', expiresAfterMs: dayMs },
  },
});
