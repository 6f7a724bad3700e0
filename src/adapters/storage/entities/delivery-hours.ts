import type { DeliveryHour } from '../../../domain/webhooks/delivery-hour.ts';
import { entity } from './entity.ts';
import { integer, text } from './fields.ts';

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
