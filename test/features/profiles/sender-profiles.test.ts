/** [spec: Sender profile; operator-interface §4] Access to sender profiles, and their caching. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fault } from '../../../src/kernel/faults.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { KnownProfile } from '../../../src/features/profiles/shared-profiles.ts';
import { SenderProfiles } from '../../../src/features/profiles/sender-profiles.ts';
import { channelOf } from '../../rules/samples.ts';
import { connectedChannel, newLicence, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const mia = '8800000000000001';
const shown = { first_name: 'Mia', last_name: 'Vogel', profile_pic: null };

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
  service.profiles.shown.set(mia, shown);
});

const ask = (userId = mia, { id } = channel) =>
  service.features.senderProfile(tenant, { channelId: id, userId });

describe('a profile', () => {
  test('is cached for PROFILE_TTL_MS, and says so', async () => {
    const first = await ask();
    service.clock.pass(299_999);
    const second = await ask();
    service.clock.pass(2);
    const third = await ask();

    expect(first).toEqual({
      channelId: channel.id,
      channelType: 'pagechat',
      userId: mia,
      profile: shown,
      cached: false,
    });
    expect([second, third]).toEqual([{ ...first, cached: true }, first]);
    expect(service.profiles.asked).toHaveLength(2);
  });

  test('that upstream does not give is null, cached only for PROFILE_MISS_TTL_MS', async () => {
    const answers = [await ask('8800000000000002')];
    service.clock.pass(29_999);
    answers.push(await ask('8800000000000002'));
    service.clock.pass(2);
    answers.push(await ask('8800000000000002'));
    expect(answers.map(({ profile, cached }) => [profile, cached])).toEqual([
      [null, false],
      [null, true],
      [null, false],
    ]);
  });

  test('is read once, however many requests are concurrent', async () => {
    let answer = (): void => undefined;
    service.profiles.beforeAnswer = () => new Promise((resolve) => (answer = resolve));
    const asking = Array.from({ length: 50 }, () => ask());
    while (service.profiles.asked.length === 0) await new Promise(setImmediate);
    answer();
    const answers = await Promise.all(asking);
    expect(answers.every(({ profile, cached }) => profile === shown && !cached)).toBe(true);
    expect(service.profiles.asked).toEqual([`${channel.id} ${mia}`]);
  });

  test("of the same id on another channel is another person's", async () => {
    await newLicence(service, tenant);
    const other = await connectedChannel(service, tenant, 'pagechat');
    await ask();
    await ask(mia, other);
    expect(service.profiles.asked).toEqual([`${channel.id} ${mia}`, `${other.id} ${mia}`]);
  });

  test('that upstream failed to give is not cached: 502, then read again', async () => {
    service.profiles.failure = fault('upstream_failed', { why: 'no answer' });
    expect(await refusalOf(ask())).toEqual({ status: 502, detail: 'Upstream platform error: no answer' });
    service.profiles.failure = null;
    expect((await ask()).profile).toEqual(shown);
  });
});

test('a hanging upstream gets 16 concurrent calls of a channel, then 503', async () => {
  let release = (): void => undefined;
  const hang = new Promise<void>((resolve) => (release = resolve));
  service.profiles.beforeAnswer = () => hang;
  const hanging = Array.from({ length: 16 }, (_, n) => ask(`88000000000001${n}`));
  while (service.profiles.asked.length < 16) await new Promise(setImmediate);
  expect((await refusalOf(ask('8800000000000200'))).status).toBe(503);
  release();
  await Promise.all(hanging);
  expect((await ask('8800000000000200')).cached).toBe(false);
});

test('of sixteen hanging calls each that ends makes room for another', async () => {
  const waiting: (() => void)[] = [];
  service.profiles.beforeAnswer = () => new Promise((resolve) => void waiting.push(resolve));
  const hanging = Array.from({ length: 16 }, (_, n) => ask(`88000000000001${n}`));
  while (waiting.length < 16) await new Promise(setImmediate);
  waiting[0]?.();
  await hanging[0];
  hanging.push(ask('8800000000000200'));
  while (waiting.length < 17) await new Promise(setImmediate);
  expect((await refusalOf(ask('8800000000000201'))).status).toBe(503);
  for (const answer of waiting) answer();
  expect(await Promise.all(hanging)).toHaveLength(17);
});

test("the nodes' shared cache is read before upstream, and gets upstream's answer", async () => {
  const told: unknown[] = [];
  const known = new Map<string, KnownProfile>([['known', { profile: null }]]);
  const profiles = new SenderProfiles(
    service.clock,
    { foundMs: 5, missingMs: 3 },
    {
      recall: async (subject) => {
        told.push(subject);
        return known.get(subject.userId);
      },
      remember: async (...of) => void told.push(of),
    },
  );
  const subject = { accountId: channel.accountId, channelId: channel.id, connectedAt: channel.connectedAt };
  expect(await profiles.known(channel, 'known')).toEqual({ profile: null });
  expect(await profiles.known(channel, mia)).toBeUndefined();
  await profiles.ask(service.profiles, channel, mia);
  await profiles.ask(service.profiles, channel, '1');
  expect(told).toEqual([
    { ...subject, userId: 'known' },
    { ...subject, userId: mia },
    [{ ...subject, userId: mia }, { profile: shown }, 5],
    [{ ...subject, userId: '1' }, { profile: null }, 3],
  ]);
});

test('hanging upstreams get 64 concurrent calls of a node, then 503', async () => {
  const profiles = new SenderProfiles(service.clock, { foundMs: 0, missingMs: 0 }, null);
  const channels = Array.from({ length: 5 }, (_, n) => channelOf('pagechat', { id: `c-${n}` }));
  const waiting: (() => void)[] = [];
  service.profiles.beforeAnswer = () => new Promise((resolve) => void waiting.push(resolve));
  const askAll = () =>
    channels
      .slice(0, 4)
      .flatMap((of) => Array.from({ length: 16 }, (_, n) => profiles.ask(service.profiles, of, `${n}`)));
  const fifth = () => channels.slice(4).map((of) => profiles.ask(service.profiles, of, mia));
  for (let times = 0; times < 2; times += 1) {
    const hanging = askAll();
    for (const call of fifth()) expect((await refusalOf(call)).status).toBe(503);
    for (const answer of waiting.splice(0)) answer();
    await Promise.all(hanging);
  }
  service.profiles.beforeAnswer = async () => undefined;
  expect(await Promise.all(fifth())).toEqual([{ profile: shown }]);
});

test('nothing is cached if PROFILE_TTL_MS is 0', async () => {
  const profiles = new SenderProfiles(service.clock, { foundMs: 0, missingMs: 300_000 }, null);
  await profiles.ask(service.profiles, channel, mia);
  expect(await profiles.known(channel, mia)).toBeUndefined();
});

describe('is refused', () => {
  test('a channel without a token: 400', async () => {
    const { channels } = service.stores;
    const inAccount = async () => ({ ...channel, token: null });
    service.stores.channels = { ...channels, inAccount };
    expect(await refusalOf(ask())).toEqual({
      status: 400,
      detail: 'The channel has no access token; connect it again',
    });
  });

  test('an inactive channel: 400, whatever is cached', async () => {
    await ask();
    await service.features.deactivateChannel(tenant, channel.id);
    expect(await refusalOf(ask())).toEqual({ status: 400, detail: expect.stringContaining('inactive') });
  });

  test('without a licence: 402 if upstream would be called; a cached profile is answered', async () => {
    await ask();
    await service.features.bindChannel(channel.id, null);
    expect((await ask()).cached).toBe(true);
    expect((await refusalOf(ask('8800000000000002'))).status).toBe(402);
  });

  test('chatapp, an unknown channel and one of another account: 404', async () => {
    const number = await connectedChannel(service, tenant, 'chatapp');
    const stranger = await newTenant(service);
    const foreign = { channelId: channel.id, userId: mia };
    expect(await refusalOf(ask('4915900000777', number))).toEqual({
      status: 404,
      detail: 'Sender profile not found: chatapp channels have none',
    });
    expect(await refusalOf(service.features.senderProfile(stranger, foreign))).toEqual({
      status: 404,
      detail: 'Channel not found',
    });
    expect(service.profiles.asked).toEqual([]);
  });

  test.each([
    '',
    'me',
    '520000000000005/accounts',
    '１２３',
    '12 3',
    '1'.repeat(65),
    '12?fields=id',
    '../..',
    '1\n',
  ])('a malformed user_id: 422 (%j)', async (userId) => {
    const { status, detail } = await refusalOf(ask(userId));
    expect([status, detail]).toEqual([
      422,
      [
        {
          loc: ['path', 'user_id'],
          msg: "String should match pattern '^[0-9]{1,64}$'",
          type: 'string_pattern_mismatch',
        },
      ],
    ]);
    expect(service.profiles.asked).toEqual([]);
  });
});
