import type { SealedHeaders } from '../../rules/webhooks/own-headers.ts';
import type { SealedText } from '../../kernel/sealed.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, json, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

/** A further endpoint of a channel, beside its own `webhook_url`. */
export interface Endpoint {
  id: string;
  accountId: string;
  channelId: string;
  url: string;
  /** null: POSTs are unsigned. Sealed for the owner of the endpoint, as is the previous one. */
  secret: SealedText | null;
  /** The secret before also signs until `previousSecretUntil`. */
  previousSecret: SealedText | null;
  previousSecretUntil: number | null;
  events: string[];
  headers: SealedHeaders | null;
  /** null: it takes events. */
  disabledAt: number | null;
  /** Number of changes. */
  version: number;
  createdAt: number;
}

/** `place` among those of its channel is unique, so that concurrent inserts never exceed their number. */
export type StoredEndpoint = Endpoint & { place: number };

export const endpoints = entity<StoredEndpoint>('endpoints', {
  fields: {
    id: text(),
    accountId: text(),
    channelId: text(),
    place: integer(),
    url: text(),
    secret: textOrNull(),
    previousSecret: textOrNull(),
    previousSecretUntil: integerOrNull(),
    events: json(),
    headers: jsonOrNull(),
    disabledAt: integerOrNull(),
    version: integer(),
    createdAt: integer(),
  },
  indexes: {
    // The primary key.
    byId: { on: ['id'] },
    ofChannel: {
      on: ['channelId', 'createdAt', 'id'],
      file: 'endpoints_of_channel',
      database: 'of_channel',
    },
    place: { on: ['channelId', 'place'], isUnique: true, file: 'endpoints_by_place', database: 'place' },
  },
});
