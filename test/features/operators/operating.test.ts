/** [operator-interface §3, Admin API] What operators see and do, and the refusals. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { StoredMail } from '../../../src/storage/entities/mails.ts';
import { writeMoment } from '../../../src/rules/mails/letter.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import {
  connected,
  connectedChannel,
  mailsTo,
  newIdentity,
  newTenant,
  openService,
  refusalOf,
} from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { aMail } from '../../stores/conformance/samples.ts';

const service = sharedService();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
  service.told.length = 0;
});

const noChannel = { status: 404, detail: 'Channel not found' };

describe('one channel', () => {
  test('is shown with its licence, health and queue', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const examined = await service.features.diagnoseChannel(id);
    expect(examined).toMatchObject({
      channel: { id },
      subscription: { id: tenant.subscriptionId },
      queue: { channelId: id, nodeId: 'node-1', epoch: 7 },
      problems: [{ code: 'webhook_missing' }],
    });
    expect(examined.health).not.toBeNull();
  });

  test('is shown without its queue while its owner is unreachable; the log says why', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    service.router.unreachable.set(id, new StoreUnavailable('away'));
    service.told.length = 0;
    expect(await service.features.diagnoseChannel(id)).toMatchObject({ channel: { id }, queue: null });
    expect(service.told).toMatchObject([
      { msg: 'channel.not-inspected', channel: id, error: { message: 'away' } },
    ]);
  });

  test('is probed upstream on request, and its owner reloads its settings', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    await service.jobsDone();
    [service.health.probed.length, service.router.told.length] = [0, 0];
    await service.features.probeChannelNow(id);
    await service.jobsDone();
    expect([service.health.probed, service.router.told]).toEqual([
      [id],
      [{ channelId: id, message: { type: 'settings-changed' } }],
    ]);
  });

  test('with an unknown id is 404', async () => {
    const { features } = service;
    for (const call of [
      features.diagnoseChannel(newId()),
      features.probeChannelNow(newId()),
      features.inspectChannel(newId()),
    ])
      // oxfmt-ignore
      expect(await refusalOf(call)).toEqual(noChannel);
  });
});

describe('accounts', () => {
  test('are filtered by address, in any spelling; an unknown address has none', async () => {
    const { account } = await service.features.inspectAccount(tenant.accountId);
    const found = await service.features.listAccounts(` ${account.email.toUpperCase()} `, everything);
    expect(found).toEqual({ items: [account], nextCursor: null });
    expect(await service.features.listAccounts('nobody@example.com', everything)).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  test('are listed a hundred at a time by default', async () => {
    const on = await openService();
    for (let n = 0; n < 101; n += 1) await newTenant(on);
    const first = await on.features.listAccounts(null, everything);
    const few = await on.features.listAccounts(null, { limit: 2, cursor: null });
    const rest = await on.features.listAccounts(null, { limit: null, cursor: first.nextCursor });
    await on.close();
    expect([first.items.length, few.items.length, rest.items.length]).toEqual([100, 2, 1]);
  });

  test('are shown with their own keys, licences and channels', async () => {
    await connectedChannel(service, await newTenant(service), 'pagechat');
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const { keys, subscriptions, channels } = await service.features.inspectAccount(tenant.accountId);
    expect([
      keys.map((key) => key.id),
      subscriptions.map(({ subscription }) => subscription.id),
      channels.map(({ channel }) => channel.id),
    ]).toEqual([[tenant.apiKeyId], [tenant.subscriptionId], [id]]);
  });

  test('are shown with an unwritten use of their key', async () => {
    const { accountId, apiKey } = await newTenant(service);
    await service.features.authenticate(apiKey);
    const { keys } = await service.features.inspectAccount(accountId);
    expect(keys.map(({ lastUsedAt }) => lastUsedAt)).toEqual([service.clock.now()]);
  });

  test('are suspended and resumed', async () => {
    const { suspendAccount } = service.features;
    const at = service.clock.now();
    expect((await suspendAccount(tenant.accountId, { suspended: true })).suspendedAt).toBe(at);
    expect((await suspendAccount(tenant.accountId, { suspended: false })).suspendedAt).toBeNull();
  });

  test('with an unknown id are 404', async () => {
    const { features } = service;
    for (const call of [
      features.inspectAccount(newId()),
      features.suspendAccount(newId(), { suspended: true }),
    ])
      // oxfmt-ignore
      expect(await refusalOf(call)).toEqual({ status: 404, detail: 'Account not found' });
  });
});

describe('an account is found', () => {
  const idsOf = async (text: string) => {
    const { items, isCut } = await service.features.findAccounts(text);
    return [items.map(({ id }) => id), isCut];
  };

  test('by its id, its address, and the id and identity of a channel', async () => {
    const identity = newIdentity();
    const { channel } = await connected(service, tenant, assetOf('pagechat', identity));
    const { account } = await service.features.inspectAccount(tenant.accountId);
    for (const text of [account.id, account.email.toUpperCase(), channel.id, identity])
      expect([text, ...(await idsOf(text))]).toEqual([text, [tenant.accountId], false]);
  });

  test('by the address of a person of it', async () => {
    const address = '192.0.2.7';
    const email = 'somebody-of-it@example.com';
    const { secret } = await service.features.signUp({ email, password: 'correct horse battery', address });
    const visitor = await service.features.visitor(secret);
    expect(await idsOf(email)).toEqual([[visitor?.caller.accountId], false]);
  });

  test('by nothing else', async () => {
    expect(await idsOf('zzzz no such words')).toStrictEqual([[], false]);
  });
});

describe('a session of the console', () => {
  const begin = () => service.features.beginOperating('hash of the token');

  test('lasts an hour, and is valid only with the token of its start', async () => {
    const { secret, expiresAt } = await begin();
    const { isOperating } = service.features;
    expect(expiresAt).toBe(service.clock.now() + 3_600_000);
    expect(await isOperating(secret, 'hash of the token')).toBe(true);
    expect(await isOperating(secret, 'hash of another token')).toBe(false);
    expect(await isOperating('another secret', 'hash of the token')).toBe(false);
    service.clock.pass(3_599_999);
    expect(await isOperating(secret, 'hash of the token')).toBe(true);
    service.clock.pass(1);
    expect(await isOperating(secret, 'hash of the token')).toBe(false);
  });

  test('ends by signing out, and others stay', async () => {
    const [one, other] = [await begin(), await begin()];
    await service.features.endOperating(one.secret);
    expect(await service.features.isOperating(one.secret, 'hash of the token')).toBe(false);
    expect(await service.features.isOperating(other.secret, 'hash of the token')).toBe(true);
  });

  test('is one of at most fifty: the oldest ends', async () => {
    service.clock.pass(1);
    const first = await begin();
    service.clock.pass(1);
    for (let n = 0; n < 49; n += 1) await begin();
    expect(await service.features.isOperating(first.secret, 'hash of the token')).toBe(true);
    await begin();
    expect(await service.features.isOperating(first.secret, 'hash of the token')).toBe(false);
  });
});

describe('a mail', () => {
  const mail = (over: Partial<StoredMail> = {}) => {
    const { accountId } = tenant;
    const now = service.clock.now();
    return aMail({ accountId, kind: 'invite', sendAfter: now + 60_000, createdAt: now, ...over });
  };

  test('that waits is due at once if an operator asks for it', async () => {
    const waiting = mail();
    await service.stores.mails.add(waiting);
    expect(await service.stores.mails.due(service.clock.now(), 100)).not.toContain(waiting.id);
    await service.features.sendMailNow(waiting.id);
    expect(await service.stores.mails.due(service.clock.now(), 100)).toContain(waiting.id);
  });

  test('that gathers lines is not sent before it has them all', async () => {
    const sendAfter = service.clock.now() + 60_000;
    const gathering = mail({ kind: 'delivery-digest', sendAfter, gathersUntil: sendAfter });
    await service.stores.mails.add(gathering);
    expect(await refusalOf(service.features.sendMailNow(gathering.id))).toEqual({
      status: 409,
      detail: `Lines are added to this mail until ${writeMoment(sendAfter)}: it is sent then`,
    });
    expect(await service.stores.mails.due(sendAfter - 1, 100)).not.toContain(gathering.id);
    // Whole, and deferred by the mail server.
    service.clock.pass(sendAfter - service.clock.now());
    await service.stores.mails.postpone(gathering.id, service.clock.now() + 300_000);
    await service.features.sendMailNow(gathering.id);
    expect(await service.stores.mails.due(service.clock.now(), 100)).toContain(gathering.id);
  });

  test('that was sent, or is unknown, is 404', async () => {
    const sent = mail();
    await service.stores.mails.add(sent);
    await service.stores.mails.markSent(sent.id, service.clock.now());
    for (const id of [sent.id, newId()])
      expect(await refusalOf(service.features.sendMailNow(id))).toEqual({
        status: 404,
        detail: 'Mail not found',
      });
  });

  test('is shown without its link', async () => {
    const link = service.sealer.sealText('https://secret', sealContext.mailLink(tenant.accountId, 'x'));
    await service.stores.mails.add(mail({ link, lines: ['Open this:', '{link}'] }));
    const items = await mailsTo(service, tenant);
    expect(items.map((each) => [each.link, each.lines])).toEqual([
      [null, ['Open this:', '(the link stands in the mail alone)']],
    ]);
  });
});
