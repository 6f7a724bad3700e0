import type { Pass } from '../../../domain/accounts/person.ts';
import { dayMs, entity } from './entity.ts';
import { integer, text } from './fields.ts';

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
