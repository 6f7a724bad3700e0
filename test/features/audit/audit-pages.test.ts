/** [operator-interface §3] Reading the audit log, and keeping it within its bounds. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { AuditTrim } from '../../../src/features/audit/log.ts';
import { anAuditEntry } from '../../stores/conformance/samples.ts';
import { signedUp } from '../support/people.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { components, templateTenant } from '../support/templates.ts';

const service = serviceForEach();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

const wrote = async (count: number, over: Parameters<typeof anAuditEntry>[0] = {}) => {
  for (let n = 0; n < count; n += 1)
    await service.stores.audit.add(anAuditEntry({ accountId: tenant.accountId, createdAt: n, ...over }));
};

describe('the log', () => {
  test('has a hundred entries on a page by default', async () => {
    await wrote(101);
    const of = { action: 'channel.updated' };
    const first = await service.features.listAudit(of, { limit: null, cursor: null });
    const few = await service.features.listAudit(of, { limit: 2, cursor: first.nextCursor });
    expect([first.items.length, few.items.length]).toEqual([100, 1]);
  });

  test("shows an account the addresses of its people, but not an operator's", async () => {
    const [address, requestId] = ['198.51.100.9', 'request-9'];
    await wrote(1, { actor: 'operator', action: 'key.revoked', address, requestId });
    await wrote(1, { actor: 'person', action: 'key.revoked', address, requestId });
    await wrote(1, { accountId: (await newTenant(service)).accountId, action: 'key.revoked' });
    const page = { limit: 10, cursor: null, isBack: false };
    const own = await service.features.pageOwnAudit(tenant, { action: 'key.revoked' }, page);
    expect(
      own.items
        .map((entry) => [entry.actor, entry.address, entry.requestId])
        .toSorted(([a], [b]) => String(a).localeCompare(String(b))),
    ).toEqual([
      ['operator', null, null],
      ['person', address, requestId],
    ]);
    const all = await service.features.pageAudit({ action: 'key.revoked' }, page);
    expect(all.items.filter((entry) => entry.address === address)).toHaveLength(2);
  });
});

describe('the bound', () => {
  /** Accounts with entries, and the bounds that were applied to each. */
  function bounded(accounts: number) {
    const all = Array.from({ length: accounts }, (_, n) => `a-${1_000 + n}`);
    const [asked, kept]: [string[], string[]] = [[], []];
    const audit = {
      ...service.stores.audit,
      async accountsAfter(last: string, limit: number) {
        asked.push(last);
        return all.filter((id) => id > last).slice(0, limit);
      },
      async keepNewest({ accountId, actor }: { accountId: string; actor: string }, count: number) {
        kept.push(`${accountId} ${actor} ${count}`);
        return 0;
      },
    };
    return { bound: new AuditTrim({ stores: { audit } }), asked, kept };
  }

  test("is ten thousand for each account's keys and its people", async () => {
    const { bound, kept } = bounded(1);
    await bound.run();
    expect(kept).toEqual(['a-1000 key 10000', 'a-1000 person 10000']);
  });

  test('is applied to two hundred accounts at a time, and again from the first after the last', async () => {
    const { bound, asked, kept } = bounded(201);
    for (let looks = 0; looks < 3; looks += 1) await bound.run();
    expect(asked).toEqual(['', 'a-1199', '']);
    expect(kept).toHaveLength(2 * (200 + 1 + 200));
  });

  test('is applied to no further account once the node stops', async () => {
    const { bound, asked, kept } = bounded(201);
    await bound.run(AbortSignal.abort());
    expect(kept).toEqual([]);
    await bound.run();
    expect([asked, kept.length]).toEqual([['', ''], 2 * 200]);
  });

  test('with exactly two hundred accounts takes one more run', async () => {
    const { bound, asked } = bounded(200);
    for (let looks = 0; looks < 3; looks += 1) await bound.run();
    expect(asked).toEqual(['', 'a-1199', '']);
  });
});

test('an entry that cannot be written is logged', async () => {
  const { audit } = service.stores;
  service.stores.audit = { ...audit, add: () => Promise.reject(new Error('no room')) };
  service.told.length = 0;
  await service.features.createKey(tenant.accountId);
  expect(service.told).toEqual([
    expect.objectContaining({
      msg: 'audit.not-recorded',
      level: 'error',
      action: 'key.created',
      error: expect.objectContaining({ message: 'no room' }),
    }),
  ]);
});

test('a change without a caller belongs to the service itself', async () => {
  const { apiKeyId } = await service.features.createKey(tenant.accountId);
  const page = { limit: 1, cursor: null };
  const { items } = await service.features.listAudit({ action: 'key.created' }, page);
  const nobody = { actor: 'service', actorName: null, address: null, requestId: null };
  expect(items).toMatchObject([{ ...nobody, accountId: tenant.accountId, subject: apiKeyId }]);
});

test('a licence and the events of a channel are shown before and after the change', async () => {
  const { id } = await connectedChannel(service, tenant, 'pagechat');
  await service.features.updateChannel(tenant, id, { webhookEvents: ['message.received', 'message.read'] });
  service.clock.pass(1);
  await service.features.updateChannel(tenant, id, { webhookEvents: null });
  service.clock.pass(1);
  await service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter', expiresAt: 0 });
  const { items } = await service.features.listAudit(
    { accountId: tenant.accountId },
    { limit: 3, cursor: null },
  );
  const events = 'message.received message.read';
  const trialEnd = new Date(service.clock.now() + 14 * 86_400_000).toISOString().slice(0, 10);
  expect(items.map(({ accountId, subject, before, after }) => [accountId, subject, before, after])).toEqual([
    [
      tenant.accountId,
      tenant.subscriptionId,
      { tier: 'pro', expires_at: expect.stringContaining(trialEnd) },
      { tier: 'starter', expires_at: '1970-01-01T00:00:00.000Z' },
    ],
    [tenant.accountId, id, { webhook_events: events }, { webhook_events: null }],
    [tenant.accountId, id, { webhook_events: null }, { webhook_events: events }],
  ]);
});

/** The entries of an account, the first first. */
async function entriesOf(accountId: string, actions: string): Promise<unknown[][]> {
  const { items } = await service.features.listAudit({ accountId }, { limit: 100, cursor: null });
  return items
    .filter(({ action }) => action.startsWith(actions))
    .toReversed()
    .map(({ action, subject, before, after }) => [action, subject, before, after]);
}

test('a redirect pattern is shown with its key; one that exists is not added again', async () => {
  const { apiKeyId, accountId } = tenant;
  const [pattern, other] = ['https://shop.example.com/*', 'https://other.example.com/*'];
  const { addRedirect, removeRedirect } = service.features;
  const { id } = await addRedirect(tenant, pattern);
  for (const each of [other, pattern]) {
    service.clock.pass(1);
    await addRedirect(tenant, each);
  }
  service.clock.pass(1);
  await removeRedirect(tenant, id);
  const shown = { pattern, api_key_id: apiKeyId };
  expect((await entriesOf(accountId, 'redirect.')).slice(1)).toEqual([
    ['redirect.added', id, null, shown],
    ['redirect.added', expect.any(String), null, { ...shown, pattern: other }],
    ['redirect.removed', id, shown, null],
  ]);
});

test('a template is shown by its name, and its content by a digest', async () => {
  const ours = await templateTenant(service);
  const { id } = await ours.theFirst({ status: 'REJECTED' });
  await ours.edit(id, { text: 'Something else.' });
  service.clock.pass(1);
  await ours.remove(id);
  const content = expect.stringMatching(/^1 components #[0-9a-f]{8}$/);
  const entries = await entriesOf(ours.tenant.accountId, 'template.');
  expect(entries).toEqual([
    ['template.updated', id, { content }, { content }],
    ['template.deleted', id, { name: 'order_ready', language: 'de', category: 'UTILITY', content }, null],
  ]);
  expect(entries[0]?.[2]).not.toEqual(entries[0]?.[3]);
  expect(JSON.stringify(entries)).not.toContain(components[0]?.text);
});

test('a member is shown with address and role', async () => {
  const owner = await signedUp(service, 'Owner@example.com');
  const { id } = await service.features.invite(owner, { email: 'guest@example.com', role: 'viewer' });
  service.clock.pass(1);
  await service.features.changeRole(owner, { personId: id, role: 'owner' });
  service.clock.pass(1);
  await service.features.removePerson(owner, id);
  const email = 'guest@example.com';
  expect(await entriesOf(owner.caller.accountId, 'person.')).toEqual([
    ['person.invited', id, null, { email, role: 'viewer' }],
    ['person.role-changed', id, { role: 'viewer' }, { role: 'owner' }],
    ['person.removed', id, { email, role: 'owner' }, null],
  ]);
});

test('a thing that is gone before its snapshot has no entry, and that is no failure', async () => {
  const { keys } = service.stores;
  service.stores.keys = { ...keys, byId: () => Promise.resolve(null) };
  service.told.length = 0;
  await service.features.createKey(tenant.accountId);
  service.stores.keys = keys;
  expect(service.told).toEqual([]);
  expect(service.counted('audit_not_recorded_total')).toBe(0);
});
