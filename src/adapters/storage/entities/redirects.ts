import type { Redirect } from '../../../domain/accounts/account.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, text, textOrNull } from './fields.ts';

/**
 * `place`: which of its key's places it takes; `uniquePattern`: its pattern. However many are added at once, no two take one place
 * or have one pattern. Null in what was kept before: those may be twins.
 */
export type KeptRedirect = Redirect & { place: number | null; uniquePattern: string | null };

export const redirects = entity<KeptRedirect>('redirects', {
  fields: {
    id: text(),
    accountId: text(),
    apiKeyId: text(),
    uriPattern: text(),
    createdAt: integer(),
    place: integerOrNull(),
    uniquePattern: textOrNull({ inDocument: 'unique' }),
  },
  indexes: {
    ofKey: { on: ['apiKeyId', 'createdAt', 'id'], file: 'redirects_of_key', database: 'of_key' },
    place: { on: ['apiKeyId', 'place'], isUnique: true, file: 'redirects_by_place', database: 'place' },
    // Not on `uriPattern`: twins would stop the index, and the start.
    pattern: {
      on: ['apiKeyId', 'uniquePattern'],
      isUnique: true,
      where: { present: 'uniquePattern' },
      file: 'redirects_by_pattern',
      database: 'pattern',
    },
  },
});
