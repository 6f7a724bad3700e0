import type { Person } from '../../../domain/accounts/person.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';

export const people = entity<Person>('people', {
  fields: {
    id: text(),
    email: uniqueText(),
    passwordHash: textOrNull(),
    passwordVersion: text(),
    confirmedAt: integerOrNull(),
    createdAt: integer(),
  },
  indexes: { email: { on: ['email'], isUnique: true, database: 'email' } },
});
