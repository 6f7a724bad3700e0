import { expect } from '@jest/globals';
import { adminToken } from '../../../http/support.ts';
import { newLicence, newTenant } from '../../support/service.ts';
import { changes } from './row.ts';
import type { Changes, Row } from './row.ts';
import { asideShown } from './stage.ts';

const nothingShown = { before: null, after: null };
const newSubject = { subject: expect.any(String), before: null };
const ofService = { accountId: null, ...nothingShown };

const [running, suspended] = [
  { suspended: false, reason: null },
  { suspended: true, reason: 'Unpaid' },
];
const licence = { status: 'active', tier: 'pro', source: 'enterprise', expires_at: null, auto_renew: false };

const suspends = changes('account.suspended-or-resumed', async (on) => {
  const { accountId } = await newTenant(on.service);
  const both = { before: running, after: suspended };
  return {
    ids: { account_id: accountId },
    body: suspended,
    form: { reason: 'Unpaid' },
    accountId,
    subject: accountId,
    ...both,
  };
});
const drops = aside('put-aside.dropped');
const retries = aside('put-aside.tried-again');

function aside(action: string): Changes {
  return changes(action, async (on) => {
    const { id, channelId } = await on.aside();
    return { ids: { item_id: id }, subject: id, before: asideShown(channelId), after: null };
  });
}

const grants = changes('licence.created', async ({ tenant: { accountId } }) => {
  const asked = { tier: 'pro', source: 'enterprise' };
  return {
    ids: { account_id: accountId },
    body: asked,
    form: { tier: 'pro' },
    ...newSubject,
    after: licence,
  };
});

const releases = changes('channel.claim-released', async (on) => {
  const { id, identity, subscriptionId } = await on.channel();
  await on.service.features.deactivateChannel(on.tenant, id);
  const before = { identity, subscription_id: subscriptionId };
  const both = { before, after: { identity: null, subscription_id: null } };
  return { ids: { channel_id: id }, subject: id, ...both };
});

const unbinds = changes('channel.bound', async (on) => {
  const { id, subscriptionId } = await on.channel();
  const both = { before: { subscription_id: subscriptionId }, after: { subscription_id: null } };
  return { ids: { channel_id: id }, body: { subscription_id: null }, subject: id, ...both };
});

const resetsStep = changes('person.second-step', async (on) => {
  const { person } = await on.withSecondStep();
  const { accountId } = person.caller;
  const both = { before: { two_steps: true }, after: { two_steps: false } };
  const ids = { account_id: accountId, person_id: person.personId };
  return { ids, accountId, subject: person.personId, ...both };
});

const givesRole = changes('person.role-changed', async (on) => {
  const { id } = await on.member();
  const [before, after] = [{ role: 'viewer' }, { role: 'owner' }];
  const ids = { account_id: on.tenant.accountId, person_id: id };
  return { ids, body: after, form: after, subject: id, before, after };
});

const makesInvitation = changes('person.invitation-link-made', async (on) => {
  const { id } = await on.invited();
  return { ids: { account_id: on.tenant.accountId, person_id: id }, subject: id, ...nothingShown };
});

const makesReset = changes('person.reset-link-made', async ({ person, tenant: { accountId } }) => ({
  ids: { account_id: accountId },
  body: { email: person.email },
  subject: person.personId,
  ...nothingShown,
}));

/** The admin API and the operators' console. */
export const byOperators: Record<string, Row> = {
  'POST /operators/leave': 'session',
  'POST /operators/enter': changes('operator.signed-in', async (on) => ({
    form: { token: adminToken },
    by: on.strangeOperator(),
    subject: null,
    ...ofService,
  })),
  'POST /admin/v1/accounts': changes('account.created', async () => {
    const after = { email: 'made@example.com', name: null, suspended: false, reason: null };
    return { body: { email: after.email }, accountId: expect.any(String), ...newSubject, after };
  }),
  'PATCH /admin/v1/accounts/{account_id}': suspends,
  'POST /operators/accounts/{account_id}/suspend': suspends,
  'POST /operators/accounts/{account_id}/resume': changes('account.suspended-or-resumed', async (on) => {
    const { accountId } = await newTenant(on.service);
    await on.service.features.suspendAccount(accountId, suspended);
    const both = { before: suspended, after: running };
    return { ids: { account_id: accountId }, accountId, subject: accountId, ...both };
  }),
  'POST /admin/v1/accounts/{account_id}/keys': changes('key.created', async ({ tenant: { accountId } }) => {
    const after = {
      name: null,
      hint: expect.stringMatching(/^mip_live_/),
      scopes: null,
      expires_at: null,
      revoked: false,
    };
    return { ids: { account_id: accountId }, ...newSubject, after };
  }),
  'DELETE /admin/v1/keys/{key_id}': changes('key.revoked', async (on) => {
    const { apiKeyId } = await on.service.features.createKey(on.tenant.accountId);
    const both = { before: { revoked: false }, after: { revoked: true } };
    return { ids: { key_id: apiKeyId }, subject: apiKeyId, ...both };
  }),
  'POST /admin/v1/accounts/{account_id}/subscriptions': grants,
  'POST /operators/accounts/{account_id}/licences': grants,
  'PATCH /admin/v1/subscriptions/{subscription_id}': changes('licence.updated', async (on) => {
    const subject = await newLicence(on.service, on.tenant);
    const [before, after] = [{ tier: 'pro' }, { tier: 'starter' }];
    return { ids: { subscription_id: subject }, body: after, subject, before, after };
  }),
  'POST /operators/accounts/{account_id}/licences/{subscription_id}': changes(
    'licence.updated',
    async (on) => {
      const subject = await newLicence(on.service, on.tenant);
      const ids = { account_id: on.tenant.accountId, subscription_id: subject };
      const [before, after] = [{ expires_at: null }, { expires_at: '2127-02-01T00:00:00.000Z' }];
      return { ids, form: { ends_on: '2127-01-31' }, subject, before, after };
    },
  ),
  'POST /operators/accounts/{account_id}/licences/{subscription_id}/end': changes(
    'licence.updated',
    async (on) => {
      const subject = await newLicence(on.service, on.tenant);
      const ids = { account_id: on.tenant.accountId, subscription_id: subject };
      return { ids, subject, before: { status: 'active' }, after: { status: 'canceled' } };
    },
  ),
  'POST /operators/accounts/{account_id}/note': changes(
    'account.noted',
    async ({ tenant: { accountId } }) => ({
      ids: { account_id: accountId },
      form: { note: 'Pays by transfer' },
      subject: accountId,
      ...ofService,
    }),
  ),
  'PATCH /admin/v1/channels/{channel_id}': unbinds,
  'POST /operators/channels/{channel_id}/licence': unbinds,
  'DELETE /admin/v1/channels/{channel_id}/claim': releases,
  'POST /operators/channels/{channel_id}/release': releases,
  'POST /operators/channels/{channel_id}/look': changes('channel.looked-at', async (on) => {
    const { id } = await on.channel();
    return { ids: { channel_id: id }, subject: id, ...nothingShown };
  }),
  'DELETE /admin/v1/people/{person_id}/second-step': resetsStep,
  'POST /operators/accounts/{account_id}/people/{person_id}/one-step': resetsStep,
  'PATCH /admin/v1/people/{person_id}': givesRole,
  'POST /operators/accounts/{account_id}/people/{person_id}/role': givesRole,
  'POST /admin/v1/people/{person_id}/invitation-link': makesInvitation,
  'POST /operators/accounts/{account_id}/people/{person_id}/link': makesInvitation,
  'POST /admin/v1/people/reset-link': makesReset,
  'POST /operators/accounts/{account_id}/reset-link': makesReset,
  'POST /admin/v1/drain': changes('node.drained', async () => ({ subject: null, ...ofService })),
  'POST /operators/nodes/{node_id}/drain': changes('node.drained', async () => ({
    ids: { node_id: 'node-1' },
    subject: 'node-1',
    ...ofService,
  })),
  'DELETE /admin/v1/quarantine/{item_id}': drops,
  'POST /operators/aside/{item_id}/drop': drops,
  'POST /admin/v1/quarantine/{item_id}/retry': retries,
  'POST /operators/aside/{item_id}/retry': retries,
  'POST /operators/mails/{mail_id}/send': changes('mail.sent-now', async (on) => {
    const subject = await on.mail();
    return { ids: { mail_id: subject }, subject, ...nothingShown };
  }),
  'POST /operators/accounts/{account_id}/given-up/{channel_id}/{delivery_id}': changes(
    'delivery.tried-again',
    async (on) => {
      const ids = await on.delivery();
      const after = { channel_id: ids.channel_id };
      return {
        ids: { account_id: on.tenant.accountId, ...ids },
        subject: ids.delivery_id,
        before: null,
        after,
      };
    },
  ),
};
