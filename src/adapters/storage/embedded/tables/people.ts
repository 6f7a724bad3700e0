import type { Pass, Person } from '../../../../domain/accounts/person.ts';
import { id, integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';
import { Table } from './table.ts';

export const people = new Table<Person>('people', {
  id: id(),
  email: uniqueText(),
  passwordHash: textOrNull(),
  passwordVersion: text(),
  confirmedAt: integerOrNull(),
  createdAt: integer(),
});

export const passes = new Table<Pass>(
  'passes',
  {
    id: id(),
    accountId: text(),
    kind: text(),
    passwordVersion: text(),
    createdAt: integer(),
    expiresAt: integer(),
  },
  { indexes: { passes_by_expiry: '(expires_at)' } },
);
