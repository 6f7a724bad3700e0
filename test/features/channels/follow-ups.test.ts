/** [faults: 444, 445] What follows a change of a channel is done, whoever dies or is out of reach meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { FollowUp } from '../../../src/features/channels/entity.ts';
import { applyAccountFacts } from '../../../src/features/channels/account-events.ts';
import { readDigits } from '../../../src/features/channels/probe-on-event.ts';
import type { AccountFact } from '../../../src/rules/messages/facts.ts';
import { refused } from '../support/outside.ts';
import { connectedChannel, newLicence, newTenant, openService, refusalOf } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let tenant: Tenant;
let channel: Channel;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  await nothingLeft();
});
afterAll(() => service.close());

const dayMs = 86_400_000;

async function nothingLeft(): Promise<void> {
  service.clock.pass(dayMs);
  while ((await service.features.followUpChanges()) > 0);
}

const isRecorded = async (): Promise<boolean> => (await service.stores.followUps.due(Infinity, 1)).length > 0;

const webhookUrl = 'https://receiver.example/new';

/** What upstream tells of the channel's number. */
function accountFact(change: AccountFact['change']): AccountFact {
  const businessAccountId = channel.subscribedAsset ?? '';
  const at = service.clock.now();
  return { kind: 'account', businessAccountId, phoneNumber: readDigits(channel), at, change, says: null };
}

describe('the owner of a channel that was changed', () => {
  test('was out of reach: it reads its settings once it is reached', async () => {
    service.router.unreachable.set(channel.id, fault('unavailable'));
    await service.features.updateChannel(tenant, channel.id, { webhookUrl });
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    service.router.unreachable.clear();
    const before = service.router.reloadsOf(channel.id);
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(service.router.reloadsOf(channel.id)).toBe(before + 1);
    expect(await isRecorded()).toBe(false);
  });

  const changes: [string, () => Promise<unknown>][] = [
    ['a PATCH', () => service.features.updateChannel(tenant, channel.id, { webhookUrl })],
    ['a DELETE', () => service.features.deactivateChannel(tenant, channel.id)],
    ['a change of its licence', () => service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' })],
    ['the end of its licence', () => service.features.bindChannel(channel.id, null)],
    ['a pause of its number', () => applyAccountFacts(service.world, [accountFact('paused')])],
    [
      'a new endpoint',
      () => service.features.addEndpoint(tenant, channel.id, { url: webhookUrl, events: ['message.received'] }),
    ],
  ]; // oxfmt-ignore

  test.each(changes)('is told of %s although its node dies before it told', async (_, change) => {
    const { router } = service;
    const before = router.reloadsOf(channel.id);
    // What a node that is gone has begun never ends.
    router.beforeAnswer = () => new Promise(() => undefined);
    void change();
    await until('the change to be stored', () => router.reloadsOf(channel.id) > before);
    router.beforeAnswer = async () => undefined;
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(router.reloadsOf(channel.id)).toBe(before + 2);
  });

  test('is told, although its node dies before it told, that a pause ended with the access to its number', async () => {
    const { router } = service;
    await applyAccountFacts(service.world, [accountFact('paused')]);
    await nothingLeft();
    const before = router.reloadsOf(channel.id);
    router.beforeAnswer = () => new Promise(() => undefined);
    void applyAccountFacts(service.world, [accountFact('removed')]);
    await until('the pause to be over', () => router.reloadsOf(channel.id) > before);
    router.beforeAnswer = async () => undefined;
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(router.reloadsOf(channel.id)).toBe(before + 2);
  });

  test('is told of another licence that the end of its first one left it', async () => {
    const { router } = service;
    await newLicence(service, tenant);
    const before = router.reloadsOf(channel.id);
    router.beforeAnswer = () => new Promise(() => undefined);
    await service.stores.subscriptions.update(tenant.subscriptionId, { expiresAt: service.clock.now() - 1 });
    void service.features.turnLicences();
    await until('the channel to be moved', () => router.reloadsOf(channel.id) > before);
    router.beforeAnswer = async () => undefined;
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(router.reloadsOf(channel.id)).toBe(before + 2);
  });

  test('and those of its endpoints are told, also of one that is removed', async () => {
    const wanted = { url: webhookUrl, events: ['message.received'] };
    const kept = await service.features.addEndpoint(tenant, channel.id, wanted);
    const removed = await service.features.addEndpoint(tenant, channel.id, wanted);
    const owners = [kept, removed].map(({ endpoint }) => ownerOf(channel.id, endpoint.id));
    await nothingLeft();
    const before = owners.map((owner) => service.router.reloadsOf(owner));
    for (const owner of [channel.id, ...owners]) service.router.unreachable.set(owner, fault('unavailable'));
    await service.features.removeEndpoint(tenant, channel.id, removed.endpoint.id);
    service.router.unreachable.clear();
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    const told = owners.map((owner, n) => service.router.reloadsOf(owner) - (before[n] ?? 0));
    expect(told).toEqual([1, 2]);
    expect(await isRecorded()).toBe(false);
  });
});

test('what only a newer build knows is left to it, and keeps nothing else from being done', async () => {
  const kinds: string[] = ['newer', 'reload'];
  const now = service.clock.now();
  const before = service.router.reloadsOf(channel.id);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a kind of a newer build is none of ours
  const subjects = kinds.map((kind) => ({ kind: kind as FollowUp['kind'], subject: channel.id }));
  await service.stores.followUps.intend(subjects, { dueAt: now, since: now });
  await service.features.followUpChanges();
  expect(service.router.reloadsOf(channel.id)).toBe(before + 1);
  const [left, ...others] = await service.stores.followUps.due(Infinity, 10);
  expect([left?.kind, others]).toEqual(['newer', []]);
  expect(left?.dueAt).toBeGreaterThan(now);
  if (left !== undefined) await service.stores.followUps.done(left);
});

describe('[faults: 491] the channels of licences that have ended', () => {
  /** The node of this call dies before it binds anything: it never ends. */
  async function begin(call: () => Promise<unknown>): Promise<void> {
    const { channels } = service.stores;
    const bound = new Promise<void>((resolve) => {
      service.stores.channels = { ...channels, bind: () => new Promise(() => resolve()) };
    });
    void call();
    await bound;
    service.stores.channels = channels;
  }
  const licenceOf = async () => (await service.stores.channels.byId(channel.id))?.subscriptionId;

  test('move to one that an operator grants, although its node dies before it moves them', async () => {
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    await nothingLeft();
    await begin(() => newLicence(service, tenant));
    expect(await licenceOf()).toBe(tenant.subscriptionId);
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(await licenceOf()).not.toBe(tenant.subscriptionId);
    await nothingLeft();
    expect(await isRecorded()).toBe(false);
  });

  test('move to another one, although the node that ended theirs dies before it moves them', async () => {
    const other = await newLicence(service, tenant);
    await begin(() => service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' }));
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(await licenceOf()).toBe(other);
  });

  test('stay where they are if the grant never came to the store', async () => {
    const { subscriptions } = service.stores;
    service.stores.subscriptions = {
      ...subscriptions,
      insert: () => Promise.reject(new StoreUnavailable('away')),
    };
    await expect(newLicence(service, tenant)).rejects.toThrow('away');
    service.stores.subscriptions = subscriptions;
    service.clock.pass(30_000);
    await service.features.followUpChanges();
    expect(await isRecorded()).toBe(false);
  });
});

describe('the subscription of a channel that was removed', () => {
  /** DELETE of the channel; the job is queued, and lost with its node. */
  async function removeWithoutJob(): Promise<void> {
    const enqueue = service.jobs.enqueue.bind(service.jobs);
    service.jobs.enqueue = async () => undefined;
    try {
      await service.features.deactivateChannel(tenant, channel.id);
    } finally {
      service.jobs.enqueue = enqueue;
    }
  }

  test('ends although the job was lost', async () => {
    await removeWithoutJob();
    expect(service.upstream.unsubscribed).not.toContain(channel.id);
    service.clock.pass(300_000);
    await service.features.followUpChanges();
    expect(service.upstream.unsubscribed).toContain(channel.id);
    expect(await isRecorded()).toBe(false);
  });

  test('[faults: 497] ends, and no list of its account has the channel, although the store was lost after the removal', async () => {
    const { health } = service.stores;
    await health.noteUpstream(channel.id, refused, service.clock.now());
    await health.noteAccount(channel);
    const listed = async () => (await health.ailing(tenant.accountId, 10)).flat();
    expect(await listed()).toEqual([channel.id]);
    const lost = () => Promise.reject(new StoreUnavailable('away'));
    service.stores.health = { ...health, forgetAccount: lost };
    const { endpoints } = service.stores;
    service.stores.endpoints = { ...endpoints, ofChannel: lost };
    await service.stores.channels.noteEndpoints(channel.id, tenant.accountId);
    await expect(service.features.deactivateChannel(tenant, channel.id)).rejects.toThrow('away');
    Object.assign(service.stores, { health, endpoints });
    service.clock.pass(300_000);
    await service.features.followUpChanges();
    expect(await listed()).toEqual([]);
    expect(service.upstream.unsubscribed).toContain(channel.id);
    await nothingLeft();
    expect(await isRecorded()).toBe(false);
  });

  test('is ended once upstream answers again', async () => {
    await removeWithoutJob();
    service.upstream.failuresLeft = 1;
    service.clock.pass(300_000);
    await service.features.followUpChanges();
    expect(service.upstream.unsubscribed).not.toContain(channel.id);
    service.clock.pass(600_000);
    await service.features.followUpChanges();
    expect(service.upstream.unsubscribed).toContain(channel.id);
    expect(await isRecorded()).toBe(false);
  });

  test('is given up after three days', async () => {
    await removeWithoutJob();
    service.upstream.failuresLeft = 2;
    service.clock.pass(300_000);
    await service.features.followUpChanges();
    service.clock.pass(3 * dayMs);
    await service.features.followUpChanges();
    expect(service.upstream.failuresLeft).toBe(0);
    expect(await isRecorded()).toBe(false);
  });

  test('that its job has ended is not ended again', async () => {
    await service.features.deactivateChannel(tenant, channel.id);
    await service.jobsDone();
    await nothingLeft();
    expect(service.upstream.unsubscribed.filter((id) => id === channel.id)).toHaveLength(1);
  });

  test('stays if another account names the channel, which then leaves nothing on record [faults: I6]', async () => {
    const other = await newTenant(service);
    expect((await refusalOf(service.features.deactivateChannel(other, channel.id))).status).toBe(404);
    expect(await isRecorded()).toBe(false);
  });

  test('is kept if the removal never came to the store', async () => {
    await service.stores.followUps.intend([{ kind: 'unsubscribe', subject: channel.id }], {
      dueAt: service.clock.now(),
      since: service.clock.now(),
    });
    await service.features.followUpChanges();
    expect(service.upstream.unsubscribed).not.toContain(channel.id);
    expect(await isRecorded()).toBe(false);
  });
});
