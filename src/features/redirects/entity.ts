import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

/** An allowed redirect URI pattern, bound to one API key. [spec: Redirect, Authentication 5] */
export interface Redirect {
  id: string;
  accountId: string;
  apiKeyId: string;
  uriPattern: string;
  createdAt: number;
}

/**
 * `place`: its place among its API key's redirects. `uniquePattern`: a copy of its pattern. Both are unique per key, so that concurrent
 * inserts never share a place or a pattern. Null in items of older versions, which may have equal patterns.
 */
export type StoredRedirect = Redirect & { place: number | null; uniquePattern: string | null };

export const redirects = entity<StoredRedirect>('redirects', {
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
    // Not on `uriPattern`: equal patterns would make creating the index fail, and with it the start.
    pattern: {
      on: ['apiKeyId', 'uniquePattern'],
      isUnique: true,
      where: { present: 'uniquePattern' },
      file: 'redirects_by_pattern',
      database: 'pattern',
    },
  },
});
