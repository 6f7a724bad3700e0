import { listChannels, readChannel } from './list.ts';
import { channelHealth } from './health.ts';
import { updateChannel } from './update.ts';
import { deactivateChannel } from './deactivate.ts';
import { apiRoute } from '../route.ts';
import { LazyList } from '../../http/long-json.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { pagingFields } from '../../http/validation/query.ts';
import { channelUpdateRequest, toPatch } from './settings-in-calls.ts';
import * as schemas from './schemas.ts';
import { pageParameters } from '../../http/parameters.ts';

const tag = 'Channels';

/** [spec: Channels] */
export const channelReads = [
  apiRoute({
    get: '/api/v1/channels',
    name: 'listChannels',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Lists the channels of the account, active and inactive',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: schemas.channelListResponse },
    async answer({ caller, page }, { world, clock, graceMs }) {
      const found = await listChannels(world, caller, page);
      const moment = { now: clock.now(), graceMs };
      const channels = new LazyList(found.items, (item) => schemas.channelOut.of({ ...item, moment }));
      return { channels, total: channels.length, ...pagingFields(page, found.nextCursor) };
    },
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}',
    name: 'readChannel',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Returns one channel',
    body: noBody,
    success: { status: 200, schema: schemas.channelOut.schema },
    async answer(call, { world, clock, graceMs }) {
      const found = await readChannel(world, call.caller, call.id('channel_id'));
      return schemas.channelOut.of({ ...found, moment: { now: clock.now(), graceMs } });
    },
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}/health',
    name: 'channelHealth',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Reports whether a channel can send and receive, and why not',
    description:
      'The service checks the channel with upstream, at most once a minute. If upstream does not answer, the last known values are returned; `checked_at` is their time. A field is null if its value is not known.',
    body: noBody,
    success: { status: 200, schema: schemas.channelHealthResponse.schema },
    async answer(call, { world }) {
      return schemas.channelHealthResponse.of(await channelHealth(world, call.caller, call.id('channel_id')));
    },
  }),
];

export const channelChanges = [
  apiRoute({
    patch: '/api/v1/channels/{channel_id}',
    name: 'updateChannel',
    needs: ['channels:write'],
    tag,
    summary: 'Changes the webhook settings of a channel',
    description:
      'An omitted field keeps its value. The first `webhook_url` without a secret generates one. The response shows `webhook_secret` only if this call set or generated it; it is not shown again.',
    body: channelUpdateRequest,
    success: { status: 200, schema: schemas.channelUpdateResponse.schema },
    async answer(call, { world }) {
      const patch = toPatch(call.body);
      return schemas.channelUpdateResponse.of(
        await updateChannel(world, call.caller, call.id('channel_id'), patch),
      );
    },
  }),
  apiRoute({
    delete: '/api/v1/channels/{channel_id}',
    name: 'deactivateChannel',
    needs: ['channels:write'],
    tag,
    summary: 'Deactivates a channel',
    description:
      'Sending and receiving stop. The channel id, the history and the ownership of the upstream identity are kept, and another account cannot connect that identity. A second call answers 200 again.',
    body: noBody,
    does: async (call, { world }) => {
      await deactivateChannel(world, call.caller, call.id('channel_id'));
    },
  }),
];
