import { expect } from '@jest/globals';
import { assetOf } from '../../support/outside.ts';
import { codeFor, newIdentity, newLicence } from '../../support/service.ts';
import { components } from '../../support/templates.ts';
import { changes } from './row.ts';
import type { Row } from './row.ts';

export const content = expect.stringMatching(/^1 components #[0-9a-f]{8}$/);
export const templateShown = { name: 'order_ready', language: 'de', category: 'UTILITY', content };

const parameterFormat = 'positional';

/** Routes of the API, and those of programs without a key. */
export const byKeys: Record<string, Row> = {
  'POST /api/v1/messages/send': 'traffic',
  'POST /api/v1/messages/send-media': 'traffic',
  'POST /api/v1/messages/send-interactive': 'traffic',
  'POST /api/v1/messages/send-location': 'traffic',
  'POST /api/v1/messages/send-contacts': 'traffic',
  'POST /api/v1/messages/send-reaction': 'traffic',
  'POST /api/v1/messages/send-template': 'traffic',
  'POST /api/v1/media': 'traffic',
  'POST /api/v1/messages/{message_id}/read': 'traffic',
  'POST /api/v1/messages/{message_id}/typing': 'traffic',
  'POST /api/v1/channels/{channel_id}/webhook/test': 'traffic',
  'POST /api/v1/channels/{channel_id}/endpoints/{endpoint_id}/test': 'traffic',
  'POST /api/v1/channels/{channel_id}/deliveries/replay': 'traffic',
  'POST /api/v1/channels/{channel_id}/deliveries/{delivery_id}/retry': 'traffic',
  'POST /api/v1/channels/setup-url': 'on the way',
  'POST /upstream/webhooks': 'traffic',
  'POST /billing/webhook': 'traffic',
  'POST /api/v1/channels/exchange-code': changes('channel.connected', async (on) => {
    await newLicence(on.service, on.tenant);
    const code = await codeFor(on.service, on.tenant, assetOf('pagechat', newIdentity()));
    const after = expect.objectContaining({ channel_type: 'pagechat', is_active: true, webhook_url: null });
    return { body: { code }, subject: expect.any(String), before: null, after };
  }),
  'PATCH /api/v1/channels/{channel_id}': changes('channel.updated', async (on) => {
    const { id: subject } = await on.channel();
    const [before, after] = [{ echo_statuses: false }, { echo_statuses: true }];
    return { ids: { channel_id: subject }, body: after, subject, before, after };
  }),
  'DELETE /api/v1/channels/{channel_id}': changes('channel.deactivated', async (on) => {
    const { id: subject } = await on.channel();
    const [before, after] = [{ is_active: true }, { is_active: false }];
    return { ids: { channel_id: subject }, subject, before, after };
  }),
  'POST /api/v1/channels/{channel_id}/templates': changes('template.created', async (on) => {
    const { id: channel_id } = await on.channel('chatapp');
    const draft = { name: 'order_ready', language: 'de', category: 'UTILITY' };
    const body = { ...draft, parameter_format: parameterFormat, components };
    return { ids: { channel_id }, body, subject: expect.any(String), before: null, after: templateShown };
  }),
  'PUT /api/v1/channels/{channel_id}/templates/{template_id}': changes('template.updated', async (on) => {
    const { channel_id, template_id } = await on.template();
    const body = { components: [{ type: 'BODY', text: 'Ready now.' }] };
    const both = { before: { content }, after: { content } };
    return { ids: { channel_id, template_id }, body, subject: template_id, ...both };
  }),
  'DELETE /api/v1/channels/{channel_id}/templates/{template_id}': changes('template.deleted', async (on) => {
    const { channel_id, template_id } = await on.template();
    return { ids: { channel_id, template_id }, subject: template_id, before: templateShown, after: null };
  }),
  'POST /api/v1/redirects': changes('redirect.added', async ({ tenant: { apiKeyId } }) => {
    const pattern = 'https://shop.example.com/done';
    const after = { pattern, api_key_id: apiKeyId };
    return { body: { uri_pattern: pattern }, subject: expect.any(String), before: null, after };
  }),
  'DELETE /api/v1/redirects/{redirect_id}': changes('redirect.removed', async (on) => {
    const { id, pattern } = await on.redirect();
    const before = { pattern, api_key_id: on.tenant.apiKeyId };
    return { ids: { redirect_id: id }, subject: id, before, after: null };
  }),
  'POST /api/v1/channels/{channel_id}/endpoints': changes('endpoint.added', async (on) => {
    const { id: channel_id } = await on.channel();
    const body = { url: 'https://crm.example/in', events: ['message.read'] };
    const after = expect.objectContaining({ channel_id, events: 'message.read', disabled_at: null });
    return { ids: { channel_id }, body, subject: expect.any(String), before: null, after };
  }),
  'PATCH /api/v1/channels/{channel_id}/endpoints/{endpoint_id}': changes('endpoint.updated', async (on) => {
    const { channel_id, endpoint_id } = await on.endpoint();
    const both = { before: { events: 'message.read' }, after: { events: '' } };
    return { ids: { channel_id, endpoint_id }, body: { events: [] }, subject: endpoint_id, ...both };
  }),
  'DELETE /api/v1/channels/{channel_id}/endpoints/{endpoint_id}': changes('endpoint.removed', async (on) => {
    const { channel_id, endpoint_id } = await on.endpoint();
    const before = expect.objectContaining({ channel_id, events: 'message.read' });
    return { ids: { channel_id, endpoint_id }, subject: endpoint_id, before, after: null };
  }),
  'PATCH /api/v1/default-webhook': changes('default-webhook.changed', async ({ tenant: { accountId } }) => {
    const both = { before: { webhook_events: null }, after: { webhook_events: 'message.read' } };
    return { body: { webhook_events: ['message.read'] }, subject: accountId, ...both };
  }),
};
