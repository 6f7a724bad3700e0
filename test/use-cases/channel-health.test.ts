/** How a channel fares: what its account is told, what the job mends, and what its owner is mailed. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { InboundMessage } from '../../src/domain/messages/facts.ts';
import { fault } from '../../src/kernel/faults.ts';
import { connectedChannel, everything, newTenant, openService, refusalOf } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  service = await openService();
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});
afterEach(() => service.close());

const healthOf = () => service.useCases.channelHealth(tenant, channel.id);
const codes = async () => (await healthOf()).problems.map(({ code }) => code);
const mails = async () => (await service.useCases.listMails(tenant.accountId, everything)).items;
const refused = { token: 'refused', isSubscribed: null, qualityRating: null } as const;
const deaf = { token: 'valid', isSubscribed: false, qualityRating: null } as const;
const well = { token: 'valid', isSubscribed: true, qualityRating: null } as const;
const hour = 3_600_000;
const asked = { code: 190, isSend: false };

describe('a channel', () => {
  test('that is well lacks nothing but a webhook; upstream is asked once a minute however often one looks', async () => {
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

  test('says why it can not send or receive', async () => {
    service.health.states.set(channel.id, refused);
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    service.clock.pass(60_000);
    service.health.states.set(channel.id, deaf);
    expect(await codes()).toEqual(['not_subscribed', 'webhook_missing']);
    await service.useCases.bindChannel(channel.id, null);
    await service.useCases.deactivateChannel(tenant, channel.id);
    expect(await codes()).toEqual(['inactive', 'licence_inactive', 'webhook_missing']);
  });

  test('that is inactive tells nothing of its subscription, which may have ended with it', async () => {
    expect((await healthOf()).health.isSubscribed).toBe(true);
    await service.useCases.deactivateChannel(tenant, channel.id);
    expect((await healthOf()).health.isSubscribed).toBeNull();
  });

  test('keeps what was known while upstream does not answer', async () => {
    await healthOf();
    service.clock.pass(60_000);
    service.health.states.set(channel.id, fault('upstream_failed'));
    const { health } = await healthOf();
    expect([health.token, health.checkedAt]).toEqual(['valid', service.clock.now() - 60_000]);
  });

  test('is asked about once a minute also while upstream does not answer', async () => {
    service.health.states.set(channel.id, fault('upstream_failed'));
    await healthOf();
    service.clock.pass(59_999);
    await healthOf();
    expect(service.health.probed).toHaveLength(1);
    service.clock.pass(1);
    service.health.states.delete(channel.id);
    expect((await healthOf()).health.token).toBe('valid');
  });

  test('of another account is not found', async () => {
    const stranger = await newTenant(service);
    expect(await refusalOf(service.useCases.channelHealth(stranger, channel.id))).toEqual({
      status: 404,
      detail: 'Channel not found',
    });
    expect(service.health.probed).toEqual([]);
  });

  describe('tells when it was last heard and delivered', () => {
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
      service.parser.post = { facts: [inbound], malformed: 0, ignored: 0, leftOut: [] };
      await service.useCases.receiveUpstreamPost(new Uint8Array());
      service.useCases.noteDelivery(channel.id, { isTaken: false, attempt: 1, result: '500' });
      const heardAt = service.clock.now();
      return { inboundAt: heardAt, statusAt: null, deliveredAt: null, deliveryFailedAt: heardAt };
    };

    test('before and after that is written', async () => {
      const seen = await hearAndFail();
      const before = await healthOf();
      expect(before.health).toMatchObject(seen);
      expect(before.problems.map(({ code }) => code)).toContain('webhook_failing');
      await service.useCases.keepActivity();
      expect(await service.stores.health.of(channel.id)).toMatchObject(seen);
      service.clock.pass(1);
      service.useCases.noteDelivery(channel.id, { isTaken: true, attempt: 2, result: '200' });
      expect(await codes()).not.toContain('webhook_failing');
    });

    test.each([0, 1, 2, 3, 5, 8, 13])('while that is written, asked %i turns on', async (turns) => {
      await healthOf();
      const seen = await hearAndFail();
      const writing = service.useCases.keepActivity();
      for (let i = 0; i < turns; i += 1) await new Promise(setImmediate);
      expect((await healthOf()).health).toMatchObject(seen);
      const [only] = (await service.useCases.channelsFaring(tenant, everything)).items;
      expect(only?.health).toMatchObject(seen);
      await writing;
    });

    test('in a write that begins while one is on its way and is over when it is written', async () => {
      const seen = await hearAndFail();
      const writing = service.useCases.keepActivity();
      expect((await service.useCases.listFailing()).map(({ health }) => health)).toMatchObject([seen]);
      await writing;
    });
  });
});

describe('an endpoint that failed and works again [faults §6.6]', () => {
  const failed = (attempt: number) =>
    service.useCases.noteDelivery(channel.id, { isTaken: false, attempt, result: '500' });
  const taken = () => service.useCases.noteDelivery(channel.id, { isTaken: true, attempt: 4, result: '200' });
  const keep = () => service.useCases.keepActivity();
  const recoveries = async () => (await mails()).filter(({ kind }) => kind === 'webhook-recovered');

  test.each([
    ['within a minute', async () => undefined],
    ['after it was written', keep],
  ])('its owner, who was warned, hears of it once: %s', async (_, between) => {
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
    expect(mail?.subject).toMatch(/^The webhook endpoint of ".*" \(pagechat\) works again$/);
    expect(mail?.lines.join(' ')).toContain(new Date(since).toISOString().slice(0, 16).replace('T', ' '));
    expect(mail?.lines.join(' ')).toContain(`/portal/channels/${channel.id}`);
  });

  test('who was not warned is told nothing', async () => {
    failed(1);
    failed(2);
    await keep();
    service.clock.pass(1);
    taken();
    await keep();
    expect(await recoveries()).toEqual([]);
  });

  test('operators see it while it fails, with since when and what it answered', async () => {
    failed(1);
    const since = service.clock.now();
    service.clock.pass(60_000);
    failed(2);
    const found = await service.useCases.listFailing();
    expect(found).toMatchObject([
      {
        channel: { id: channel.id },
        health: { failingSince: since, lastFailure: '500', deliveryFailedAt: since + 60_000 },
      },
    ]);
    service.clock.pass(1);
    taken();
    expect(await service.useCases.listFailing()).toEqual([]);
  });
});

describe('the job', () => {
  test('makes a subscription that upstream has lost again, and mails nobody', async () => {
    service.health.states.set(channel.id, deaf);
    const subscribed = service.upstream.subscribed.length;
    const subscribe = service.upstream.subscribe.bind(service.upstream);
    service.upstream.subscribe = async (given) => {
      await subscribe(given);
      service.health.states.set(channel.id, well);
    };
    await service.useCases.checkChannels();
    expect(service.upstream.subscribed).toHaveLength(subscribed + 1);
    expect(service.counted('channels_subscribed_again_total')).toBe(1);
    expect((await healthOf()).health.isSubscribed).toBe(true);
    expect(await mails()).toEqual([]);
  });

  test('mails the owner what it can not mend, once for each problem and day, of a refused token once', async () => {
    service.health.states.set(channel.id, deaf);
    service.upstream.failuresLeft = 100;
    service.upstream.failure = fault('upstream_failed', { why: 'no' });
    for (let looks = 0; looks < 3; looks += 1) {
      await service.useCases.checkChannels();
      service.clock.pass(hour);
    }
    expect((await mails()).map(({ kind, lines }) => [kind, lines])).toEqual([
      [
        'channel-problem',
        [
          expect.stringContaining('Nothing comes in through it.'),
          expect.stringMatching(/^What to do: Upstream has no webhook subscription/),
          `The channel: https://trunkline.example/portal/channels/${channel.id}`,
        ],
      ],
    ]);
    service.health.states.set(channel.id, refused);
    await service.useCases.checkChannels();
    expect(await mails()).toHaveLength(2);
    service.clock.pass(24 * hour);
    await service.useCases.checkChannels();
    expect((await mails()).map(({ kind }) => kind)).toEqual(['reconnect', 'channel-problem']);
  });

  test('asks of each channel once in HEALTH_CHECK_INTERVAL_MS', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await service.useCases.checkChannels();
    service.clock.pass(hour - 1);
    await service.useCases.checkChannels();
    expect(service.health.probed.toSorted()).toEqual([channel.id, other.id].toSorted());
    service.clock.pass(1);
    await service.useCases.checkChannels();
    expect(service.health.probed).toHaveLength(4);
  });

  test('passes by channels that are inactive or without a licence', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await service.useCases.bindChannel(channel.id, null);
    await service.useCases.deactivateChannel(tenant, other.id);
    await service.useCases.checkChannels();
    expect(service.health.probed).toEqual([]);
  });
});

describe('a token that upstream refuses', () => {
  test('is noted without another question, and mailed once', async () => {
    await healthOf();
    await service.useCases.noteRefusedToken({ channel, ...asked });
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    expect(service.health.probed).toHaveLength(1);
    service.clock.pass(2 * hour);
    await service.useCases.noteRefusedToken({ channel, ...asked });
    expect((await mails()).map(({ kind }) => kind)).toEqual(['reconnect']);
  });

  test('of a send is mailed by what records the failure', async () => {
    await service.useCases.noteRefusedToken({ channel, ...asked, isSend: true });
    expect(await codes()).toEqual(['token_refused', 'webhook_missing']);
    expect(await mails()).toEqual([]);
  });

  test('and is no longer the channel’s says nothing of it', async () => {
    await service.useCases.noteRefusedToken({ channel: { ...channel, token: null }, ...asked });
    expect(await codes()).toEqual(['webhook_missing']);
    expect(await mails()).toEqual([]);
  });

  test('of a channel that was deactivated meanwhile: nobody is mailed', async () => {
    await service.useCases.deactivateChannel(tenant, channel.id);
    await service.useCases.noteRefusedToken({ channel, ...asked });
    expect(await mails()).toEqual([]);
  });
});
