import type { Replay } from '../../../use-cases/ports/kept-deliveries.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, jsonOrNull, text } from './fields.ts';

export const replays = entity<Replay>('replays', {
  fields: {
    id: text(),
    channelId: text(),
    accountId: text(),
    since: integer(),
    until: integer(),
    events: jsonOrNull(),
    total: integer(),
    createdAt: integer(),
    openSince: integerOrNull(),
  },
  indexes: {
    open: {
      on: ['channelId', 'openSince', 'id'],
      where: { present: 'openSince' },
      file: 'open_replays',
      database: 'open',
    },
    ofChannel: { on: ['channelId', 'createdAt', 'id'], file: 'replays_of_channel', database: 'of_channel' },
    byAge: { on: ['createdAt'], file: 'replays_by_age', database: 'by_age' },
  },
});
