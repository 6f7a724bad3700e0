import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { profileAs } from '../../../src/rules/channels/profile.ts';
import type { ParsedPost, UpstreamFact } from '../../../src/rules/messages/facts.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { channelOf } from '../../rules/samples.ts';
import { connected, connectedChannel, newIdentity, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { assetOf } from '../support/outside.ts';
import { connectedPair, messageTo, receivePost } from '../support/posts.ts';

const service = sharedService();
let tenant: Tenant;
let chatapp: Channel;
let pagechat: Channel;
beforeEach(async () => {
  ({ tenant, chatapp, pagechat } = await connectedPair(service));
});

const template: UpstreamFact = {
  kind: 'template',
  businessAccountId: '1',
  templateId: '2',
  at: 0,
  change: { category: 'UTILITY' },
};

const aReceipt: UpstreamFact = {
  kind: 'receipt',
  channelType: 'chatapp',
  identity: '',
  status: 'delivered',
  upstreamId: 'wamid.sent',
  tag: null,
  recipient: '4915900000777',
  at: 0,
  errors: [],
};

const receive = (facts: UpstreamFact[], others: Partial<ParsedPost> = {}) =>
  receivePost(service, facts, others);

describe('a POST of upstream', () => {
  test("gives every channel's owner its facts at once and in upstream's order", async () => {
    const [one, two, three] = [messageTo(chatapp), messageTo(pagechat), messageTo(chatapp)];
    await receive([one, two, three]);
    expect(service.router.facts).toHaveLength(2);
    expect(service.router.facts).toContainEqual({ channelId: chatapp.id, facts: [one, three] });
    expect(service.router.facts).toContainEqual({ channelId: pagechat.id, facts: [two] });
  });

  test('gives each fact the id of the request that brought it, and none to what is of no channel', async () => {
    const digits = profileAs(chatapp.profile, 'chatapp')?.phoneNumber?.replaceAll(/[^0-9]/g, '') ?? '';
    const number: UpstreamFact = { kind: 'number', businessAccountId: '1', phoneNumber: digits };
    const [message, ofTemplate] = [messageTo(chatapp), { ...template }];
    service.parser.post = {
      facts: [message, ofTemplate, number],
      malformed: 0,
      ignored: 0,
      unparsed: [],
      notices: [],
    };
    await service.features.receiveUpstreamPost(new Uint8Array(), 'request-1');
    expect(service.router.facts).toEqual([
      { channelId: chatapp.id, facts: [{ ...message, requestId: 'request-1' }] },
    ]);
    expect(['requestId' in ofTemplate, 'requestId' in number]).toEqual([false, false]);
  });

  test('gives a thousand facts to their channel in order, a hundred a turn: others get theirs in between', async () => {
    const many = Array.from({ length: 1_050 }, () => messageTo(chatapp));
    await receive(many);
    expect(service.router.facts.map(({ facts }) => facts.length)).toEqual([...Array(10).fill(100), 50]);
    expect(service.router.facts.flatMap(({ facts }) => facts)).toEqual(many);
  });

  test('routes by type and identity: a pagechat page is not a chatapp number of the same id', async () => {
    const counted = () => service.counted('upstream_facts_unroutable_total', { channel_type: 'photoapp' });
    const unroutable = counted();
    await receive([messageTo({ channelType: 'photoapp', identity: pagechat.identity })]);
    expect(service.router.facts).toEqual([]);
    expect(counted()).toBe(unroutable + 1);
  });

  test('routes by type and identity also where one of two with the same id is nobody’s', async () => {
    const mine = messageTo(pagechat);
    await receive([messageTo({ channelType: 'photoapp', identity: pagechat.identity }), mine]);
    expect(service.router.facts).toEqual([{ channelId: pagechat.id, facts: [mine] }]);
  });

  test('gives messages of fifty parts in turns of four: each part makes an event', async () => {
    const part = { type: 'unsupported', unsupportedType: 'fallback' } as const;
    const album = () => ({ ...messageTo(pagechat), parts: Array.from({ length: 50 }, () => part) });
    await receive([...Array.from({ length: 9 }, album), messageTo(pagechat)]);
    expect(service.router.facts.map(({ facts }) => facts.length)).toEqual([4, 4, 2]);
  });

  test.each([100, 200])('gives %d facts in full turns, and no turn of nothing', async (length) => {
    await receive(Array.from({ length }, () => messageTo(chatapp)));
    expect(service.router.facts.map(({ facts }) => facts.length)).toEqual(Array(length / 100).fill(100));
  });

  test('gives the facts of many channels to 64 owners at a time', async () => {
    const { channels } = service.stores;
    const byIdentity: typeof channels.byIdentity = async (channelType, identities) =>
      identities.map((identity) => channelOf(channelType, { id: newId(), identity }));
    service.stores.channels = { ...channels, byIdentity };
    const mostAtOnce = service.router.answersOnce(64);
    await receive(
      Array.from({ length: 130 }, () => messageTo({ channelType: 'pagechat', identity: newIdentity() })),
    );
    service.stores.channels = channels;
    expect([service.router.facts.length, mostAtOnce()]).toEqual([130, 64]);
  });

  test('facts for an identity nobody holds are counted and dropped, the others are taken', async () => {
    const unroutable = service.counted('upstream_facts_unroutable_total');
    const nobody = { channelType: 'chatapp', identity: newIdentity() } as const;
    const mine = messageTo(chatapp);
    await receive([messageTo(nobody), mine, messageTo(nobody)]);
    expect(service.counted('upstream_facts_unroutable_total')).toBe(unroutable + 2);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [mine] }]);
  });

  test('facts for an inactive channel are counted and dropped: at once, although it was busy', async () => {
    await receive([messageTo(chatapp)]);
    await service.features.deactivateChannel(tenant, chatapp.id);
    service.router.asked.length = 0;
    const counted = () => service.counted('upstream_facts_dropped_total', { channel_type: 'chatapp' });
    const dropped = counted();
    await receive([messageTo(chatapp)]);
    expect(service.router.facts).toEqual([]);
    expect(counted()).toBe(dropped + 1);
  });

  test('[faults: 52] what becomes of messages sent before is taken for an inactive channel all the same', async () => {
    await service.features.deactivateChannel(tenant, chatapp.id);
    service.router.asked.length = 0;
    const receipt: UpstreamFact = { ...aReceipt, identity: chatapp.identity ?? '' };
    await receive([messageTo(chatapp), receipt]);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [receipt] }]);
  });

  test('what an owner drops is counted', async () => {
    const counted = () => service.counted('upstream_facts_dropped_total', { channel_type: 'chatapp' });
    const dropped = counted();
    service.router.dropped = 1;
    await receive([messageTo(chatapp), messageTo(chatapp)]);
    service.router.dropped = 0;
    expect(counted()).toBe(dropped + 1);
  });

  test('a channel is reachable from the moment it is connected, although its identity was unknown before', async () => {
    const other = await newTenant(service);
    const identityToCome = String(Number(newIdentity()) + 1);
    await receive([messageTo({ channelType: 'chatapp', identity: identityToCome })]);
    const channel = await connectedChannel(service, other, 'chatapp');
    expect(channel.identity).toBe(identityToCome);
    await receive([messageTo(channel)]);
    expect(service.router.facts.map(({ channelId }) => channelId)).toEqual([channel.id]);
  });

  test('an identity that was released is not routed to its old channel any more', async () => {
    await receive([messageTo(chatapp)]);
    await service.features.deactivateChannel(tenant, chatapp.id);
    await service.features.releaseClaim(chatapp.id);
    service.router.asked.length = 0;
    const unroutable = service.counted('upstream_facts_unroutable_total');
    await receive([messageTo(chatapp)]);
    expect(service.counted('upstream_facts_unroutable_total')).toBe(unroutable + 1);
  });

  test('an identity that was released and connected by another account is routed to that one, whatever was busy', async () => {
    const identity = chatapp.identity ?? '';
    await receive([messageTo(chatapp)]);
    await service.features.deactivateChannel(tenant, chatapp.id);
    await service.features.releaseClaim(chatapp.id);
    const { channel } = await connected(service, await newTenant(service), assetOf('chatapp', identity));
    service.router.asked.length = 0;
    await receive([messageTo(channel)]);
    expect(service.router.facts.map(({ channelId }) => channelId)).toEqual([channel.id]);
  });

  test.each([new Error('a bug'), fault('internal')])(
    'is refused as a whole when one owner failed, after the others have taken theirs: %s',
    async (failure) => {
      service.router.unreachable.set(chatapp.id, failure);
      const forPage = messageTo(pagechat);
      await expect(receive([messageTo(chatapp), forPage])).rejects.toBe(failure);
      expect(service.router.facts).toContainEqual({ channelId: pagechat.id, facts: [forPage] });
      expect(await service.stores.strandedFacts.channels('', 10)).toEqual([]);
    },
  );

  test('malformed and ignored items are counted, template items in nobody’s way', async () => {
    const names = ['upstream_items_malformed_total', 'upstream_items_ignored_total'];
    const before = names.map((name) => service.counted(name));
    const mine = messageTo(chatapp);
    await receive([template, mine], { malformed: 3, ignored: 2 });
    expect(names.map((name, i) => service.counted(name) - (before[i] ?? 0))).toEqual([3, 2]);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [mine] }]);
  });

  test('that is no JSON of theirs is refused with 400', async () => {
    service.parser.post = null;
    await expect(service.features.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({
      status: 400,
    });
  });
});
