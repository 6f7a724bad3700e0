import { Listed } from '../../listed.ts';
import { apiRoute } from '../../route.ts';
import { noBody } from '../../validation/request-body.ts';
import { pagingFields } from '../../validation/query.ts';
import { channelUpdateRequest, toChannelPatch } from '../schemas/channel-update.ts';
import * as schemas from '../schemas/channel.ts';
import { pageParameters } from './page-parameters.ts';

const tag = 'Channels';

/** [spec: Channels] */
export const channelRoutes = [
  apiRoute({
    get: '/api/v1/channels',
    name: 'listChannels',
    tag,
    summary: 'All channels, active and inactive',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: schemas.channelListResponse },
    async answer({ caller, page }, { useCases, clock, graceMs }) {
      const found = await useCases.listChannels(caller, page);
      const moment = { now: clock.now(), graceMs };
      const channels = new Listed(found.items, (item) => schemas.channelOut.of({ ...item, moment }));
      return { channels, total: channels.length, ...pagingFields(page, found.nextCursor) };
    },
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}',
    name: 'readChannel',
    tag,
    summary: 'One channel',
    body: noBody,
    success: { status: 200, schema: schemas.channelOut.schema },
    async answer(call, { useCases, clock, graceMs }) {
      const found = await useCases.readChannel(call.caller, call.id('channel_id'));
      return schemas.channelOut.of({ ...found, moment: { now: clock.now(), graceMs } });
    },
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}/health',
    name: 'channelHealth',
    tag,
    summary: 'Whether a channel can send and receive, and why not',
    description:
      'Upstream is asked when it was not asked within the last minute; `checked_at` says when. Null: not known.',
    body: noBody,
    success: { status: 200, schema: schemas.channelHealthResponse.schema },
    async answer(call, { useCases }) {
      return schemas.channelHealthResponse.of(
        await useCases.channelHealth(call.caller, call.id('channel_id')),
      );
    },
  }),
  apiRoute({
    get: '/api/v1/channels/{channel_id}/profile/{user_id}',
    name: 'senderProfile',
    tag,
    summary: 'Who a person is who has written to the channel',
    description:
      '`user_id` is `data.from` of a webhook. 404 where webhooks carry `from_name`: there is no other profile.',
    errors: [400, 402, 502],
    body: noBody,
    success: { status: 200, schema: schemas.senderProfileResponse.schema },
    async answer(call, { useCases }) {
      const asked = { channelId: call.id('channel_id'), userId: call.foreignId('user_id') };
      return schemas.senderProfileResponse.of(await useCases.senderProfile(call.caller, asked));
    },
  }),
  apiRoute({
    patch: '/api/v1/channels/{channel_id}',
    name: 'updateChannel',
    tag,
    summary: 'Webhook settings of a channel',
    description:
      'An omitted field stays as it is. `webhook_secret` is shown once, when this call set or made it.',
    body: channelUpdateRequest,
    success: { status: 200, schema: schemas.channelUpdateResponse.schema },
    async answer(call, { useCases }) {
      const patch = toChannelPatch(call.body);
      return schemas.channelUpdateResponse.of(
        await useCases.updateChannel(call.caller, call.id('channel_id'), patch),
      );
    },
  }),
  apiRoute({
    delete: '/api/v1/channels/{channel_id}',
    name: 'deactivateChannel',
    tag,
    summary: 'Deactivates a channel',
    description:
      'Sending and receiving stop; id, history and ownership are kept. A second call answers 200 again.',
    body: noBody,
    does: (call, { useCases }) => useCases.deactivateChannel(call.caller, call.id('channel_id')),
  }),
];
