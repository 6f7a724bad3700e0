import { adminRoute } from '../route.ts';
import { readId, readText } from '../validation/query-values.ts';
import { requireId } from '../validation/ids.ts';
import { pagingFields } from '../validation/query.ts';
import { noBody } from '../validation/request-body.ts';
import { pageParameters } from '../api/routes/page-parameters.ts';
import * as schemas from './node-schemas.ts';

const tag = 'Operators: nodes and channels';
/** [operator-interface §2 NODE_ID] */
const maxNodeId = 64;

/** [operator-interface §3, Admin API] */
export const nodeRoutes = [
  adminRoute({
    delete: '/admin/v1/channels/{channel_id}/claim',
    name: 'releaseClaim',
    tag,
    summary: 'Releases the ownership of an inactive channel, so that another account can connect it',
    errors: [400, 409],
    body: noBody,
    does: (call, { useCases }) => useCases.releaseClaim(call.id('channel_id')),
  }),
  adminRoute({
    patch: '/admin/v1/channels/{channel_id}',
    name: 'bindChannel',
    tag,
    summary: 'Binds a channel to a licence; null unbinds it',
    errors: [400, 409],
    body: schemas.bindRequest,
    does(call, { useCases }) {
      const { subscription_id: given } = call.body;
      const subscriptionId = given === null ? null : requireId('subscription_id', given);
      return useCases.bindChannel(call.id('channel_id'), subscriptionId);
    },
  }),
  adminRoute({
    get: '/admin/v1/channels/{channel_id}',
    name: 'inspectChannel',
    tag,
    summary: 'Owner node, epoch and queue depths of a channel',
    body: noBody,
    success: { status: 200, schema: schemas.channelInsight.schema },
    async answer(call, { useCases }) {
      return schemas.channelInsight.of(await useCases.inspectChannel(call.id('channel_id')));
    },
  }),
  adminRoute({
    get: '/admin/v1/messages/{message_id}',
    name: 'inspectMessage',
    tag,
    summary: 'A message with its upstream calls and deliveries, whoever sent it; nothing of what it says',
    body: noBody,
    success: { status: 200, schema: schemas.messageInsight.schema },
    async answer(call, { useCases }) {
      return schemas.messageInsight.of(await useCases.inspectMessage(call.id('message_id')));
    },
  }),
  adminRoute({
    get: '/admin/v1/failing',
    name: 'listFailing',
    tag,
    summary: 'Channels whose endpoint takes nothing, since when, and what it answers',
    body: noBody,
    success: { status: 200, schema: schemas.failingList },
    async answer(_call, { useCases }) {
      return { channels: (await useCases.listFailing()).map(schemas.failingChannel.of) };
    },
  }),
  adminRoute({
    get: '/admin/v1/nodes',
    name: 'listNodes',
    tag,
    summary: 'Live nodes: how many channels each owns, how it is, what waits there',
    body: noBody,
    success: { status: 200, schema: schemas.nodeList },
    async answer(_call, { useCases }) {
      return { nodes: (await useCases.listNodes()).map(schemas.nodeOut.of) };
    },
  }),
  adminRoute({
    post: '/admin/v1/drain',
    name: 'drain',
    tag,
    summary: 'This node, or the one of `node_id`, hands its channels over; then its /readyz answers 503',
    description:
      'It takes none until it is started anew. Answered when all are handed over; 503: it can not be asked now.',
    errors: [404],
    parameters: [
      {
        name: 'node_id',
        in: 'query',
        schema: { type: 'string', maxLength: maxNodeId },
        description: 'As `GET /admin/v1/nodes` names it',
      },
    ],
    body: noBody,
    does: ({ query }, { useCases }) => useCases.drain(readText(query, 'node_id', maxNodeId)),
  }),
  adminRoute({
    get: '/admin/v1/mails',
    name: 'listMails',
    tag,
    summary: 'Mails of the outbox',
    errors: [404],
    parameters: [
      {
        name: 'account_id',
        in: 'query',
        schema: { type: 'string' },
        description: 'Only those of this account',
      },
      ...pageParameters,
    ],
    body: noBody,
    success: { status: 200, schema: schemas.mailList },
    async answer({ query, page }, { useCases }) {
      const found = await useCases.listMails(readId(query, 'account_id'), page);
      return { mails: found.items.map(schemas.mailOut.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  adminRoute({
    get: '/admin/v1/quarantine',
    name: 'listQuarantine',
    tag,
    summary: "Items of the platform's webhooks that nobody understood",
    description:
      'One entry for each shape, and one for each message whose files ended their node twice. No content: names of members and types of values.',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: schemas.quarantineList },
    async answer({ page }, { useCases }) {
      const found = await useCases.listQuarantine(page);
      return { items: found.items.map(schemas.quarantinedItem.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  adminRoute({
    delete: '/admin/v1/quarantine/{item_id}',
    name: 'dropQuarantined',
    tag,
    summary: 'Drops an item of the quarantine',
    errors: [404],
    body: noBody,
    does: (call, { useCases }) => useCases.dropQuarantined(call.id('item_id')),
  }),
  adminRoute({
    post: '/admin/v1/quarantine/{item_id}/retry',
    name: 'retryQuarantined',
    tag,
    summary: 'Fetches the files of a quarantined message anew, and tells it anew',
    errors: [400, 404],
    body: noBody,
    does: (call, { useCases }) => useCases.retryQuarantined(call.id('item_id')),
  }),
];
