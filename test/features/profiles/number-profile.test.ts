/** [operator-interface §4; upstream §4.6] A phone number's profile is read again if a webhook reports a change. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { askForEchoes } from '../../../src/features/channels/echo-question.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChatappProfile } from '../../../src/rules/channels/profile.ts';
import { profileAs } from '../../../src/rules/channels/profile.ts';
import type { UpstreamFact } from '../../../src/rules/messages/facts.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { echoOf } from '../../rules/samples.ts';
import { chatappProfile } from '../../support/profiles.ts';
import { connectedPair, messageTo, receivePost } from '../support/posts.ts';
import { refused } from '../support/outside.ts';
import { refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let chatapp: Channel;
beforeEach(async () => {
  ({ tenant, chatapp } = await connectedPair(service));
});

const receive = (facts: UpstreamFact[]) => receivePost(service, facts);

describe('the profile of a number', () => {
  const now = () => service.stores.channels.byId(chatapp.id);
  const known = () => profileAs(chatapp.profile, 'chatapp') ?? chatappProfile();
  const renewed = (over: Partial<ChatappProfile>) =>
    service.health.profiles.set(chatapp.id, { ...known(), ...over });
  const quality = (phoneNumber: string, businessAccountId = chatapp.subscribedAsset ?? ''): UpstreamFact => ({
    kind: 'number',
    businessAccountId,
    phoneNumber,
  });
  const echo = (): UpstreamFact => ({
    ...echoOf({ channelType: 'chatapp', upstreamId: 'wamid.echo', recipient: '4915900000777' }),
    identity: chatapp.identity ?? '',
  });
  beforeEach(() => {
    service.health.probed.length = 0;
    service.changes.length = 0;
  });

  test('is stored and announced to other nodes if it changed, and if the channel still has the same asset', async () => {
    const look = () => service.features.jobs['look-at-channel']({ channelId: chatapp.id });
    await look();
    renewed({});
    await look();
    expect([service.changes, (await now())?.profile]).toEqual([[], known()]);
    renewed({ qualityRating: 'RED' });
    const { channels } = service.stores;
    service.stores.channels = { ...channels, renewProfile: async () => false };
    try {
      await look();
    } finally {
      service.stores.channels = channels;
    }
    expect(service.changes).toEqual([]);
    await look();
    expect(service.changes).toEqual([{ channelId: chatapp.id }]);
  });

  test("is read when upstream reports a change, and no other number's is", async () => {
    renewed({ qualityRating: 'RED' });
    const digits = known().phoneNumber?.replaceAll(/[^0-9]/g, '') ?? '';
    await receive([quality('1'), quality(digits, '1')]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([]);
    await receive([quality('1'), quality(digits, '1'), quality(digits), quality(digits)]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([chatapp.id]);
    expect((await now())?.profile).toEqual({ ...known(), qualityRating: 'RED' });
    expect(service.changes).toContainEqual({ channelId: chatapp.id });
  });

  test('is read when upstream names the number in its other form, as it does in Brazil and Argentina', async () => {
    renewed({ qualityRating: 'RED' });
    const digits = known().phoneNumber?.replaceAll(/[^0-9]/g, '') ?? '';
    await receive([quality(`${digits.slice(0, 4)}9${digits.slice(4)}`)]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([chatapp.id]);
  });

  test("is read while the channel's owner processes the POST's messages", async () => {
    await receive([messageTo(chatapp)]);
    service.router.asked.length = 0;
    const [message, digits] = [messageTo(chatapp), known().phoneNumber?.replaceAll(/[^0-9]/g, '') ?? ''];
    await receive([message, quality(digits)]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([chatapp.id]);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [message] }]);
  });

  describe('an echo of a number without echoes', () => {
    const ask = async () => askForEchoes(service.world, (await now()) ?? chatapp);

    test('is given to the owner at once, without a question', async () => {
      await receive([echo()]);
      expect(service.health.probed).toEqual([]);
      expect(service.router.facts).toContainEqual({ channelId: chatapp.id, facts: [echo()] });
    });

    test.each([
      [false, 'has-none'],
      [true, 'has-echoes'],
    ] as const)(
      'upstream is asked anew, however fresh its last answer is: dual use %s',
      async (isDualUse, answer) => {
        await service.features.channelHealth(tenant, chatapp.id);
        service.health.probed.length = 0;
        renewed({ isDualUse });
        expect(await ask()).toBe(answer);
        expect(service.health.probed).toEqual([chatapp.id]);
        expect((await now())?.profile).toEqual({ ...known(), isDualUse });
      },
    );

    test('an answer without the fields of dual use does not repeat what was known before', async () => {
      renewed({ isDualUse: false });
      service.health.silentOnEchoes.add(chatapp.id);
      expect(await ask()).toBe('unanswerable');
      service.health.silentOnEchoes.clear();
      expect(await ask()).toBe('has-none');
    });

    test('a check that began before the question does not answer it', async () => {
      renewed({ isDualUse: false });
      const older = service.features.jobs['look-at-channel']({ channelId: chatapp.id });
      const asked = ask();
      await older;
      expect(await asked).toBe('has-none');
      expect(service.health.probed).toEqual([chatapp.id, chatapp.id]);
    });

    test.each([
      [fault('upstream_failed'), 'unanswered'],
      [refused, 'unanswerable'],
    ] as const)('upstream answers %o', async (said, answer) => {
      service.health.states.set(chatapp.id, said);
      expect(await ask()).toBe(answer);
    });

    test('nobody can answer for a channel that has no token any more, or while the store is away', async () => {
      const { channels } = service.stores;
      service.stores.channels = { ...channels, byId: async () => ({ ...chatapp, token: null }) };
      expect(await ask()).toBe('unanswerable');
      service.stores.channels = { ...channels, byId: () => Promise.reject(new StoreUnavailable('away')) };
      expect(await askForEchoes(service.world, chatapp)).toBe('unanswered');
      service.stores.channels = channels;
    });
  });

  test('is left to the check of all channels if the store is down; the log reports it', async () => {
    const { channels } = service.stores;
    const gone = new StoreUnavailable('away');
    service.stores.channels = { ...channels, activeOn: () => Promise.reject(gone) };
    service.told.length = 0;
    try {
      await receive([quality('1')]);
    } finally {
      service.stores.channels = channels;
    }
    expect(service.told).toEqual([
      expect.objectContaining({
        msg: 'channel.look-not-queued',
        level: 'info',
        error: expect.objectContaining({ message: 'away' }),
      }),
    ]);
  });

  describe('as the job asks', () => {
    const look = () => service.features.jobs['look-at-channel']({ channelId: chatapp.id });

    test('is read again later if upstream does not answer', async () => {
      service.health.states.set(chatapp.id, fault('upstream_failed'));
      expect(await refusalOf(look())).toEqual({
        status: 502,
        detail: 'Upstream platform error: no usable answer',
      });
    });

    test.each([
      ['gone', () => null],
      ['inactive', (channel: Channel) => ({ ...channel, isActive: false })],
      ['without a token', (channel: Channel) => ({ ...channel, token: null })],
    ])('is not read any more for a channel that is %s', async (_, stands) => {
      const { channels } = service.stores;
      service.stores.channels = { ...channels, byId: async () => stands(chatapp) };
      try {
        await look();
      } finally {
        service.stores.channels = channels;
      }
      expect(service.health.probed).toEqual([]);
    });
  });
});
