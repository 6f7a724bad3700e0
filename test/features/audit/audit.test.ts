/** What an entry of the audit log says, and when there is none. [operator-interface §3] */
import type { AuditFilter } from '../../../src/features/audit/store.ts';
import type { AuditEntry } from '../../../src/features/audit/entity.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { AuditTrim } from '../../../src/features/audit/log.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Actor } from '../../../src/rules/caller.ts';
import { keptDelivery } from '../support/deliveries.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel, newTenant, openService, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { aMail } from '../../stores/conformance/samples.ts';

const address = '198.51.100.7';
const operator: Actor = { kind: 'operator', name: null, address, requestId: 'request-1' };

const service = sharedService();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant(service);
});

async function entriesOf(filter: AuditFilter): Promise<AuditEntry[]> {
  return (await service.features.listAudit(filter, everything)).items;
}

describe('an entry', () => {
  test('has actor, address, request id, and only the changed values', async () => {
    const { id } = await connectedChannel(service, tenant, 'chatapp');
    const key: Actor = { kind: 'key', name: tenant.apiKeyId, address, requestId: 'request-2' };
    await service.features.actedBy(key).updateChannel(tenant, id, { echoStatuses: true });
    const [entry] = await entriesOf({ accountId: tenant.accountId, action: 'channel.updated' });
    expect(entry).toEqual({
      id: expect.any(String),
      accountId: tenant.accountId,
      actor: 'key',
      actorName: tenant.apiKeyId,
      action: 'channel.updated',
      subject: id,
      before: { echo_statuses: false },
      after: { echo_statuses: true },
      address,
      requestId: 'request-2',
      createdAt: service.clock.now(),
      times: 1,
      lastAt: service.clock.now(),
    });
  });

  test('shows that an endpoint and its secret changed, but neither value', async () => {
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    const webhookUrl = 'https://receiver.example.com/hooks/token-in-path?key=in-query';
    await service.features.updateChannel(other, id, { webhookUrl, webhookSecret: 'a-secret-of-theirs' });
    await service.features.updateChannel(other, id, { webhookUrl: `${webhookUrl}2` });
    const [second, first] = await entriesOf({ accountId: other.accountId, action: 'channel.updated' });
    expect(first?.after).toEqual({
      webhook_url: expect.stringMatching(/^receiver\.example\.com #[0-9a-f]{8}$/),
      webhook_secret: expect.stringMatching(/^set #[0-9a-f]{8}$/),
    });
    expect(Object.keys(second?.after ?? {})).toEqual(['webhook_url']);
    expect(JSON.stringify([first, second])).not.toMatch(/token-in-path|in-query|a-secret-of-theirs/);
  });

  test('of a key names it and shows no secret', async () => {
    const made = await service.features.actedBy(operator).createKey(tenant.accountId);
    await service.features.actedBy(operator).revokeKey(made.apiKeyId);
    const entries = await entriesOf({ accountId: tenant.accountId, actor: 'operator' });
    expect(entries.map(({ action, subject, before, after }) => [action, subject, before, after])).toEqual([
      ['key.revoked', made.apiKeyId, { revoked: false }, { revoked: true }],
      ['key.created', made.apiKeyId, null, expect.objectContaining({ revoked: false })],
    ]);
    expect(JSON.stringify(entries)).not.toContain(made.apiKey.slice(-20));
  });

  test('of an account that is suspended or resumed shows which, once', async () => {
    const { accountId } = await newTenant(service);
    const { suspendAccount } = service.features.actedBy(operator);
    for (const suspended of [true, true, false]) await suspendAccount(accountId, { suspended });
    const entries = await entriesOf({ accountId, action: 'account.suspended-or-resumed' });
    expect(entries.map(({ subject, before, after }) => [subject, before, after])).toEqual([
      [accountId, { suspended: true }, { suspended: false }],
      [accountId, { suspended: false }, { suspended: true }],
    ]);
  });

  test('of a quarantined item names it', async () => {
    const { accountId } = await newTenant(service);
    const about = { reason: 'ended_node', channelType: 'pagechat', identity: '1', kind: 'facts' } as const;
    const ids = [newId(), newId()];
    const channelId = newId();
    for (const id of ids) {
      const sealed = service.sealer.sealText('[]', sealContext.quarantined(channelId, id));
      const seen = { createdAt: 1, lastSeenAt: 7, sealed, shape: 'x', times: 2 };
      await service.stores.quarantine.add([{ id, channelId, accountId, ...about, ...seen }]);
    }
    const { dropQuarantined, retryQuarantined } = service.features.actedBy(operator);
    await dropQuarantined(ids[0] ?? '');
    await retryQuarantined(ids[1] ?? '');
    const shown = { reason: 'ended_node', kind: 'facts', channel_id: channelId, times: 2 };
    const entries = await entriesOf({ accountId });
    const told = entries.map(({ action, subject, before, after }) => [action, subject, before, after]);
    expect(told.slice(0, 2)).toEqual([
      ['put-aside.tried-again', ids[1], shown, null],
      ['put-aside.dropped', ids[0], shown, null],
    ]);
  });

  test('of a mail that is sent at once, or of a probed channel, names it', async () => {
    const mine = await newTenant(service);
    const { accountId } = mine;
    const { id } = await connectedChannel(service, mine, 'pagechat');
    const now = service.clock.now();
    const mail = aMail({ accountId, kind: 'invite', sendAfter: now, createdAt: now });
    await service.stores.mails.add(mail);
    await service.features.actedBy(operator).sendMailNow(mail.id);
    await service.features.actedBy(operator).probeChannelNow(id);
    const entries = await entriesOf({ accountId, actor: 'operator' });
    expect(entries.map(({ action, subject, before, after }) => [action, subject, before, after])).toEqual([
      ['channel.looked-at', id, null, null],
      ['mail.sent-now', mail.id, null, null],
    ]);
  });

  test('of a console sign-in belongs to no account and shows no secret', async () => {
    await service.features.actedBy(operator).beginOperating('hash of the token');
    expect(await entriesOf({ action: 'operator.signed-in' })).toEqual([
      expect.objectContaining({ accountId: null, subject: null, before: null, after: null }),
    ]);
  });

  test('for the whole service belongs to no account', async () => {
    await service.features.actedBy(operator).drain();
    service.clock.pass(1); // the order of two entries of one time is random
    await service.features.actedBy(operator).drain('node-2');
    expect(await entriesOf({ action: 'node.drained' })).toEqual([
      expect.objectContaining({ accountId: null, actor: 'operator', address, subject: 'node-2' }),
      expect.objectContaining({ accountId: null, actor: 'operator', address, subject: null }),
    ]);
  });
});

describe('manual retries of deliveries', () => {
  const person: Actor = { kind: 'person', name: 'mia@example.com', address, requestId: 'request-5' };

  /** An account whose channel keeps this many failed deliveries. */
  async function withKept(count: number) {
    const mine = await newTenant(service);
    const { id } = await connectedChannel(service, mine, 'chatapp');
    const webhook = { webhookUrl: 'https://app.example.com/in', webhookEvents: ['message.received'] };
    const { channel } = await service.features.updateChannel(mine, id, {
      ...webhook,
      failedRetentionDays: 7,
    });
    const deliveries = [];
    for (let n = 0; n < count; n += 1) deliveries.push(await keptDelivery(service, channel, n + 1));
    const entries = async (actor: AuditEntry['actor']) =>
      (await entriesOf({ accountId: mine.accountId, actor })).map(({ action, subject, before, after }) => [
        action,
        subject,
        before,
        after,
      ]);
    return { mine, id, deliveries, entries };
  }

  test('are stored with the operator or person who made them, one or many', async () => {
    const { mine, id, deliveries, entries } = await withKept(3);
    const [first, second, third] = deliveries.map((each) => each.id);
    if (first === undefined || second === undefined || third === undefined) throw new Error('none is kept');
    await service.features.actedBy(operator).retryDelivery(mine, id, first);
    await service.features.actedBy(person).retryDeliveries(
      mine,
      [second, newId(), third].map((deliveryId) => ({ channelId: id, deliveryId })),
    );
    expect(await entries('operator')).toEqual([['delivery.tried-again', first, null, { channel_id: id }]]);
    expect(await entries('person')).toEqual([['deliveries.tried-again', null, null, { begun: 2, left: 1 }]]);
  });

  test('of a period are stored with the period', async () => {
    const { mine, id, entries } = await withKept(2);
    const asked = { since: 0, until: null, events: ['message.received'] } as const;
    await service.features.actedBy(person).replayDeliveries(mine, id, asked);
    await service.features.actedBy(person).replayAll(mine, null, { ...asked, events: null });
    const shown = { since: '1970-01-01T00:00:00.000Z', until: null, events: 'message.received', begun: 2 };
    expect(await entries('person')).toEqual([
      ['deliveries.replayed', null, null, { ...shown, events: null }],
      ['deliveries.replayed', id, null, shown],
    ]);
  });

  test('by a key are ordinary traffic without an entry, and a refused one has none either', async () => {
    const { mine, id, deliveries, entries } = await withKept(1);
    const key: Actor = { kind: 'key', name: mine.apiKeyId, address, requestId: 'request-6' };
    const asked = { since: 0, until: 1, events: null };
    await service.features.actedBy(key).retryDelivery(mine, id, deliveries[0]?.id ?? '');
    await service.features.actedBy(key).replayDeliveries(mine, id, { ...asked, until: null });
    const byPerson = service.features.actedBy(person);
    await refusalOf(byPerson.retryDelivery(mine, id, newId()));
    await byPerson.retryDeliveries(mine, [{ channelId: id, deliveryId: newId() }]);
    await byPerson.replayDeliveries(mine, id, asked);
    await byPerson.replayAll(mine, id, asked);
    expect([await entries('key'), await entries('person')]).toEqual([[], []]);
  });

  test('without a caller are stored as changes of the service itself', async () => {
    const { mine, id, deliveries, entries } = await withKept(1);
    const deliveryId = deliveries[0]?.id ?? '';
    await service.features.retryDelivery(mine, id, deliveryId);
    expect((await entries('service'))[0]).toEqual([
      'delivery.tried-again',
      deliveryId,
      null,
      { channel_id: id },
    ]);
  });
});

describe('there is no entry', () => {
  test('for a refusal, or for a change without effect', async () => {
    const mine = await newTenant(service);
    const { id } = await connectedChannel(service, mine, 'photoapp');
    const before = await entriesOf({ accountId: mine.accountId });
    expect(
      (await refusalOf(service.features.updateChannel(mine, id, { webhookEvents: ['no.such'] }))).status,
    ).toBe(422);
    await service.features.updateChannel(mine, id, { echoStatuses: false });
    for (const [caller, of] of [
      [tenant, id],
      [mine, newId()],
    ] as const)
      expect(await refusalOf(service.features.updateChannel(caller, of, { echoStatuses: true }))).toEqual({
        status: 404,
        detail: 'Channel not found',
      });
    expect(await entriesOf({ accountId: mine.accountId })).toEqual(before);
  });

  test('if it cannot be written: the change stays and the failure is counted', async () => {
    const mine = await newTenant(service);
    const { audit } = service.stores;
    service.stores.audit = { ...audit, add: () => Promise.reject(new Error('no room')) };
    const made = await service.features.createKey(mine.accountId);
    service.stores.audit = audit;
    expect(await service.features.authenticate(made.apiKey)).toMatchObject({ accountId: mine.accountId });
    expect(service.counted('audit_not_recorded_total')).toBe(1);
  });
});

describe('a person without a session', () => {
  const email = 'person@example.com';

  test('signs up, and sets a password by a link: both entries belong to the account', async () => {
    const signedIn = await service.features.signUp({ email, password: 'a long enough password', address });
    const accountId = (await service.features.visitor(signedIn.secret))?.caller.accountId ?? '';
    const { link } = await service.features.actedBy(operator).makeResetLink(email);
    const token = new URL(link).searchParams.get('token') ?? '';
    expect(
      await service.features.resetPassword({ token: token.slice(1), password: 'another long password' }),
    ).toBeNull();
    await service.features.resetPassword({ token, password: 'another long password' });
    const entries = await entriesOf({ accountId });
    expect(entries.map(({ action }) => action)).toEqual([
      'person.password-set',
      'person.reset-link-made',
      'account.created',
    ]);
    expect(JSON.stringify(entries)).not.toContain(token);
  });
});

test("an account keeps a bounded number of its keys' entries, and all of people and operators besides", async () => {
  const on = await openService();
  try {
    const mine = await newTenant(on);
    const { id } = await connectedChannel(on, mine, 'chatapp');
    const person: Actor = { kind: 'person', name: 'mia@example.com', address, requestId: 'request-3' };
    const key: Actor = { kind: 'key', name: mine.apiKeyId, address, requestId: 'request-4' };
    await on.features.actedBy(operator).createKey(mine.accountId);
    await on.features.actedBy(person).updateChannel(mine, id, { failedRetentionDays: 3 });
    for (let change = 0; change < 5; change += 1) {
      on.clock.pass(1_000);
      await on.features.actedBy(key).updateChannel(mine, id, { failedRetentionDays: change + 7 });
    }
    await new AuditTrim(on, 2).run();
    const { items } = await on.features.listAudit({ accountId: mine.accountId }, everything);
    const by = (kind: string) => items.filter(({ actor }) => actor === kind).length;
    expect([by('key'), by('person'), by('operator')]).toEqual([2, 1, 1]);
    expect(items[0]?.createdAt).toBe(on.clock.now());
  } finally {
    await on.close();
  }
});
