import { drain, listNodes } from './nodes.ts';
import { adminRoute } from '../route.ts';
import { inspectChannel, listFailing } from './channels.ts';
import { listTroubled } from './troubled.ts';
import { cursorFields, pagingFields, readChoices, readId, readText } from '../../http/validation/query.ts';
import { requireId } from '../../http/validation/ids.ts';
import { oneOfWords } from '../../http/validation/json-schema.ts';
import { noBody } from '../../http/validation/request-body.ts';
import { listedProblems } from '../../rules/channels/health.ts';
import { inQuery, pageParameters } from '../../http/parameters.ts';
import * as schemas from './node-schemas.ts';
import { releaseClaim } from '../channels/index.ts';
import { bindChannel } from '../licences/index.ts';
import { listMails } from '../mails/index.ts';
import { inspectMessage } from '../messages/index.ts';
import { listQuarantine, dropQuarantined, retryQuarantined } from '../quarantine/index.ts';

const tag = 'Operators: nodes and channels';
/** [operator-interface §2 NODE_ID] */
const maxNodeId = 64;

/** [operator-interface §3, Admin API] */
export const nodeRoutes = [
  adminRoute({
    delete: '/admin/v1/channels/{channel_id}/claim',
    name: 'releaseClaim',
    tag,
    summary: 'Releases the claim of an inactive channel, so that another account can connect its identity',
    errors: [400, 409],
    body: noBody,
    does: async (call, { world }) => {
      await releaseClaim(world, call.by, call.id('channel_id'));
    },
  }),
  adminRoute({
    patch: '/admin/v1/channels/{channel_id}',
    name: 'bindChannel',
    tag,
    summary: 'Binds a channel to a licence, or unbinds it with null',
    errors: [400, 409],
    body: schemas.bindRequest,
    async does(call, { world }) {
      const { subscription_id: given } = call.body;
      const subscriptionId = given === null ? null : requireId('subscription_id', given);
      await bindChannel(world, call.by, call.id('channel_id'), subscriptionId);
    },
  }),
  adminRoute({
    get: '/admin/v1/channels/{channel_id}',
    name: 'inspectChannel',
    tag,
    summary: 'Returns the owner node, the epoch and the queue lengths of a channel',
    body: noBody,
    success: { status: 200, schema: schemas.channelInsight.schema },
    async answer(call, { world }) {
      return schemas.channelInsight.of(await inspectChannel(world, call.id('channel_id')));
    },
  }),
  adminRoute({
    get: '/admin/v1/messages/{message_id}',
    name: 'inspectMessage',
    tag,
    summary: 'Returns a message of any account with its upstream calls and deliveries, without its content',
    body: noBody,
    success: { status: 200, schema: schemas.messageInsight.schema },
    async answer(call, { world }) {
      return schemas.messageInsight.of(await inspectMessage(world, call.id('message_id')));
    },
  }),
  adminRoute({
    get: '/admin/v1/channels',
    name: 'listTroubled',
    tag,
    summary: 'Lists active channels with a problem at upstream, the longest troubled first',
    description:
      'A page with a cursor may be short or empty. Channels whose token is refused (`token_refused`) have no time: they are listed only on request, 1,000 at most, without a cursor.',
    parameters: [
      inQuery('problem', oneOfWords(listedProblems), 'Only channels with this problem'),
      ...pageParameters,
    ],
    body: noBody,
    success: { status: 200, schema: schemas.troubledList },
    async answer({ query, page }, { world }) {
      const { problem } = readChoices(query, { problem: listedProblems });
      const found = await listTroubled(world, problem, page);
      return { channels: found.items.map(schemas.troubledChannel.of), ...cursorFields(found.nextCursor) };
    },
  }),
  adminRoute({
    get: '/admin/v1/failing',
    name: 'listFailing',
    tag,
    summary:
      'Lists channels whose webhook_url, or a further endpoint, fails, since when, and with what answer',
    body: noBody,
    success: { status: 200, schema: schemas.failingList },
    async answer(_call, { world }) {
      return { channels: (await listFailing(world)).map(schemas.failingChannel.of) };
    },
  }),
  adminRoute({
    get: '/admin/v1/nodes',
    name: 'listNodes',
    tag,
    summary: 'Lists the live nodes with their channels, state, load and queues',
    body: noBody,
    success: { status: 200, schema: schemas.nodeList },
    async answer(_call, { world }) {
      return { nodes: (await listNodes(world)).map(schemas.nodeOut.of) };
    },
  }),
  adminRoute({
    post: '/admin/v1/drain',
    name: 'drain',
    tag,
    summary: 'Drains a node: it hands its channels over to other nodes, and its /readyz then answers 503',
    description:
      'The node takes no channel until it is restarted. The answer comes after all channels are handed over. 503: the node cannot be reached now.',
    errors: [404],
    parameters: [
      inQuery(
        'node_id',
        { type: 'string', maxLength: maxNodeId },
        'Node to drain, as in `GET /admin/v1/nodes`; omitted: the node that takes the call',
      ),
    ],
    body: noBody,
    does: ({ query, by }, { world }) => drain(world, by, readText(query, 'node_id', maxNodeId)),
  }),
  adminRoute({
    get: '/admin/v1/mails',
    name: 'listMails',
    tag,
    summary: 'Lists the mails of the outbox',
    errors: [404],
    parameters: [inQuery('account_id', { type: 'string' }, 'Only mails of this account'), ...pageParameters],
    body: noBody,
    success: { status: 200, schema: schemas.mailList },
    async answer({ query, page }, { world }) {
      const found = await listMails(world, readId(query, 'account_id'), page);
      return { mails: found.items.map(schemas.mailOut.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  adminRoute({
    get: '/admin/v1/quarantine',
    name: 'listQuarantine',
    tag,
    summary: 'Lists the quarantine: items of upstream webhooks that the service could not process',
    description:
      'One entry for each unknown or malformed shape, and one for each message whose files crashed a node twice. Entries have the names of members and the types of values, but no content.',
    parameters: pageParameters,
    body: noBody,
    success: { status: 200, schema: schemas.quarantineList },
    async answer({ page }, { world }) {
      const found = await listQuarantine(world, page);
      return { items: found.items.map(schemas.quarantinedItem.of), ...pagingFields(page, found.nextCursor) };
    },
  }),
  adminRoute({
    delete: '/admin/v1/quarantine/{item_id}',
    name: 'dropQuarantined',
    tag,
    summary: 'Deletes an item from the quarantine',
    errors: [404],
    body: noBody,
    does: (call, { world }) => dropQuarantined(world, call.by, call.id('item_id')),
  }),
  adminRoute({
    post: '/admin/v1/quarantine/{item_id}/retry',
    name: 'retryQuarantined',
    tag,
    summary: 'Fetches the files of a quarantined message again and delivers the message again',
    errors: [400, 404, 409],
    body: noBody,
    does: (call, { world }) => retryQuarantined(world, call.by, call.id('item_id')),
  }),
];
