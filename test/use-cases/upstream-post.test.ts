import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { InboundMessage, ParsedPost, UpstreamFact } from '../../src/domain/messages/facts.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import { connected, connectedChannel, newIdentity, newTenant, openService } from './support/service.ts';
import { assetOf } from './support/outside.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let chatapp: Channel;
let pagechat: Channel;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  tenant = await newTenant(service);
  chatapp = await connectedChannel(service, tenant, 'chatapp');
  pagechat = await connectedChannel(service, tenant, 'pagechat');
  service.router.asked.length = 0;
  service.router.unreachable.clear();
});
afterAll(() => service.close());

let messages = 0;

function messageTo({ channelType, identity }: Pick<Channel, 'channelType' | 'identity'>): InboundMessage {
  messages += 1;
  return {
    kind: 'inbound',
    channelType,
    identity: identity ?? '',
    upstreamId: `wamid.${messages}`,
    from: '4915900000777',
    fromName: null,
    at: 0,
    caption: null,
    parts: [{ type: 'text', text: 'hello' }],
  };
}

const template: UpstreamFact = {
  kind: 'template',
  businessAccountId: '1',
  templateId: '2',
  name: 'welcome',
  language: 'en',
  change: { category: 'UTILITY' },
};

async function receive(facts: UpstreamFact[], others: Partial<ParsedPost> = {}): Promise<void> {
  service.parser.post = { facts, malformed: 0, ignored: 0, ...others };
  await service.useCases.receiveUpstreamPost(new Uint8Array());
}

describe('a POST of upstream', () => {
  test("gives every channel's owner its facts at once and in upstream's order", async () => {
    const [one, two, three] = [messageTo(chatapp), messageTo(pagechat), messageTo(chatapp)];
    await receive([one, two, three]);
    expect(service.router.facts).toHaveLength(2);
    expect(service.router.facts).toContainEqual({ channelId: chatapp.id, facts: [one, three] });
    expect(service.router.facts).toContainEqual({ channelId: pagechat.id, facts: [two] });
  });

  test('gives a thousand facts to their channel in order, a hundred a turn: others get theirs in between', async () => {
    const many = Array.from({ length: 1_050 }, () => messageTo(chatapp));
    await receive(many);
    expect(service.router.facts.map(({ facts }) => facts.length)).toEqual([...Array(10).fill(100), 50]);
    expect(service.router.facts.flatMap(({ facts }) => facts)).toEqual(many);
  });

  test('routes by type and identity: a pagechat page is not a chatapp number of the same id', async () => {
    const unroutable = service.counted('upstream_facts_unroutable');
    await receive([messageTo({ channelType: 'photoapp', identity: pagechat.identity })]);
    expect(service.router.facts).toEqual([]);
    expect(service.counted('upstream_facts_unroutable')).toBe(unroutable + 1);
  });

  test('facts for an identity nobody holds are counted and dropped, the others are taken', async () => {
    const unroutable = service.counted('upstream_facts_unroutable');
    const nobody = { channelType: 'chatapp', identity: newIdentity() } as const;
    const mine = messageTo(chatapp);
    await receive([messageTo(nobody), mine, messageTo(nobody)]);
    expect(service.counted('upstream_facts_unroutable')).toBe(unroutable + 2);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [mine] }]);
  });

  test('facts for an inactive channel are counted and dropped: at once, although it was busy', async () => {
    await receive([messageTo(chatapp)]);
    await service.useCases.deactivateChannel(tenant, chatapp.id);
    service.router.asked.length = 0;
    const dropped = service.counted('upstream_facts_dropped');
    await receive([messageTo(chatapp)]);
    expect(service.router.facts).toEqual([]);
    expect(service.counted('upstream_facts_dropped')).toBe(dropped + 1);
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
    await service.useCases.deactivateChannel(tenant, chatapp.id);
    await service.useCases.releaseClaim(chatapp.id);
    service.router.asked.length = 0;
    const unroutable = service.counted('upstream_facts_unroutable');
    await receive([messageTo(chatapp)]);
    expect(service.counted('upstream_facts_unroutable')).toBe(unroutable + 1);
  });

  test('an identity that was released and connected by another account is routed to that one, whatever was busy', async () => {
    const identity = chatapp.identity ?? '';
    await receive([messageTo(chatapp)]);
    await service.useCases.deactivateChannel(tenant, chatapp.id);
    await service.useCases.releaseClaim(chatapp.id);
    const { channel } = await connected(service, await newTenant(service), assetOf('chatapp', identity));
    service.router.asked.length = 0;
    await receive([messageTo(channel)]);
    expect(service.router.facts.map(({ channelId }) => channelId)).toEqual([channel.id]);
  });

  test.each([fault('unavailable'), new StoreUnavailable('no answer')])(
    'is refused as a whole when one owner could not make its facts durable, after the others have: %s',
    async (failure) => {
      service.router.unreachable.set(chatapp.id, failure);
      const forPage = messageTo(pagechat);
      await expect(receive([messageTo(chatapp), forPage])).rejects.toBe(failure);
      expect(service.router.facts).toContainEqual({ channelId: pagechat.id, facts: [forPage] });
    },
  );

  test('malformed, ignored and template items are counted and in nobody’s way', async () => {
    const names = ['upstream_items_malformed', 'upstream_items_ignored', 'upstream_template_facts_ignored'];
    const before = names.map((name) => service.counted(name));
    const mine = messageTo(chatapp);
    await receive([template, mine], { malformed: 3, ignored: 2 });
    expect(names.map((name, i) => service.counted(name) - (before[i] ?? 0))).toEqual([3, 2, 1]);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [mine] }]);
  });

  test('that is no JSON of theirs is refused with 400', async () => {
    service.parser.post = null;
    await expect(service.useCases.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({
      status: 400,
    });
  });
});
