import type { SealedBytes } from '../../kernel/sealed.ts';
import type { TranscribedAttempt } from '../../rules/webhooks/transcript.ts';
import type { KeptFilter } from '../../storage/kept-deliveries.ts';
import type { DeliveryHour } from './hours.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, text, bytes, flag, jsonOrNull } from '../../storage/entities/fields.ts';

/** Transcript of a delivery attempt: the request sent and the answer received. */
export interface KeptTranscript extends Omit<TranscribedAttempt, 'transcript'> {
  id: string;
  createdAt: number;
  content: SealedBytes;
}

/** A client's request to post all given-up deliveries of a time range again. */
export interface Replay extends KeptFilter {
  id: string;
  channelId: string;
  accountId: string;
  /** Number of matching deliveries at the time of the request. */
  total: number;
  createdAt: number;
  /** Time of the request (ms); null once all its deliveries are pending again. */
  openSince: number | null;
}

export const deliveryHours = entity<DeliveryHour>('delivery_hours', {
  fields: {
    id: text(),
    accountId: text(),
    at: integer(),
    delivered: integer(),
    retried: integer(),
    givenUp: integer(),
    within20ms: integer(),
    within50ms: integer(),
    within100ms: integer(),
    within200ms: integer(),
    within500ms: integer(),
    within1s: integer(),
    within2s: integer(),
    within5s: integer(),
    within10s: integer(),
    within30s: integer(),
    within1min: integer(),
    within5min: integer(),
    within20min: integer(),
    later: integer(),
  },
  indexes: {
    ofAccount: { on: ['accountId', 'at'], file: 'delivery_hours_of_account', database: 'of_account' },
    byAge: { on: ['at'], file: 'delivery_hours_by_age', database: 'by_age' },
  },
});

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
    ofAccount: { on: ['accountId', 'createdAt', 'id'], file: 'replays_of_account', database: 'of_account' },
    openOfAccount: {
      on: ['accountId', 'createdAt', 'id'],
      where: { present: 'openSince' },
      file: 'open_replays_of_account',
      database: 'open_of_account',
    },
    byAge: { on: ['createdAt'], file: 'replays_by_age', database: 'by_age' },
  },
});
