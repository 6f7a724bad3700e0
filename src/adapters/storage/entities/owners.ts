import { entityBy } from './entity.ts';
import { integer, text } from './fields.ts';

/** The last epoch of each channel. A file has one entry, '*', for the whole process. */
export const owners = entityBy<{ channelId: string; epoch: number }>('owners', ['channelId'], {
  fields: { channelId: text(), epoch: integer() },
  indexes: {},
  shardKey: { _id: 'hashed' },
});
