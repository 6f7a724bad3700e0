import { integer, text } from './fields.ts';
import { Table } from './table.ts';

/** The last epoch. `channelId` '*': the whole process, see `embedded/index.ts`. */
export const owners = new Table<{ channelId: string; epoch: number }>(
  'owners',
  { channelId: text(), epoch: integer() },
  { key: ['channel_id'] },
);
