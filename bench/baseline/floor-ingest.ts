import type { Write } from '../../src/storage/journal/writes.ts';
import type { FloorWorld } from './floor-world.ts';
import { isSigned } from './serve.ts';
import type { Answer } from './serve.ts';
import { readPost } from './wire.ts';
import type { UpstreamPost } from './wire.ts';

/** Accepts a POST of statuses: checks the signature, parses, makes one durable commit, answers 200. [architecture §6.1] */
export function makeFloorIngest({ store, channelId, epoch, appSecret }: FloorWorld): Answer {
  return async (request, body) => {
    if (!isSigned(appSecret, body, request.headers['x-hub-signature-256']))
      throw new Error('wrong signature');
    const writes = readPost(body).entry.flatMap(({ changes }) =>
      changes.flatMap(({ value }) => (value.statuses ?? []).map(writeOf)),
    );
    await store.commit(channelId, epoch, writes);
    return '"EVENT_RECEIVED"';
  };
}

function writeOf({ id, status, biz_opaque_callback_data: messageId }: Status): Write {
  return { write: 'recordStatus', messageId, status, upstreamId: id, at: Date.now() };
}

type Status = NonNullable<UpstreamPost['entry'][0]['changes'][0]['value']['statuses']>[0];
