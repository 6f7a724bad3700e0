import { expect } from '@jest/globals';
import { TOTP } from 'otpauth';
import { offerStep } from '../../../../src/features/people/change-second-step.ts';
import type { Stage } from './stage.ts';
import { password, tokenOf } from '../../support/people.ts';
import { newLicence } from '../../support/service.ts';
import { content, templateShown } from './by-keys.ts';
import { changes } from './row.ts';
import type { Row } from './row.ts';

const nothingShown = { before: null, after: null };

type Other = Awaited<ReturnType<Stage['other']>>;

const whoIs = (person: Other['person'], by: Other['visitor']) => ({
  by,
  actorName: person.email,
  accountId: person.caller.accountId,
  subject: person.personId,
});

/** Forms of the portal, and of its pages without sign-in. */
export const byPeople: Record<string, Row> = {
  'POST /portal/sign-in': 'session',
  'POST /portal/sign-in/code': 'session',
  'POST /portal/sign-out': 'session',
  'POST /portal/forgot': 'on the way',
  'POST /portal/account/confirmation': 'on the way',
  'POST /portal/channels/connect': 'on the way',
  'POST /setup/choose': 'on the way',
  'POST /portal/channels/{channel_id}/send': 'traffic',
  'POST /portal/channels/{channel_id}/licence': changes('channel.bound', async (on) => {
    const { id, subscriptionId } = await on.channel();
    const licence = await newLicence(on.service, on.tenant);
    const [before, after] = [subscriptionId, licence].map((subscription_id) => ({ subscription_id }));
    return {
      ids: { channel_id: id },
      form: { licence },
      subject: id,
      before: before ?? null,
      after: after ?? null,
    };
  }),
  'POST /portal/channels/{channel_id}/test': 'traffic',
  'POST /portal/channels/{channel_id}/test-event': 'traffic',
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/test': 'traffic',
  'POST /portal/channels/{channel_id}/templates/{template_id}/send': 'traffic',
  'POST /portal/channels/{channel_id}/templates/sync': 'reads',
  'POST /portal/sign-up': changes('account.created', async (on) => {
    const form = { email: 'new@example.com', password };
    const who = { by: on.stranger(), actorName: null, accountId: expect.any(String) };
    return { form, ...who, subject: expect.any(String), ...nothingShown };
  }),
  'POST /portal/reset': changes('person.password-set', async (on) => {
    const { person } = await on.other();
    const { link } = await on.service.features.makeResetLink(person.email);
    const who = { by: on.stranger(), actorName: null, accountId: person.caller.accountId };
    return { form: { token: tokenOf(link), password }, ...who, subject: person.personId, ...nothingShown };
  }),
  'POST /portal/confirm': changes('person.confirmed', async (on) => {
    const { person } = await on.other();
    const form = { token: await on.confirmation(person), password };
    const who = { by: on.stranger(), actorName: null, accountId: person.caller.accountId };
    return { form, ...who, subject: person.personId, ...nothingShown };
  }),
  'POST /portal/invitation': changes('person.joined', async (on) => {
    const { id } = await on.invited();
    const form = { token: await on.invitationToken(id), password };
    return { form, by: on.stranger(), actorName: null, subject: id, ...nothingShown };
  }),
  'POST /portal/account': changes('person.password-set', async (on) => {
    const { person, visitor } = await on.other();
    const who = { by: visitor, actorName: person.email, accountId: person.caller.accountId };
    return { form: { current: password, password }, ...who, subject: person.personId, ...nothingShown };
  }),
  'POST /portal/account/address': changes('person.address-changed', async (on) => {
    const { person, visitor } = await on.other();
    const [before, after] = [{ email: person.email }, { email: 'other-address@example.com' }];
    return { form: { ...after, password }, ...whoIs(person, visitor), before, after };
  }),
  'POST /portal/account/mails': changes('person.mails-chosen', async (on) => {
    const { person, visitor } = await on.other();
    const [before, after] = [{ mails: 'failures licences' }, { mails: 'licences' }];
    return { form: { topic: 'licences' }, ...whoIs(person, visitor), before, after };
  }),
  'POST /portal/new-address': 'on the way',
  'POST /portal/account/sessions/{session_id}/end': changes('session.ended', async (on) => {
    const { person, visitor } = await on.other();
    const { id } = await on.session(person);
    const who = { by: visitor, actorName: person.email, accountId: person.caller.accountId };
    const before = { agent: 'Firefox on Linux', address: '192.0.2.1' };
    return { ids: { session_id: id }, ...who, subject: person.personId, before, after: null };
  }),
  'POST /portal/account/sessions/end-others': changes('sessions.ended', async (on) => {
    const { person, visitor } = await on.other();
    await on.session(person);
    const who = { by: visitor, actorName: person.email, accountId: person.caller.accountId };
    return { ...who, subject: person.personId, before: { sessions: 2 }, after: { sessions: 1 } };
  }),
  'POST /portal/account/second-step': changes('person.second-step', async (on) => {
    const { person, visitor } = await on.other();
    const { offer, secret } = offerStep(on.service.world, person, null);
    const code = new TOTP({ secret }).generate({ timestamp: on.service.clock.now() });
    const both = { before: { two_steps: false }, after: { two_steps: true } };
    return { form: { offer, code, password }, ...whoIs(person, visitor), ...both };
  }),
  'POST /portal/account/second-step/codes': changes('person.recovery-codes-made', async (on) => {
    const { person, visitor } = await on.withSecondStep();
    return { form: { password }, ...whoIs(person, visitor), ...nothingShown };
  }),
  'POST /portal/account/second-step/off': changes('person.second-step', async (on) => {
    const { person, visitor } = await on.withSecondStep();
    const both = { before: { two_steps: true }, after: { two_steps: false } };
    return { form: { password }, ...whoIs(person, visitor), ...both };
  }),
  'POST /portal/people': changes('person.invited', async () => {
    const form = { email: 'guest@example.com', role: 'developer' };
    return { form, subject: expect.any(String), before: null, after: form };
  }),
  'POST /portal/people/{person_id}': changes('person.role-changed', async (on) => {
    const { id } = await on.member();
    const [before, after] = [{ role: 'viewer' }, { role: 'developer' }];
    return { ids: { person_id: id }, form: after, subject: id, before, after };
  }),
  'POST /portal/people/{person_id}/invitation': changes('person.invited-again', async (on) => {
    const { id } = await on.invited();
    return { ids: { person_id: id }, subject: id, ...nothingShown };
  }),
  'POST /portal/people/{person_id}/remove': changes('person.removed', async (on) => {
    const { id, email } = await on.member();
    return { ids: { person_id: id }, subject: id, before: { email, role: 'viewer' }, after: null };
  }),
  'POST /portal/people/leave': changes('person.removed', async (on) => {
    const { id, email, visitor: by } = await on.member();
    return { by, actorName: email, subject: id, before: { email, role: 'viewer' }, after: null };
  }),
  'POST /portal/keys': changes('key.created', async () => {
    const after = {
      name: 'till',
      hint: expect.stringMatching(/^mip_live_/),
      scopes: 'admin',
      expires_at: null,
      revoked: false,
    };
    return { form: { name: 'till', scope: 'admin' }, subject: expect.any(String), before: null, after };
  }),
  'POST /portal/keys/{key_id}/revoke': changes('key.revoked', async (on) => {
    const { apiKeyId } = await on.service.features.addKey(on.person.caller, 'lost', {});
    const both = { before: { revoked: false }, after: { revoked: true } };
    return { ids: { key_id: apiKeyId }, subject: apiKeyId, ...both };
  }),
  'POST /portal/keys/older': changes('keys.revoked', async (on) => {
    const { person, visitor } = await on.other();
    const { addKey } = on.service.features;
    await addKey(person.caller, 'older', {});
    const until = String(on.service.clock.now());
    on.service.clock.pass(1);
    await addKey(person.caller, 'newer', {});
    const who = { by: visitor, actorName: person.email, accountId: person.caller.accountId };
    return { form: { until }, ...who, subject: null, before: { keys: 2 }, after: { keys: 1 } };
  }),
  'POST /portal/redirects': changes('redirect.added', async () => {
    const pattern = 'https://till.example.com/done';
    const after = { pattern, api_key_id: expect.any(String) };
    return { form: { uri_pattern: pattern }, subject: expect.any(String), before: null, after };
  }),
  'POST /portal/redirects/{redirect_id}/remove': changes('redirect.removed', async (on) => {
    const { id, pattern } = await on.redirect();
    const key = on.tenant.apiKeyId;
    const before = { pattern, api_key_id: key };
    return { ids: { redirect_id: id }, query: `key=${key}`, subject: id, before, after: null };
  }),
  'POST /portal/channels/{channel_id}/endpoints': changes('endpoint.added', async (on) => {
    const { id: channel_id } = await on.channel();
    const form = { url: 'https://crm.example/in', 'event:message.read': 'on' };
    const after = expect.objectContaining({ channel_id, events: 'message.read', disabled_at: null });
    return { ids: { channel_id }, form, subject: expect.any(String), before: null, after };
  }),
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}': changes('endpoint.updated', async (on) => {
    const ids = await on.endpoint();
    const form = { url: 'https://crm.example/in', headers: 'X-Tenant: 7', 'event:message.read': 'on' };
    const both = { before: { headers: null }, after: { headers: expect.stringMatching(/^X-Tenant #/) } };
    return { ids, form, subject: ids.endpoint_id, ...both };
  }),
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/secret': changes(
    'endpoint.updated',
    async (on) => {
      const ids = await on.endpoint();
      const secret = expect.stringMatching(/^set #/);
      return { ids, subject: ids.endpoint_id, before: { secret }, after: { secret } };
    },
  ),
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/disable': changes(
    'endpoint.updated',
    async (on) => {
      const ids = await on.endpoint();
      const both = { before: { disabled_at: null }, after: { disabled_at: expect.any(String) } };
      return { ids, subject: ids.endpoint_id, ...both };
    },
  ),
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/enable': changes(
    'endpoint.updated',
    async (on) => {
      const ids = await on.endpoint();
      await on.service.features.updateEndpoint(on.tenant, ids.channel_id, ids.endpoint_id, {
        isEnabled: false,
      });
      const both = { before: { disabled_at: expect.any(String) }, after: { disabled_at: null } };
      return { ids, subject: ids.endpoint_id, ...both };
    },
  ),
  'POST /portal/channels/{channel_id}/endpoints/{endpoint_id}/remove': changes(
    'endpoint.removed',
    async (on) => {
      const ids = await on.endpoint();
      const before = expect.objectContaining({ channel_id: ids.channel_id, events: 'message.read' });
      return { ids, subject: ids.endpoint_id, before, after: null };
    },
  ),
  'POST /portal/default-webhook': changes('default-webhook.changed', async ({ tenant: { accountId } }) => {
    const both = { before: { webhook_events: 'message.read' }, after: { webhook_events: 'message.sent' } };
    return { form: { 'event:message.sent': 'on' }, subject: accountId, ...both };
  }),
  'POST /portal/default-webhook/secret': changes(
    'default-webhook.changed',
    async ({ tenant: { accountId } }) => {
      const after = { webhook_secret: expect.stringMatching(/^set #/) };
      return { subject: accountId, before: { webhook_secret: null }, after };
    },
  ),
  'POST /portal/default-webhook/apply': changes('channel.updated', async (on) => {
    const { id } = await on.channel('photoapp');
    await on.service.features.updateDefaultWebhook(on.person.caller, {
      webhookUrl: 'https://all.example/in',
      webhookSecret: 'ours',
      webhookEvents: ['message.received'],
    });
    const before = { webhook_url: null, webhook_secret: null, webhook_events: null };
    const after = {
      webhook_url: expect.stringContaining('all.example'),
      webhook_secret: expect.stringMatching(/^set #/),
      webhook_events: 'message.received',
    };
    const form = { channel_type: 'photoapp', without_webhook: 'on' };
    return { form, subject: id, before, after };
  }),
  'POST /portal/channels/{channel_id}/webhook': changes('channel.updated', async (on) => {
    const { id } = await on.channel();
    const before = { webhook_events: null, keep_answers: false };
    const after = { webhook_events: '', keep_answers: true };
    return { ids: { channel_id: id }, form: { keep_answers: 'on' }, subject: id, before, after };
  }),
  'POST /portal/channels/{channel_id}/secret': changes('channel.updated', async (on) => {
    const { id } = await on.channel();
    const after = { webhook_secret: expect.stringMatching(/^set #/) };
    return { ids: { channel_id: id }, subject: id, before: { webhook_secret: null }, after };
  }),
  'POST /portal/channels/{channel_id}/remove': changes('channel.deactivated', async (on) => {
    const { id } = await on.channel();
    const both = { before: { is_active: true }, after: { is_active: false } };
    return { ids: { channel_id: id }, subject: id, ...both };
  }),
  'POST /portal/channels/{channel_id}/templates': changes('template.created', async (on) => {
    const { id: channel_id } = await on.channel('chatapp');
    const form = { name: 'order_ready', language: 'de', category: 'UTILITY', body: 'Ready.' };
    return { ids: { channel_id }, form, subject: expect.any(String), before: null, after: templateShown };
  }),
  'POST /portal/channels/{channel_id}/templates/{template_id}/edit': changes(
    'template.updated',
    async (on) => {
      const { channel_id, template_id } = await on.template();
      const both = { before: { content }, after: { content } };
      return { ids: { channel_id, template_id }, form: { body: 'Now.' }, subject: template_id, ...both };
    },
  ),
  'POST /portal/channels/{channel_id}/templates/{template_id}/delete': changes(
    'template.deleted',
    async (on) => {
      const { channel_id, template_id } = await on.template();
      return { ids: { channel_id, template_id }, subject: template_id, before: templateShown, after: null };
    },
  ),
  'POST /portal/channels/{channel_id}/deliveries/{delivery_id}/retry': changes(
    'delivery.tried-again',
    async (on) => {
      const ids = await on.delivery();
      return { ids, subject: ids.delivery_id, before: null, after: { channel_id: ids.channel_id } };
    },
  ),
  'POST /portal/deliveries/again': changes('deliveries.tried-again', async (on) => {
    const { channel_id, delivery_id } = await on.delivery();
    const form = { delivery: `${channel_id}:${delivery_id}` };
    return { form, subject: null, before: null, after: { begun: 1, left: 0 } };
  }),
  'POST /portal/deliveries/replay': changes('deliveries.replayed', async (on) => {
    const { channel_id } = await on.delivery();
    const after = { since: '1970-01-01T00:00:00.000Z', until: null, events: null, begun: 1 };
    return { form: { channel: channel_id, since: '1970-01-01' }, subject: channel_id, before: null, after };
  }),
};
