/** [operator-interface §4: channel health] The job that checks all channels: what it repairs, whom it mails, and the bounds of one run. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { unknownHealth } from '../../src/domain/channels/health.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { refused, unsubscribed, well } from './support/outside.ts';
import { connectedChannel, mailsTo, newTenant, openService } from './support/service.ts';
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
const mails = () => mailsTo(service, tenant);
const look = () => service.useCases.checkChannels();
const hour = 3_600_000;
const day = 24 * hour;

describe('a look at all channels', () => {
  test('makes a subscription that upstream has lost again, and mails nobody', async () => {
    service.health.states.set(channel.id, unsubscribed);
    const subscribed = service.upstream.subscribed.length;
    const subscribe = service.upstream.subscribe.bind(service.upstream);
    service.upstream.subscribe = async (given) => {
      await subscribe(given);
      service.health.states.set(channel.id, well);
    };
    await look();
    expect(service.upstream.subscribed).toHaveLength(subscribed + 1);
    const kind = { channel_type: 'pagechat' };
    expect(service.counted('channels_subscribed_again_total', kind)).toBe(1);
    expect(service.told).toContainEqual(
      expect.objectContaining({ msg: 'channel.subscribed-again', level: 'info', channel: channel.id }),
    );
    expect((await healthOf()).health.isSubscribed).toBe(true);
    expect(await mails()).toEqual([]);
  });

  test('mails the owner what it can not mend, once for each problem and day, of a refused token once', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 100;
    service.upstream.failure = fault('upstream_failed', { why: 'no' });
    for (let looks = 0; looks < 3; looks += 1) {
      await look();
      service.clock.pass(hour);
    }
    const today = Math.floor((service.clock.now() - hour) / day);
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
    await look();
    expect(await mails()).toHaveLength(2);
    service.clock.pass(day);
    await look();
    expect((await mails()).map(({ kind }) => kind)).toEqual(['reconnect', 'channel-problem']);
  });

  test('asks of each channel once in HEALTH_CHECK_INTERVAL_MS', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await look();
    service.clock.pass(hour - 1);
    await look();
    expect(service.health.probed.toSorted()).toEqual([channel.id, other.id].toSorted());
    service.clock.pass(1);
    await look();
    expect(service.health.probed).toHaveLength(4);
  });

  test('passes by channels that are inactive or without a licence', async () => {
    const other = await connectedChannel(service, tenant, 'photoapp');
    await service.useCases.bindChannel(channel.id, null);
    await service.useCases.deactivateChannel(tenant, other.id);
    await look();
    expect(service.health.probed).toEqual([]);
  });

  test('that upstream does not let subscribe again stays as it was seen; the log says why', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 1;
    service.upstream.failure = fault('upstream_failed', { why: 'no' });
    service.told.length = 0;
    await look();
    expect(service.counted('channels_subscribed_again_total')).toBe(0);
    expect(service.told).toEqual([
      expect.objectContaining({
        msg: 'channel.not-subscribed-again',
        level: 'warn',
        channel: channel.id,
        why: 'Upstream platform error: no',
      }),
    ]);
    expect(service.health.probed).toEqual([channel.id]);
  });

  test('is no failure of upstream’s where the store is away', async () => {
    service.health.states.set(channel.id, unsubscribed);
    service.upstream.failuresLeft = 1;
    service.upstream.failure = new StoreUnavailable('away');
    await expect(look()).rejects.toBe(service.upstream.failure);
  });

  test.each(['deactivated', 'gone'])('subscribes none again that is %s meanwhile', async (what) => {
    service.health.states.set(channel.id, unsubscribed);
    const { channels } = service.stores;
    const stands = what === 'gone' ? null : { ...channel, isActive: false };
    service.stores.channels = { ...channels, byId: async () => stands };
    const before = service.upstream.subscribed.length;
    await look();
    expect(service.upstream.subscribed).toHaveLength(before);
  });

  test('without an answer of upstream mails nobody', async () => {
    service.health.states.set(channel.id, fault('upstream_failed'));
    await look();
    expect(await mails()).toEqual([]);
  });

  test('mails the owner of a channel without a token', async () => {
    const { channels } = service.stores;
    service.stores.channels = { ...channels, activeAfter: async () => [{ ...channel, token: null }] };
    await look();
    expect((await mails()).map(({ kind, lines }) => [kind, lines[1]])).toEqual([
      ['channel-problem', 'Problem: The channel has no access token; connect it again.'],
    ]);
  });
});

describe('a run', () => {
  let many: Channel[];
  let asked: string[];
  /** This many channels, by id. */
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
    await look();
    const first = service.health.probed.length;
    expect([40, 41, 42, 43]).toContain(first);
    for (let looks = 0; looks < 2; looks += 1) await look();
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
    await look();
    expect(service.health.probed).toHaveLength(4); // concurrently
    await look();
    expect(asked).toEqual(['', many[3]?.id]);
  });

  test('skips up to two hundred recently probed channels; at the end, the next run starts again', async () => {
    has(200);
    allAreFresh();
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect(asked).toEqual(['', many[199]?.id, '']);
    expect(service.health.probed).toEqual([]);
  });
});
