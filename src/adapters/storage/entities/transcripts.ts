import type { KeptTranscript } from '../../../use-cases/ports/delivery-log.ts';
import { entity } from './entity.ts';
import { bytes, flag, integer, text } from './fields.ts';

export const transcripts = entity<KeptTranscript>('transcripts', {
  fields: {
    id: text(),
    accountId: text(),
    channelId: text(),
    deliveryId: text(),
    startedAt: integer(),
    isTaken: flag(),
    createdAt: integer(),
    content: bytes(),
  },
  indexes: {
    ofDelivery: {
      on: ['deliveryId', 'createdAt', 'id'],
      file: 'transcripts_of_delivery',
      database: 'of_delivery',
    },
    ofChannel: {
      on: ['channelId', 'isTaken', 'createdAt', 'id'],
      file: 'transcripts_of_channel',
      database: 'of_channel',
    },
  },
});
