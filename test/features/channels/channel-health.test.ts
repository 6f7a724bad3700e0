/** Channel health: what its account sees, what the job repairs, and what its owner is mailed. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { dayMs, hourMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { unknownHealth } from '../../../src/rules/channels/health.ts';
import type { UpstreamProblemCode } from '../../../src/rules/channels/upstream-problems.ts';
import type { InboundMessage } from '../../../src/rules/messages/facts.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { idFrom, newId } from '../../../src/kernel/ids.ts';
import { until } from '../../support/until.ts';
import { countTurns } from '../../support/loop-turns.ts';
import { assetOf, refused, unsubscribed } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { connected, connectedChannel, mailsTo, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const healthOf = () => service.features.channelHealth(tenant, channel.id);
const codes = async () => (await healthOf()).problems.map(({ code }) => code);
const setReceiver = (webhookUrl: string | null = 'https://app.example.com/in') =>
  service.features.updateChannel(tenant, channel.id, { webhookUrl });
const mails = () => mailsTo(service, tenant);

/** What another node has stored meanwhile. */
function stands(over: Partial<Channel>): void {
  const { channels } = service.stores;
  const standing = async () => ({ ...channel, ...over });
  service.stores.channels = { ...channels, inAccount: standing, byId: standing };
}

describe('a channel', () => {
  test('that works only lacks a webhook; upstream is probed at most once a minute', async () => {
    const { health, problems } = await healthOf();
    expect([health.token, health.isSubscribed, health.checkedAt]).toEqual([
      'valid',
      true,
      service.clock.now(),
    ]);
    expect(problems.map(({ code, affects }) => [code, affects])).toEqual([['webhook_missing', ['events']]]);
    service.clock.pass(59_999);
    await healthOf();
    expect(service.health.probed).toHaveLength(1);
    service.clock.pass(1);
    await Promise.all([healthOf(), healthOf(), healthOf()]);
    expect(service.health.probed).toHaveLength(2);
  });

  test('says why it cannot send or receive', async () => {
    service.health.states.set(channel.id, refused);
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    service.clock.pass(60_000);
    service.health.states.set(channel.id, unsubscribed);
    expect(await codes()).toEqual(['not_subscribed', 'webhook_missing']);
    await service.features.bindChannel(channel.id, null);
    await service.features.deactivateChannel(tenant, channel.id);
    expect(await codes()).toEqual(['inactive', 'licence_inactive', 'webhook_missing']);
  });

  test('that is inactive reports nothing about its subscription, which may have ended with it', async () => {
    expect((await healthOf()).health.isSubscribed).toBe(true);
    await service.features.deactivateChannel(tenant, channel.id);
    expect((await healthOf()).health.isSubscribed).toBeNull();
    service.clock.pass(hourMs);
    await healthOf();
    expect(service.health.probed).toHaveLength(1);
  });

  test('keeps the last known state while upstream does not answer', async () => {
    await healthOf();
    service.clock.pass(60_000);
    service.health.states.set(channel.id, fault('upstream_failed'));
    const { health } = await healthOf();
    expect([health.token, health.checkedAt]).toEqual(['valid', service.clock.now() - 60_000]);
  });

  test('is probed once a minute also while upstream does not answer', async () => {
    service.health.states.set(channel.id, fault('upstream_failed'));
    await healthOf();
    service.clock.pass(59_999);
    await healthOf();
    expect(service.health.probed).toHaveLength(1);
    service.clock.pass(1);
    service.health.states.delete(channel.id);
    expect((await healthOf()).health.token).toBe('valid');
    expect(service.told.filter(({ msg }) => msg === 'channel.not-probed')).toEqual([
      expect.objectContaining({
        level: 'info',
        channel: channel.id,
        why: 'Upstream platform error: no usable answer',
      }),
    ]);
  });

  test('whose upstream does not answer reports nothing about another channel, or about another token', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    service.clock.pass(60_000); // a flow probes the account's other channels
    service.health.probed.length = 0;
    service.health.states.set(channel.id, fault('upstream_failed'));
    await healthOf();
    await service.features.channelHealth(tenant, other.id);
    stands({ token: service.sealer.sealText('another', 'token') });
    await healthOf();
    expect(service.health.probed).toEqual([channel.id, other.id, channel.id]);
  });

  test('that is reconnected is probed at once', async () => {
    await healthOf();
    service.clock.pass(1);
    stands({ connectedAt: service.clock.now() });
    await healthOf();
    expect(service.health.probed).toEqual([channel.id, channel.id]);
  });

  test('without a token is not probed', async () => {
    stands({ token: null });
    expect((await codes())[0]).toBe('token_missing');
    expect(service.health.probed).toEqual([]);
  });

  test('is not probed while sixteen others are; the last known state is reported', async () => {
    const { channels } = service.stores;
    const named = async (id: string) => ({ ...channel, id });
    service.stores.channels = { ...channels, inAccount: named, byId: named };
    const probe = service.health.probe.bind(service.health);
    let answer = (): void => undefined;
    const slow = new Promise<void>((resolve) => (answer = resolve));
    service.health.probe = async (of) => {
      const answered = probe(of);
      await slow;
      return answered;
    };
    const ask = async (id: string) => (await service.features.channelHealth(tenant, id)).health.token;
    const sixteen = Array.from({ length: 16 }, (_, n) => ask(`c-${n}`));
    while (service.health.probed.length < 16) await new Promise(setImmediate);
    expect(await ask('c-16')).toBeNull();
    answer();
    expect(new Set(await Promise.all(sixteen))).toEqual(new Set(['valid']));
    expect(await ask('c-16')).toBe('valid');
  });

  test('is unavailable while the store is down', async () => {
    const gone = new StoreUnavailable('away');
    service.health.states.set(channel.id, gone);
    await expect(healthOf()).rejects.toBe(gone);
  });

  test('of another account is 404', async () => {
    const stranger = await newTenant(service);
    expect(await refusalOf(service.features.channelHealth(stranger, channel.id))).toEqual({
      status: 404,
      detail: 'Channel not found',
    });
    expect(service.health.probed).toEqual([]);
  });

  describe('reports its last event and delivery', () => {
    const hearAndFail = async () => {
      const inbound: InboundMessage = {
        kind: 'inbound',
        channelType: 'pagechat',
        identity: channel.identity ?? '',
        upstreamId: 'm_1',
        from: '88',
        fromName: null,
        at: 0,
        caption: null,
        parts: [{ type: 'text', text: 'hello' }],
      };
      service.parser.post = { facts: [inbound], malformed: 0, ignored: 0, unparsed: [], notices: [] };
      await service.features.receiveUpstreamPost(new Uint8Array());
      service.features.noteDelivery(channel.id, { isTaken: false, attempt: 1, result: '500' });
      const heardAt = service.clock.now();
      return { inboundAt: heardAt, statusAt: null, deliveredAt: null, deliveryFailedAt: heardAt };
    };

    test('before and after they are written', async () => {
      const seen = await hearAndFail();
      const before = await healthOf();
      expect(before.health).toMatchObject(seen);
      expect(before.problems.map(({ code }) => code)).toContain('webhook_failing');
      await service.features.flushActivity();
      expect(await service.stores.health.of(channel.id)).toMatchObject(seen);
      service.clock.pass(1);
      service.features.noteDelivery(channel.id, { isTaken: true, attempt: 2, result: '200' });
      expect(await codes()).not.toContain('webhook_failing');
    });

    test.each(['in memory', 'in the store'])(
      '[faults: 496] but no failure %s of an address that the client has replaced',
      async (where) => {
        await setReceiver();
        await service.features.updateChannel(tenant, channel.id, { webhookEvents: ['message.received'] });
        await hearAndFail();
        if (where === 'in the store') await service.features.flushActivity();
        expect(await codes()).toEqual(['webhook_failing']);
        await service.features.updateChannel(tenant, channel.id, { webhookEvents: ['message.read'] });
        expect(await codes()).toEqual(['webhook_failing']);
        await service.features.updateChannel(tenant, channel.id, { webhookUrl: 'https://other.example/' });
        expect(await codes()).toEqual([]);
        await service.features.flushActivity();
        expect(await codes()).toEqual([]);
        expect(await service.features.listFailing()).toEqual([]);
      },
    );

    test.each([0, 1, 2, 3, 5, 8, 13])('while they are being written, read %i turns later', async (turns) => {
      await healthOf();
      const seen = await hearAndFail();
      const writing = service.features.flushActivity();
      for (let i = 0; i < turns; i += 1) await new Promise(setImmediate);
      expect((await healthOf()).health).toMatchObject(seen);
      const [only] = (await service.features.listChannelsWithHealth(tenant, everything)).items;
      expect(only?.health).toMatchObject(seen);
      await writing;
    });

    test('in a write that starts during another one and ends when it is written', async () => {
      await setReceiver();
      const seen = await hearAndFail();
      const writing = service.features.flushActivity();
      expect((await service.features.listFailing()).map(({ health }) => health)).toMatchObject([seen]);
      await writing;
    });
  });
});

describe('an endpoint that failed and has recovered [faults §6.6]', () => {
  const failed = (attempt: number) =>
    service.features.noteDelivery(channel.id, { isTaken: false, attempt, result: '500' });
  const taken = () => service.features.noteDelivery(channel.id, { isTaken: true, attempt: 4, result: '200' });
  const keep = () => service.features.flushActivity();
  const recoveries = async () => (await mails()).filter(({ kind }) => kind === 'webhook-recovered');

  test.each([
    ['within a minute', async () => undefined],
    ['after it was written', keep],
  ])('its owner, who was warned, is informed once: %s', async (_, between) => {
    failed(1);
    const since = service.clock.now();
    service.clock.pass(60_000);
    failed(3);
    await between();
    service.clock.pass(60_000);
    taken();
    await keep();
    taken();
    await keep();
    const [mail, ...others] = await recoveries();
    expect(others).toEqual([]);
    expect(mail?.id).toBe(idFrom('mail', 'webhook-recovered', channel.id, String(since)));
    expect(mail?.subject).toMatch(/^The webhook endpoint of your pagechat channel ".+" works again$/);
    expect(mail?.lines.join(' ')).toContain(new Date(since).toISOString().slice(0, 16).replace('T', ' '));
    expect(mail?.lines.join(' ')).toContain(`/portal/channels/${channel.id}`);
  });

  test('of several leads to its page', async () => {
    const given = { url: 'https://crm.example/in', events: ['message.received'] };
    const { endpoint } = await service.features.addEndpoint(tenant, channel.id, given);
    const of = ownerOf(channel.id, endpoint.id);
    const at = (attempt: number, isTaken: boolean) =>
      service.features.noteDelivery(of, { isTaken, attempt, result: isTaken ? '200' : '500' });
    at(1, false);
    at(3, false);
    at(4, true);
    await keep();
    const [mail] = await recoveries();
    expect(mail?.lines.at(-1)).toMatch(`/portal/channels/${channel.id}/endpoints/${endpoint.id}`);
  });

  test('an owner who was not warned is not informed', async () => {
    failed(1);
    failed(2);
    await keep();
    service.clock.pass(1);
    taken();
    await keep();
    expect(await recoveries()).toEqual([]);
  });

  test('nobody is informed if the channel is gone', async () => {
    failed(3);
    taken();
    const { channels } = service.stores;
    service.stores.channels = { ...channels, byId: async () => null };
    await keep();
    expect(await recoveries()).toEqual([]);
  });

  test('operators see a failing one, with its start and last answer', async () => {
    await setReceiver();
    failed(1);
    const since = service.clock.now();
    service.clock.pass(60_000);
    failed(2);
    const found = await service.features.listFailing();
    expect(found).toMatchObject([
      {
        channel: { id: channel.id },
        health: { failingSince: since, lastFailure: '500', deliveryFailedAt: since + 60_000 },
      },
    ]);
    service.clock.pass(1);
    taken();
    expect(await service.features.listFailing()).toEqual([]);
  });

  test('[faults: I9] a thousand failing ones are read in several turns of the event loop', async () => {
    await setReceiver();
    failed(1);
    const [found] = await service.features.listFailing();
    const { health } = service.stores;
    const all = Array.from({ length: 1_000 }, () => ({ ...unknownHealth(channel.id), ...found?.health }));
    service.stores.health = { ...health, failing: async () => all };
    const turns = countTurns();
    expect(await service.features.listFailing()).toHaveLength(1_000);
    expect(turns()).toBeGreaterThan(5);
  });

  test('operators see what fails now, however many that take no events any more failed before', async () => {
    await setReceiver();
    failed(1);
    const [found] = await service.features.listFailing();
    const gone = Array.from({ length: 1_000 }, () => ({ ...unknownHealth(newId()), failingSince: 1 }));
    const { health } = service.stores;
    service.stores.health = {
      ...health,
      failing: async (_, last) =>
        last === undefined ? gone : [{ ...unknownHealth(channel.id), ...found?.health }],
    };
    expect(await service.features.listFailing()).toMatchObject([{ channel: { id: channel.id } }]);
  });

  test('operators see a failing endpoint, with its own address, until it is disabled or removed', async () => {
    const given = { url: 'https://crm.example/in', events: ['message.received'] };
    const { endpoint } = await service.features.addEndpoint(tenant, channel.id, given);
    const failingSince = service.clock.now();
    const activity = { channelId: ownerOf(channel.id, endpoint.id), failingSince, lastFailure: '401' };
    await service.stores.health.noteActivity([{ ...activity, deliveryFailedAt: failingSince }]);
    const shown = { channel: { id: channel.id }, endpointId: endpoint.id, url: given.url };
    expect(await service.features.listFailing()).toMatchObject([
      { ...shown, health: { lastFailure: '401' } },
    ]);
    const { endpoints } = await service.features.diagnoseChannel(channel.id);
    expect(endpoints).toEqual([
      { id: endpoint.id, url: given.url, disabledAt: null, failingSince, lastFailure: '401' },
    ]);
    await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { isEnabled: false });
    expect(await service.features.listFailing()).toEqual([]);
    await service.features.removeEndpoint(tenant, channel.id, endpoint.id);
    expect(await service.features.listFailing()).toEqual([]);
  });

  test('operators see none for a channel that was removed, or has no webhook URL any more', async () => {
    failed(1);
    await setReceiver(null);
    expect(await service.features.listFailing()).toEqual([]);
    await setReceiver();
    failed(1);
    expect(await service.features.listFailing()).toHaveLength(1);
    await service.features.deactivateChannel(tenant, channel.id);
    expect(await service.features.listFailing()).toEqual([]);
  });
});

describe('a problem on record', () => {
  test('is listed, with its beginning, until the channel is connected again', async () => {
    const since = service.clock.now();
    await service.stores.health.noteProblem(channel.id, { code: 'access_removed' }, since);
    service.clock.pass(60_000);
    const [first] = (await healthOf()).problems;
    expect(first).toMatchObject({ code: 'access_removed', affects: ['send', 'receive'], since });
    const [listed] = (await service.features.listChannelsWithHealth(tenant, everything)).items;
    expect(listed?.problems[0]).toEqual(first);
    await service.features.deactivateChannel(tenant, channel.id);
    await connected(service, tenant, assetOf('pagechat', channel.identity ?? ''));
    expect(await codes()).toEqual(['webhook_missing']);
  });
});

describe('what a probe shows', () => {
  const shows = (...shown: UpstreamProblemCode[]) =>
    service.health.conditions.set(channel.id, {
      problems: shown.map((code) => ({ code })),
      lookedFor: ['access_removed', 'sends_blocked', 'webhook_elsewhere', 'account_restricted'],
    });
  const probed = async () => {
    service.clock.pass(60_000);
    return (await codes()).filter((code) => code !== 'webhook_missing');
  };

  test('goes on record, is mailed once, and ends when it shows it no more', async () => {
    shows('sends_blocked', 'webhook_elsewhere');
    expect(await probed()).toEqual(['webhook_elsewhere', 'sends_blocked']);
    expect(await probed()).toEqual(['webhook_elsewhere', 'sends_blocked']);
    expect((await mails()).map(({ kind }) => kind)).toEqual(['channel-problem', 'channel-problem']);
    shows();
    expect(await probed()).toEqual([]);
  });

  test('ends what it does not look for never, and a restriction after a day', async () => {
    const { health } = service.stores;
    for (const code of ['sends_paused', 'account_restricted'] as const)
      await health.noteProblem(channel.id, { code }, service.clock.now());
    shows();
    expect(await probed()).toEqual(['sends_paused', 'account_restricted']);
    service.clock.pass(dayMs);
    expect(await probed()).toEqual(['sends_paused']);
  });

  test('says nothing about a removal that upstream has just announced', async () => {
    await service.stores.health.noteProblem(channel.id, { code: 'access_removed' }, service.clock.now() + 1);
    shows();
    expect(await probed()).toEqual(['access_removed']);
    expect(await probed()).toEqual([]);
  });

  test('about an older token says nothing about the new one', async () => {
    shows('access_removed');
    const { channels } = service.stores;
    const token = service.sealer.sealText('another', 'token');
    service.stores.channels = { ...channels, byId: async () => ({ ...channel, token }) };
    expect(await probed()).toEqual([]);
  });
});

describe('a probe that upstream answers late', () => {
  beforeEach(() => void service.health.states.set(channel.id, refused));
  const meanwhile = (act: () => Promise<unknown>): void => {
    service.health.beforeAnswer = () => {
      service.health.beforeAnswer = async () => undefined;
      return act();
    };
  };
  const remove = () => service.features.deactivateChannel(tenant, channel.id);

  test('says nothing about the token with which the channel was connected again', async () => {
    meanwhile(async () => {
      await remove();
      await connected(service, tenant, assetOf('pagechat', channel.identity ?? ''));
    });
    await healthOf();
    expect((await service.stores.health.of(channel.id))?.token ?? null).toBeNull();
  });

  test('brings no channel that was removed back into the lists of its account', async () => {
    meanwhile(remove);
    await healthOf();
    expect((await service.stores.health.ailing(tenant.accountId, 10)).flat()).toEqual([]);
  });
});

test('a channel whose access was removed can be connected again without being named', async () => {
  await service.stores.health.noteProblem(channel.id, { code: 'access_removed' }, service.clock.now());
  const again = await connected(service, tenant, assetOf('pagechat', channel.identity ?? ''));
  expect([again.channel.id, await codes()]).toEqual([channel.id, ['webhook_missing']]);
});

test('a send that is refused as if the channel were lost has it probed, once in ten minutes', async () => {
  service.health.conditions.set(channel.id, { problems: [{ code: 'access_removed' }] });
  for (const _ of [1, 2]) await service.features.noteRefusedAccess(channel.id);
  await until('the probe', async () => (await codes())[0] === 'access_removed');
  expect(service.health.probed).toEqual([channel.id]);
  service.clock.pass(600_000);
  await service.features.noteRefusedAccess(channel.id);
  expect(service.health.probed).toHaveLength(2);
});
