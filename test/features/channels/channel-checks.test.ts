/** [operator-interface §4: channel health] The job that checks all channels: what it repairs, whom it mails, and the bounds of one run. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ChannelChecks } from '../../../src/features/channels/check-channels.ts';
import { dayMs, hourMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { unknownHealth } from '../../../src/rules/channels/health.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { idFrom } from '../../../src/kernel/ids.ts';
import { refused, unsubscribed, well } from '../support/outside.ts';
import { connectedChannel, mailsTo, newTenant } from '../support/service.ts';
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
const mails = () => mailsTo(service, tenant);
const check = () => service.features.checkChannels();

describe('a check of all channels', () => {
  test('restores a subscription that upstream has lost, and mails nobody', async () => {
    service.health.states.set(channel.id, unsubscribed);
    const subscribed = service.upstream.subscribed.length;
    const subscribe = service.upstream.subscribe.bind(service.upstream);
    service.upstream.subscribe = async (given) => {
      await subscribe(given);
      service.health.states.set(channel.id, well);
    };
    await check();
    expect(service.upstream.subscribed).toHaveLength(subscribed + 1);
    const kind = { channel_type: 'pagechat' };
    expect(service.counted('channels_subscribed_again_total', kind)).toBe(1);
    expect(service.told).toContainEqual(
      expect.objectContaining({ msg: 'channel.subscribed-again', level: 'info', channel: channel.id }),
    );
    expect((await healthOf()).health.isSubscribed).toBe(true);
    expect(await mails()).toEqual([]);
  });

  test('mails the owner about a problem that it cannot repair, once for each problem and day, about a refused token once', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 100;
    service.upstream.failure = fault('upstream_failed', { why: 'no' });
    for (let runs = 0; runs < 3; runs += 1) {
      await check();
      service.clock.pass(hourMs);
    }
    const today = Math.floor((service.clock.now() - hourMs) / dayMs);
    expect((await mails()).map(({ id, kind, lines }) => [id, kind, lines])).toEqual([
      [
        idFrom('mail', 'channel-problem', channel.id, 'not_subscribed', String(today)),
        'channel-problem',
        [
          expect.stringContaining('No message is received through the channel.'),
          expect.stringMatching(/^Problem: Upstream has no webhook subscription/),
          `Open the channel: https://trunkline.example/portal/channels/${channel.id}`,
        ],
      ],
    ]);
    service.health.states.set(channel.id, refused);
    await check();
    expect(await mails()).toHaveLength(2);
    service.clock.pass(dayMs);
    await check();
    expect((await mails()).map(({ kind }) => kind)).toEqual(['reconnect', 'channel-problem']);
  });

  test('probes each channel once in HEALTH_CHECK_INTERVAL_MS', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await check();
    service.clock.pass(hourMs - 1);
    await check();
    expect(service.health.probed.toSorted()).toEqual([channel.id, other.id].toSorted());
    service.clock.pass(1);
    await check();
    expect(service.health.probed).toHaveLength(4);
  });

  test('[faults: 451] probes a channel that a node with a clock ahead has checked, each node once in the interval', async () => {
    const [ahead, right] = [new ChannelChecks(service.world), new ChannelChecks(service.world)];
    const probed: number[] = [];
    for (let turns = 0; turns < 3; turns += 1) {
      service.clock.pass(8 * hourMs);
      await ahead.run();
      service.clock.pass(-8 * hourMs);
      await right.run();
      probed.push(service.health.probed.length);
    }
    expect(probed).toEqual([2, 2, 2]);
  });

  test('skips channels that are inactive or without a licence', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await service.features.bindChannel(channel.id, null);
    await service.features.deactivateChannel(tenant, other.id);
    await service.jobsDone();
    service.health.probed.length = 0;
    await check();
    expect(service.health.probed).toEqual([]);
  });

  test('keeps the found state if upstream refuses the subscription, and the log says why', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 1;
    service.upstream.failure = fault('upstream_failed', { why: 'no' });
    service.told.length = 0;
    await check();
    expect(service.counted('channels_subscribed_again_total')).toBe(0);
    expect(service.told.filter(({ msg }) => msg !== 'mail.stored')).toEqual([
      expect.objectContaining({
        msg: 'channel.not-subscribed-again',
        level: 'warn',
        channel: channel.id,
        why: 'Upstream platform error: no',
      }),
    ]);
    expect(service.health.probed).toEqual([channel.id]);
  });

  test('rejects if the store fails, which is not counted as a failure of upstream', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 1;
    service.upstream.failure = new StoreUnavailable('away');
    await expect(check()).rejects.toBe(service.upstream.failure);
  });

  test('[faults: 493] leaves no subscription of a channel that is removed while it is subscribed', async () => {
    service.health.states.set(channel.id, unsubscribed);
    const subscribe = service.upstream.subscribe.bind(service.upstream);
    service.upstream.subscribe = async (given) => {
      service.upstream.subscribe = subscribe;
      await service.features.deactivateChannel(tenant, channel.id);
      await service.jobsDone();
      service.upstream.unsubscribed.length = 0;
      await subscribe(given);
    };
    await check();
    await service.jobsDone();
    expect(service.upstream.unsubscribed).toEqual([channel.id]);
    expect(service.counted('channels_subscribed_again_total')).toBe(0);
  });

  test.each(['deactivated', 'gone'])('does not subscribe a channel that is %s meanwhile', async (what) => {
    service.health.states.set(channel.id, unsubscribed);
    const { channels } = service.stores;
    const stored = what === 'gone' ? null : { ...channel, isActive: false };
    service.stores.channels = { ...channels, byId: async () => stored };
    const before = service.upstream.subscribed.length;
    await check();
    expect(service.upstream.subscribed).toHaveLength(before);
  });

  test('mails nobody if upstream does not answer', async () => {
    service.health.states.set(channel.id, fault('upstream_failed'));
    await check();
    expect(await mails()).toEqual([]);
  });

  test('mails the owner of a channel without a token', async () => {
    const { channels } = service.stores;
    service.stores.channels = { ...channels, activeAfter: async () => [{ ...channel, token: null }] };
    await check();
    expect((await mails()).map(({ kind, lines }) => [kind, lines[1]])).toEqual([
      ['channel-problem', 'Problem: The channel has no access token; connect it again.'],
    ]);
  });
});

describe('a run', () => {
  let many: Channel[];
  let asked: string[];
  /** Makes the store list this number of channels, ordered by id. */
  const has = (count: number) => {
    const { channels } = service.stores;
    many = Array.from({ length: count }, (_, n) => ({ ...channel, id: `c-${1_000 + n}` }));
    asked = [];
    service.stores.channels = {
      ...channels,
      async activeAfter(after, limit) {
        asked.push(after);
        return many.filter(({ id }) => id > after).slice(0, limit);
      },
      byId: async (sought) => many.find(({ id }) => id === sought) ?? null,
    };
  };
  /** Marks every channel as just probed. */
  const allAreFresh = () => {
    const { health } = service.stores;
    const of = async (id: string) => ({ ...unknownHealth(id), checkedAt: service.clock.now() });
    service.stores.health = { ...health, of };
  };

  test('probes about forty channels; the next run continues after them, and the one after the last starts again', async () => {
    has(60);
    await check();
    const first = service.health.probed.length;
    expect([40, 41, 42, 43]).toContain(first);
    for (let runs = 0; runs < 2; runs += 1) await check();
    expect(service.health.probed.toSorted()).toEqual(many.map(({ id }) => id));
    expect(asked).toEqual(['', many[first - 1]?.id, '']);
  });

  test('starts no probe later than twenty seconds after its start', async () => {
    has(60);
    const probe = service.health.probe.bind(service.health);
    let isFirst = true;
    service.health.probe = (of) => {
      if (isFirst) service.clock.pass(20_000);
      isFirst = false;
      return probe(of);
    };
    await check();
    expect(service.health.probed).toHaveLength(4); // concurrently
    await check();
    expect(asked).toEqual(['', many[3]?.id]);
  });

  test('skips up to two hundred recently probed channels; at the end, the next run starts again', async () => {
    has(200);
    allAreFresh();
    for (let runs = 0; runs < 3; runs += 1) await check();
    expect(asked).toEqual(['', many[199]?.id, '']);
    expect(service.health.probed).toEqual([]);
  });
});
