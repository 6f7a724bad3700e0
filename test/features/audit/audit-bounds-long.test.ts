/** [operator-interface §3; faults: 234, 235] What a key can do to the audit log of its account. */
import type { AuditEntry } from '../../../src/features/audit/entity.ts';
import { expect, test } from '@jest/globals';
import type { Actor } from '../../../src/rules/caller.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { aPerson } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

const keyOf = (name: string, address = '198.51.100.7'): Actor => ({
  kind: 'key',
  name,
  address,
  requestId: 'request-1',
});

const aVisitor = {
  personId: 'owner',
  email: 'owner@example.com',
  role: 'owner',
  mayAct: true,
  accountName: null,
  isSuspended: false,
  suspendedWhy: null,
} as const;

async function withChannel(): Promise<{ mine: Tenant; id: string }> {
  const mine = await newTenant(service);
  const { id } = await connectedChannel(service, mine, 'pagechat');
  return { mine, id };
}

async function changesIn({ accountId }: Tenant): Promise<AuditEntry[]> {
  const found = await service.stores.audit.list({ accountId, action: 'channel.updated' }, everything);
  return found.items.toReversed();
}

test('equal changes of one object by one key are one entry a day, with their number and times', async () => {
  const { mine, id } = await withChannel();
  const { updateChannel } = service.features.actedBy(keyOf(mine.apiKeyId));
  const since = service.clock.now();
  for (let n = 0; n < 500; n += 1) {
    await updateChannel(mine, id, { echoStatuses: n % 2 === 0 });
    service.clock.pass(10);
  }
  const told = ({ before, after, times, createdAt, lastAt }: AuditEntry) => [
    [before, after, times],
    [createdAt - since, (lastAt ?? 0) - since],
  ];
  const [on, off] = [{ echo_statuses: true }, { echo_statuses: false }];
  expect((await changesIn(mine)).map(told)).toEqual([
    [
      [off, on, 250],
      [0, 4_980],
    ],
    [
      [on, off, 250],
      [10, 4_990],
    ],
  ]);
  service.clock.pass(dayMs);
  await updateChannel(mine, id, { echoStatuses: true });
  expect((await changesIn(mine)).map(({ times }) => times)).toEqual([250, 250, 1]);
});

test('the same change from another address, or by another key, is an entry of its own', async () => {
  const { mine, id } = await withChannel();
  const { apiKeyId } = await service.features.createKey(mine.accountId);
  const actors = [keyOf(mine.apiKeyId), keyOf(mine.apiKeyId, '203.0.113.9'), keyOf(apiKeyId)];
  for (const actor of actors) {
    await service.features.actedBy(actor).updateChannel(mine, id, { echoStatuses: true });
    await service.stores.channels.updateWebhook({ id, accountId: mine.accountId }, { echoStatuses: false });
    service.clock.pass(1);
  }
  expect((await changesIn(mine)).map(({ actorName, address, times }) => [actorName, address, times])).toEqual(
    actors.map(({ name, address }) => [name, address, 1]),
  );
});

test('of other changes 200 are listed, then one each three minutes: the first trace stays', async () => {
  const { mine, id } = await withChannel();
  const { updateChannel } = service.features.actedBy(keyOf(mine.apiKeyId));
  for (let n = 0; n < 1_000; n += 1) {
    await updateChannel(mine, id, { webhookUrl: `https://receiver.example.com/${n}` });
  }
  const entries = await changesIn(mine);
  expect(entries).toHaveLength(201);
  expect(entries.filter(({ before }) => before?.['webhook_url'] === null)).toHaveLength(1);
  expect(entries.filter(({ subject }) => subject === null)).toMatchObject([
    { before: null, after: null, times: 800, actorName: mine.apiKeyId },
  ]);
});

test('of two keys that change one channel at once, each entry has what its own change did', async () => {
  const { mine, id } = await withChannel();
  const { apiKeyId: other } = await service.features.createKey(mine.accountId);
  const changes = Array.from({ length: 100 }, (_, n) => {
    const name = n % 2 === 0 ? mine.apiKeyId : other;
    const patch =
      n % 2 === 0 ? { failedRetentionDays: 1 + (n % 15) } : { failedRetentionDays: 16 + (n % 15) };
    return service.features.actedBy(keyOf(name)).updateChannel(mine, id, patch);
  });
  await Promise.all(changes);
  const entries = await changesIn(mine);
  const written = entries.map(({ actorName, after }) => [
    actorName,
    Number(after?.['failed_retention_days']) > 15,
  ]);
  expect(written.filter(([name, isOfOther]) => (name === other) !== isOfOther)).toEqual([]);
});

test('of calls that make one change at once, one entry says that it was made', async () => {
  const { mine, id } = await withChannel();
  const { features } = service;
  const { accountId, subscriptionId } = mine;
  const member = aPerson({ accountId, role: 'viewer' });
  await service.stores.people.insert(member);
  const changes: Record<string, () => Promise<unknown>> = {
    'licence.updated': () => features.updateSubscription(subscriptionId, { tier: 'starter' }),
    'account.suspended-or-resumed': () => features.suspendAccount(accountId, { suspended: true }),
    'person.role-changed': () => features.setRole(member.id, { role: 'developer' }),
    'channel.bound': () => features.bindChannel(id, null),
    'channel.deactivated': () => features.deactivateChannel(mine, id),
    'channel.claim-released': () => features.releaseClaim(id),
  };
  const told: Record<string, number> = {};
  for (const [action, change] of Object.entries(changes)) {
    await Promise.all([1, 2, 3, 4].map(change));
    const { items } = await service.stores.audit.list({ accountId, action }, everything);
    told[action] = items.reduce((sum, { times }) => sum + times, 0);
  }
  expect(told).toEqual(Object.fromEntries(Object.keys(changes).map((action) => [action, 1])));
});

test('of calls that revoke the same keys at once, each entry counts its own', async () => {
  const mine = await newTenant(service);
  for (let n = 0; n < 6; n += 1) await service.features.createKey(mine.accountId);
  await Promise.all([1, 2, 3].map(() => service.features.removeKeysUntil(mine, service.clock.now())));
  const { items } = await service.stores.audit.list(
    { accountId: mine.accountId, action: 'keys.revoked' },
    everything,
  );
  const revoked = items.map(({ before, after }) => Number(before?.['keys']) - Number(after?.['keys']));
  expect(revoked.reduce((sum, own) => sum + own, 0)).toBe(7);
});

test('of a person who got another role just before the removal, the entry has that role', async () => {
  const { accountId } = await newTenant(service);
  const member = aPerson({ accountId, role: 'viewer' });
  await service.stores.people.insert(member);
  const { people } = service.stores;
  const remove: typeof people.remove = async (named) => {
    await people.setRole(named, 'developer');
    return people.remove(named);
  };
  service.stores.people = { ...people, remove };
  const by = { ...aVisitor, caller: { accountId, apiKeyId: '' } };
  await service.features.removePerson(by, member.id);
  service.stores.people = people;
  const { items } = await service.stores.audit.list({ accountId, action: 'person.removed' }, everything);
  expect(items).toMatchObject([{ subject: member.id, before: { role: 'developer' }, after: null }]);
});
