/** [operator-interface §4; upstream §4.6] What upstream tells of a business account, on its channels. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { isPaused } from '../../../src/rules/channels/channel.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { profileAs } from '../../../src/rules/channels/profile.ts';
import type { AccountFact } from '../../../src/rules/messages/facts.ts';
import { dayMs, hourMs } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { assetOf } from '../support/outside.ts';
import { messageTo, receivePost } from '../support/posts.ts';
import { connected, mailsTo, newIdentity, newLicence, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedNumber(true);
});

const account = 'waba-1';

async function connectedNumber(isDualUse: boolean, identity = newIdentity()): Promise<Channel> {
  const asset = assetOf('chatapp', identity, { businessAccountId: account });
  const profile = profileAs(asset.profile, 'chatapp');
  if (profile === null) throw new Error('not a number');
  return (await connected(service, tenant, { ...asset, profile: { ...profile, isDualUse } })).channel;
}

function told(change: AccountFact['change'], over: Partial<AccountFact> = {}): Promise<void> {
  const at = service.clock.now();
  const fact = {
    kind: 'account',
    businessAccountId: account,
    phoneNumber: null,
    at,
    change,
    says: null,
    ...over,
  } as const;
  service.parser.post = { facts: [fact], malformed: 0, ignored: 0, unparsed: [], notices: [] };
  return service.features.receiveUpstreamPost(new Uint8Array());
}

const problems = async () =>
  (await service.features.channelHealth(tenant, channel.id)).problems.filter(
    ({ since }) => since !== undefined,
  );
const codes = async () => (await problems()).map(({ code }) => code);
const mails = async () => (await mailsTo(service, tenant)).map(({ kind }) => kind);
const stored = () => service.stores.channels.byId(channel.id);

test.each([
  ['removed', 'access_removed', ['send', 'receive']],
  ['deleted', 'access_removed', ['send', 'receive']],
  ['disabled', 'account_disabled', ['send', 'receive']],
  ['to-be-disabled', 'account_restricted', []],
  ['restricted', 'account_restricted', ['send']],
  ['limited', 'account_restricted', []],
  ['violated', 'account_restricted', []],
] as const)(
  'an account that is %s has the problem %s at once, and one mail',
  async (change, code, affects) => {
    await told(change, { says: 'THEIR_WORD' });
    await told(change, { says: 'THEIR_WORD' });
    expect(await problems()).toEqual([
      {
        code,
        affects,
        detail: expect.stringContaining('(THEIR_WORD)'),
        since: service.clock.now(),
        nextTryAt: null,
      },
    ]);
    expect(await mails()).toEqual(['channel-problem']);
  },
);

test('an account that is reinstated is not disabled any more', async () => {
  await told('disabled');
  await told('reinstated');
  expect(await codes()).toEqual([]);
});

test('what limits nothing of a channel takes no effect of a restriction away; the restriction has a mail of its own', async () => {
  const affects = async () => (await problems()).map((problem) => problem.affects);
  await told('violated');
  expect([await affects(), await mails()]).toEqual([[[]], ['channel-problem']]);
  await told('restricted');
  expect([await affects(), await mails()]).toEqual([[['send']], ['channel-problem', 'channel-problem']]);
  await told('limited');
  await told('violated');
  expect([await affects(), (await mails()).length]).toEqual([[['send']], 2]);
});

test('only channels of that account, and of that number, are concerned', async () => {
  await told('removed', { businessAccountId: 'another' });
  await told('removed', { phoneNumber: '4930123456' });
  expect(await codes()).toEqual([]);
  await told('removed', { phoneNumber: '491700000001' });
  expect(await codes()).toEqual(['access_removed']);
});

test('the removal of another app of the same partner is not ours', async () => {
  await told('removed', { appId: '700100200300499' });
  expect([await codes(), await mails()]).toEqual([[], []]);
  await told('removed', { appId: service.world.upstreamApp.appId });
  expect(await codes()).toEqual(['access_removed']);
});

test('a number is known in the other form that upstream may give it', async () => {
  await told('removed', { phoneNumber: '4991700000001' });
  expect(await codes()).toEqual(['access_removed']);
});

describe('a number that is registered anew on its phone', () => {
  test('pauses its channel until upstream has it back; the owner of the channel hears both', async () => {
    const at = service.clock.now();
    const before = service.router.reloadsOf(channel.id);
    await told('paused');
    expect([await codes(), (await stored())?.sendsPausedAt]).toEqual([['sends_paused'], at]);
    expect(service.router.reloadsOf(channel.id) - before).toBe(1);
    service.clock.pass(300_000);
    await told('resumed');
    expect([await codes(), (await stored())?.sendsResumedAt]).toEqual([[], at + 300_000]);
    expect(service.router.reloadsOf(channel.id) - before).toBe(2);
    await told('paused', { at });
    expect(await codes()).toEqual([]);
    expect(await mails()).toEqual([]);
  });

  test('pauses no number of its account that is on no phone, unless upstream names that number', async () => {
    await newLicence(service, tenant);
    const plain = await connectedNumber(false);
    const paused = async () => (await service.stores.channels.byId(plain.id))?.sendsPausedAt ?? null;
    await told('paused');
    expect([await codes(), await paused()]).toEqual([['sends_paused'], null]);
    await told('paused', { phoneNumber: '491700000001' });
    expect(await paused()).toBe(service.clock.now());
  });

  test.each(['removed', 'deleted'] as const)(
    'whose access is %s is not paused any more, in whatever order upstream tells it',
    async (change) => {
      const at = service.clock.now();
      await told('paused');
      const before = service.router.reloadsOf(channel.id);
      await told(change, { at: at + 1_000 });
      expect([await codes(), (await stored())?.sendsResumedAt]).toEqual([['access_removed'], at + 1_000]);
      expect(service.router.reloadsOf(channel.id) - before).toBe(1);
      await told('paused', { at: at + 500 });
      expect(await codes()).toEqual(['access_removed']);
    },
  );

  // [faults: 490] Upstream's word that it is back was lost.
  const writes = (secondsLater: number) =>
    receivePost(service, [{ ...messageTo(channel), at: service.clock.now() + secondsLater * 1_000 }]);

  test('is back with a message that a person wrote to it well after the pause began', async () => {
    await told('paused');
    const before = service.router.reloadsOf(channel.id);
    await writes(60);
    expect([await codes(), isPaused((await stored()) ?? channel)]).toEqual([[], false]);
    expect(service.router.reloadsOf(channel.id) - before).toBe(1);
    await told('paused', { at: service.clock.now() + 120_000 });
    expect(await codes()).toEqual(['sends_paused']);
  });

  test.each([-1, 0, 59])('is not back with a message of %i seconds after', async (seconds) => {
    await told('paused');
    const before = service.router.reloadsOf(channel.id);
    await writes(seconds);
    expect([await codes(), isPaused((await stored()) ?? channel)]).toEqual([['sends_paused'], true]);
    expect(service.router.reloadsOf(channel.id)).toBe(before);
  });

  test('is back when upstream calls it able to send an hour after its last pause', async () => {
    const shown = async () => {
      await service.world.probes.probe(channel);
      return [await codes(), isPaused((await stored()) ?? channel)];
    };
    service.health.conditions.set(channel.id, { lookedFor: ['sends_paused'] });
    await told('paused');
    service.clock.pass(hourMs / 2);
    await told('paused');
    service.clock.pass(hourMs - 1);
    expect(await shown()).toEqual([['sends_paused'], true]);
    service.clock.pass(1);
    const before = service.router.reloadsOf(channel.id);
    expect(await shown()).toEqual([[], false]);
    expect(service.router.reloadsOf(channel.id) - before).toBe(1);
  });

  test('whose return comes first is not paused', async () => {
    await told('resumed', { at: service.clock.now() + 1 });
    await told('paused');
    expect(await codes()).toEqual([]);
  });
});

test('connecting again ends everything, and an older event changes nothing', async () => {
  const at = service.clock.now();
  await told('removed', { at: at - 1_000 });
  await told('paused');
  service.clock.pass(hourMs); // upstream limits registrations
  await service.features.deactivateChannel(tenant, channel.id);
  await connectedNumber(true, channel.identity ?? '');
  expect([await codes(), await stored()]).toMatchObject([
    [],
    { sendsPausedAt: at, sendsResumedAt: at + hourMs },
  ]);
  await told('removed', { at });
  expect(await codes()).toEqual([]);
});

test('[faults: 456] connecting again ends a pause that upstream dates after our time, in the write that connects', async () => {
  const at = service.clock.now();
  await told('paused', { at: at + hourMs });
  service.stores.channels = {
    ...service.stores.channels,
    noteSendPause: () => Promise.reject(new StoreUnavailable('away')),
  };
  await service.features.deactivateChannel(tenant, channel.id);
  await connectedNumber(true, channel.identity ?? '');
  expect(await stored()).toMatchObject({ sendsPausedAt: at + hourMs, sendsResumedAt: at + hourMs });
});

test('a store that is down fails the POST, so that upstream repeats it', async () => {
  service.stores.health = {
    ...service.stores.health,
    noteProblem: () => Promise.reject(new StoreUnavailable('away')),
  };
  await expect(told('removed')).rejects.toThrow('away');
});

test('a second mail of the same problem waits for another day and another beginning', async () => {
  await told('removed');
  await service.stores.health.clearProblems(channel.id, 'all', service.clock.now());
  await told('removed');
  expect(await mails()).toHaveLength(1);
  await service.stores.health.clearProblems(channel.id, 'all', service.clock.now());
  service.clock.pass(dayMs);
  await told('removed');
  expect(await mails()).toHaveLength(2);
});
