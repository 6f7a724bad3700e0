import { entity } from '../../storage/entities/entity.ts';
import { id, integer, text } from '../../storage/entities/fields.ts';

/** On this channel the name `name` is of the person with the name `sameAs`: numbers and business-scoped ids, as upstream has said. */
export interface PersonName {
  /** Derived from channel and name. */
  id: string;
  accountId: string;
  channelId: string;
  name: string;
  sameAs: string;
  /** When upstream last said so, to about a day (ms). */
  createdAt: number;
}

export const personNames = entity<PersonName>('person_names', {
  fields: {
    id: id(),
    accountId: id(),
    channelId: id(),
    name: text(),
    sameAs: text(),
    createdAt: integer(),
  },
  indexes: {
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'person_names_of_account',
      database: 'of_account',
    },
    byName: {
      on: ['accountId', 'name', 'createdAt', 'id'],
      file: 'person_names_by_name',
      database: 'by_name',
    },
    bySame: {
      on: ['accountId', 'sameAs', 'createdAt', 'id'],
      file: 'person_names_by_same',
      database: 'by_same',
    },
  },
});
