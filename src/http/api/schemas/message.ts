/** What became of a message. */
import { channelTypeWord } from './common.ts';
import { deliveryOut } from './deliveries.ts';
import {
  count,
  listOf,
  openWords,
  orNull,
  ourId,
  responseObject,
  string,
  timestamp,
} from '../../validation/json-schema.ts';

const statusWord = openWords(['sent', 'delivered', 'read', 'failed']);

const reached = responseObject('MessageStatus', {
  status: statusWord,
  at: { ...timestamp, description: 'When upstream says so; never before the one before' },
});

const copy = responseObject('MessageCopy', {
  at: { ...timestamp, description: 'When the call to upstream began' },
  ended_at: { ...orNull(timestamp), description: 'null: it is under way, or nobody lived to see its end' },
  outcome: {
    ...orNull(openWords(['accepted', 'unknown'])),
    description: '`unknown`: it may have been sent; null: under way',
  },
});

export const timelineFields = {
  message_id: ourId,
  channel_id: ourId,
  channel_type: channelTypeWord,
  origin: {
    ...openWords(['service', 'echo']),
    description: '`echo`: sent beside the service, tracked by `echo_statuses`',
  },
  recipient: string,
  state: openWords(['queued', 'sent', 'failed']),
  status: { ...orNull(statusWord), description: 'The current one; null: nothing was told yet' },
  created_at: timestamp,
  statuses: { ...listOf(reached), description: 'Each that upstream has told, in the order of their times' },
  upstream_ids: {
    ...listOf(string),
    description: "Upstream's own ids, for asking its support; no call of this API takes them",
  },
  next_try_at: {
    ...orNull(timestamp),
    description: 'When a call that upstream refused for now is made again',
  },
  error: orNull(string),
  error_code: { ...orNull(count), description: "Upstream's code" },
  deliveries: { ...listOf(deliveryOut), description: 'The webhooks that tell of it' },
};

export const messageOut = responseObject('MessageOut', {
  ...timelineFields,
  copies: { ...listOf(copy), description: 'Calls that may have sent it, oldest first' },
});
