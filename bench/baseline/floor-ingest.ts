import type { Write } from '../../src/storage/journal/writes.ts';
import { channelOf } from './floor-world.ts';
import type { FloorWorld } from './floor-world.ts';
import { isSigned } from './serve.ts';
import type { Answer } from './serve.ts';
import { readPost } from './wire.ts';
import type { PostedValue } from './wire.ts';

/** Accepts a POST of statuses: checks the signature, parses, makes one durable commit, answers 200. [architecture §6.1] */
export function makeFloorIngest(world: FloorWorld): Answer {
  return async (request, body) => {
    if (!isSigned(world.appSecret, body, request.headers['x-hub-signature-256']))
      throw new Error('wrong signature');
    const { metadata, statuses = [] } = readPost(body);
    const { id, epoch } = channelOf(world, metadata.phone_number_id);
    await world.store.commit(id, epoch, statuses.map(writeOf));
    return '"EVENT_RECEIVED"';
  };
}

function writeOf({ id, status, biz_opaque_callback_data: messageId }: Status): Write {
  return {
    write: 'recordStatus',
    messageId,
    channelType: 'chatapp',
    status,
    upstreamId: id,
    at: Date.now(),
  };
}

type Status = NonNullable<PostedValue['statuses']>[0];
