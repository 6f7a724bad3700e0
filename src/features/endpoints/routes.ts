import { apiRoute } from '../route.ts';
import { pageOf } from '../../kernel/paging.ts';
import { pageParameters } from '../../http/parameters.ts';
import { pagingFields } from '../../http/validation/query.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { testEndpoint, webhookTestOut } from '../deliveries/index.ts';
import * as schemas from './schemas.ts';
import { addEndpoint, listEndpoints, readEndpoint, removeEndpoint, updateEndpoint } from './service.ts';

const all = '/api/v1/channels/{channel_id}/endpoints';
const one = `${all}/{endpoint_id}` as const;
const tag = 'Endpoints';

/** Additive: further endpoints of a channel. [spec: Additions, Endpoints] */
export const endpointRoutes = [
  apiRoute({
    get: all,
    name: 'listEndpoints',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Lists the further endpoints of a channel, oldest first',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: schemas.endpointList },
    async answer(call, { world }) {
      const found = await listEndpoints(world, call.caller, call.id('channel_id'));
      const { items, nextCursor } = pageOf(found, call.page);
      return {
        endpoints: items.map((endpoint) => schemas.endpointOut.of({ endpoint })),
        total: found.length,
        ...pagingFields(call.page, nextCursor),
      };
    },
  }),
  apiRoute({
    post: all,
    name: 'addEndpoint',
    needs: ['channels:write'],
    tag,
    summary: 'Adds an endpoint that gets events of a channel',
    description:
      'Beside `webhook_url`, which stays as it is. Each endpoint has its own events, secret, headers, retries and delivery log, so that none waits for another. `webhook-id` of an event differs between endpoints. At most ten; a further one is 400. The response shows `secret`; it is not shown again.',
    errors: [400],
    body: schemas.endpointRequest,
    success: { status: 201, schema: schemas.endpointChanged.schema },
    async answer(call, { world }) {
      const given = schemas.toNewEndpoint(call.body);
      return schemas.endpointChanged.of(await addEndpoint(world, call.caller, call.id('channel_id'), given));
    },
  }),
  apiRoute({
    get: one,
    name: 'readEndpoint',
    needs: ['messages:read', 'channels:write'],
    tag,
    summary: 'Returns one endpoint of a channel',
    body: noBody,
    success: { status: 200, schema: schemas.endpointOut.schema },
    async answer(call, { world }) {
      const [channelId, endpointId] = [call.id('channel_id'), call.id('endpoint_id')];
      return schemas.endpointOut.of({
        endpoint: await readEndpoint(world, call.caller, channelId, endpointId),
      });
    },
  }),
  apiRoute({
    patch: one,
    name: 'updateEndpoint',
    needs: ['channels:write'],
    tag,
    summary: 'Changes an endpoint of a channel',
    description:
      'An omitted field keeps its value. `is_enabled: true` enables an endpoint that was disabled after days of failure. The response shows `secret` only if this call set it.',
    body: schemas.endpointUpdateRequest,
    success: { status: 200, schema: schemas.endpointChanged.schema },
    async answer(call, { world }) {
      const [channelId, endpointId] = [call.id('channel_id'), call.id('endpoint_id')];
      const patch = schemas.toEndpointPatch(call.body);
      return schemas.endpointChanged.of(
        await updateEndpoint(world, call.caller, channelId, endpointId, patch),
      );
    },
  }),
  apiRoute({
    delete: one,
    name: 'removeEndpoint',
    needs: ['channels:write'],
    tag,
    summary: 'Removes an endpoint of a channel',
    description: 'Events that wait for it are canceled. A second call is 404.',
    body: noBody,
    does: (call, { world }) =>
      removeEndpoint(world, call.caller, call.id('channel_id'), call.id('endpoint_id')),
  }),
  apiRoute({
    post: `${one}/test`,
    name: 'testEndpoint',
    needs: ['channels:write'],
    tag,
    summary: 'Sends a signed test event to an endpoint of a channel',
    description:
      'As `POST …/webhook/test`, to `url` of this endpoint, also while it is disabled, with its headers and signed with its secret. The test appears in the delivery log with its `endpoint_id`, and counts for the same limit of 10 per account and minute.',
    body: noBody,
    success: { status: 200, schema: webhookTestOut.schema },
    async answer(call, { world }) {
      const [channelId, endpointId] = [call.id('channel_id'), call.id('endpoint_id')];
      return webhookTestOut.of(await testEndpoint(world, call.caller, channelId, endpointId));
    },
  }),
];
