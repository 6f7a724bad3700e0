import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { ChatappProfile } from '../../src/domain/channels/profile.ts';
import { profileAs } from '../../src/domain/channels/profile.ts';
import type { InboundMessage, ParsedPost, UpstreamFact } from '../../src/domain/messages/facts.ts';
import { fault, OwnerLost, StoreUnavailable } from '../../src/kernel/faults.ts';
import { echoOf } from '../domain/samples.ts';
import { chatappProfile } from '../support/profiles.ts';
import { until } from '../support/until.ts';
import {
  everything,
  connected,
  connectedChannel,
  newIdentity,
  newTenant,
  openService,
} from './support/service.ts';
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
  service.router.beforeAnswer = async () => undefined;
});
afterEach(async () => {
  const { strandedFacts } = service.stores;
  for (const channelId of await strandedFacts.channels('', 100)) {
    await strandedFacts.drop((await strandedFacts.ofChannel(channelId, 100)).map(({ id }) => id));
  }
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
  at: 0,
  change: { category: 'UTILITY' },
};

async function receive(facts: UpstreamFact[], others: Partial<ParsedPost> = {}): Promise<void> {
  service.parser.post = { facts, malformed: 0, ignored: 0, leftOut: [], ...others };
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

  test('gives each fact the id of the request that brought it, and none to what is of no channel', async () => {
    const digits = profileAs(chatapp.profile, 'chatapp')?.phoneNumber?.replaceAll(/[^0-9]/g, '') ?? '';
    const number: UpstreamFact = { kind: 'number', businessAccountId: '1', phoneNumber: digits };
    const [message, ofTemplate] = [messageTo(chatapp), { ...template }];
    service.parser.post = { facts: [message, ofTemplate, number], malformed: 0, ignored: 0, leftOut: [] };
    await service.useCases.receiveUpstreamPost(new Uint8Array(), 'request-1');
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
    const unroutable = service.counted('upstream_facts_unroutable_total');
    await receive([messageTo({ channelType: 'photoapp', identity: pagechat.identity })]);
    expect(service.router.facts).toEqual([]);
    expect(service.counted('upstream_facts_unroutable_total')).toBe(unroutable + 1);
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
    await service.useCases.deactivateChannel(tenant, chatapp.id);
    service.router.asked.length = 0;
    const dropped = service.counted('upstream_facts_dropped_total');
    await receive([messageTo(chatapp)]);
    expect(service.router.facts).toEqual([]);
    expect(service.counted('upstream_facts_dropped_total')).toBe(dropped + 1);
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
    const unroutable = service.counted('upstream_facts_unroutable_total');
    await receive([messageTo(chatapp)]);
    expect(service.counted('upstream_facts_unroutable_total')).toBe(unroutable + 1);
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

  test('is refused as a whole when one owner failed, after the others have taken theirs', async () => {
    const failure = new Error('a bug');
    service.router.unreachable.set(chatapp.id, failure);
    const forPage = messageTo(pagechat);
    await expect(receive([messageTo(chatapp), forPage])).rejects.toBe(failure);
    expect(service.router.facts).toContainEqual({ channelId: pagechat.id, facts: [forPage] });
    expect(await service.stores.strandedFacts.channels('', 10)).toEqual([]);
  });

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
    await expect(service.useCases.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('facts whose owner is out of reach [architecture §6.1, §7]', () => {
  const outOfReach = [
    fault('unavailable'),
    fault('overloaded'),
    new StoreUnavailable('no lock'),
    new OwnerLost('gone'),
  ];

  async function readStranded(channelId: string) {
    return service.stores.strandedFacts.ofChannel(channelId, 100);
  }

  test.each(outOfReach)(
    'are stored and answered 200, and given to the owner when it is back: %s',
    async (failure) => {
      service.router.unreachable.set(chatapp.id, failure);
      const stranded = service.counted('upstream_facts_parked_total');
      const [one, two, forPage] = [messageTo(chatapp), messageTo(chatapp), messageTo(pagechat)];
      await receive([one, two, forPage]);
      expect(service.counted('upstream_facts_parked_total')).toBe(stranded + 2);

      await service.useCases.giveStrandedFacts();
      expect(await readStranded(chatapp.id)).toHaveLength(1);
      service.router.unreachable.clear();
      service.router.asked.length = 0;
      await service.useCases.giveStrandedFacts();

      expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [one, two] }]);
      expect(await readStranded(chatapp.id)).toEqual([]);
    },
  );

  test('[faults: 152] that have ended two owners are for operators, and what came after them is given', async () => {
    service.router.unreachable.set(chatapp.id, new OwnerLost('gone', { nodesGone: 1 }));
    const [bad, good] = [messageTo(chatapp), messageTo(chatapp)];
    await receive([bad]);
    await service.useCases.giveStrandedFacts();
    expect((await readStranded(chatapp.id)).map(({ nodesGone }) => nodesGone)).toEqual([2]);
    service.clock.pass(10);
    await receive([good]);
    service.router.unreachable.clear();
    service.router.asked.length = 0;

    await service.useCases.giveStrandedFacts();

    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [good] }]);
    expect(await readStranded(chatapp.id)).toEqual([]);
    const [item] = (await service.useCases.listQuarantine(everything)).items;
    expect(item).toMatchObject({ reason: 'ended_node', kind: 'facts', shape: 'inbound', times: 2 });
    await service.useCases.retryQuarantined(item?.id ?? '');
    expect(service.router.facts.at(-1)).toEqual({ channelId: chatapp.id, facts: [bad] });
  });

  test('are refused when the store is away too', async () => {
    const failure = new StoreUnavailable('away');
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    const store = service.stores.strandedFacts;
    service.stores.strandedFacts = { ...store, add: () => Promise.reject(failure) };
    await expect(receive([messageTo(chatapp)])).rejects.toBe(failure);
    service.stores.strandedFacts = store;
  });

  test('redelivered while they are stranded, they are stranded once', async () => {
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    const message = messageTo(chatapp);
    await receive([message]);
    service.clock.pass(60_000);
    await receive([message]);
    expect(await readStranded(chatapp.id)).toHaveLength(1);
  });

  test('keep their order, over many POSTs and over the turns of a large one', async () => {
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    const posts = [1, 250, 3].map((length) => Array.from({ length }, () => messageTo(chatapp)));
    for (const post of posts) {
      await receive(post);
      service.clock.pass(10);
    }
    for (let count = 0; count < 30; count += 1) {
      posts.push([messageTo(chatapp)]);
      await receive(posts.at(-1) ?? []);
      service.clock.pass(10);
    }
    service.router.unreachable.clear();
    service.router.asked.length = 0;

    await service.useCases.giveStrandedFacts();

    expect(service.router.facts.flatMap(({ facts }) => facts)).toEqual(posts.flat());
  });

  test('of a large POST only the turns that were not taken are stranded', async () => {
    const many = Array.from({ length: 250 }, () => messageTo(chatapp));
    service.router.beforeAnswer = async () => {
      if (service.router.facts.length === 2) throw fault('overloaded');
    };
    await receive(many);
    expect(await readStranded(chatapp.id)).toHaveLength(2);
  });

  test('one channel that stays out of reach does not block the others', async () => {
    const others = [pagechat, await connectedChannel(service, tenant, 'photoapp')];
    for (const { id } of [chatapp, ...others]) service.router.unreachable.set(id, fault('unavailable'));
    await receive([chatapp, ...others].map(messageTo));
    service.router.beforeAnswer = (channelId) =>
      channelId === chatapp.id ? new Promise(() => undefined) : Promise.resolve();
    service.router.unreachable.clear();

    void service.useCases.giveStrandedFacts();
    void service.useCases.giveStrandedFacts();
    await until('the others to be given', async () => {
      const left = await Promise.all(others.map(({ id }) => readStranded(id)));
      return left.flat().length === 0;
    });

    expect(await readStranded(chatapp.id)).toHaveLength(1);
  });

  test('what an owner does not take for another reason is not in the way of what came after it, and is kept', async () => {
    service.router.unreachable.set(pagechat.id, fault('unavailable'));
    const [bad, good] = [messageTo(pagechat), messageTo(pagechat)];
    await receive([bad]);
    service.clock.pass(10);
    await receive([good]);
    service.router.unreachable.clear();
    service.router.beforeAnswer = async (_, ask) => {
      if (JSON.stringify(ask).includes(`"${bad.upstreamId}"`)) throw new Error('a bug');
    };
    service.router.asked.length = 0;
    await service.useCases.giveStrandedFacts();
    expect(service.router.facts.map(({ facts }) => facts)).toEqual([[bad], [good]]);

    // Put aside: each second somebody looks, and it is tried once an hour. [faults: 124]
    const hour = 3_600_000;
    for (const pass of [1_000, 1_000, hour - 2_000]) {
      service.clock.pass(pass);
      await service.useCases.bringBackStrandedFacts();
      await service.useCases.giveStrandedFacts();
    }
    expect(service.router.facts).toHaveLength(2);

    service.clock.pass(1);
    await service.useCases.bringBackStrandedFacts();
    expect(await readStranded(pagechat.id)).toHaveLength(1);
    service.router.beforeAnswer = async () => undefined;
    await service.useCases.giveStrandedFacts();
    expect(service.router.facts.map(({ facts }) => facts)).toEqual([[bad], [good], [bad]]);
    expect(await readStranded(pagechat.id)).toEqual([]);
  });

  test('however many of a channel can not be taken, what came after them is', async () => {
    service.router.unreachable.set(pagechat.id, fault('unavailable'));
    for (let nth = 0; nth < 25; nth += 1) {
      await receive([messageTo(pagechat)]);
      service.clock.pass(10);
    }
    const good = messageTo(pagechat);
    await receive([good]);
    service.router.unreachable.clear();
    service.router.beforeAnswer = async (_, ask) => {
      if (!JSON.stringify(ask).includes(`"${good.upstreamId}"`)) throw new Error('a bug');
    };
    await service.useCases.giveStrandedFacts();
    expect(service.router.facts.at(-1)?.facts).toEqual([good]);
    expect(await readStranded(pagechat.id)).toEqual([]);
  });

  test('are sealed at rest, for their channel and place only', async () => {
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    await receive([messageTo(chatapp)]);
    const [stranded] = await readStranded(chatapp.id);
    if (stranded === undefined) throw new Error('nothing is stranded');
    expect(Buffer.from(stranded.facts).toString('latin1')).not.toContain('hello');
    expect(() =>
      service.sealer.open(stranded.facts, sealContext.strandedFacts(pagechat.id, stranded.id)),
    ).toThrow('another place');
  });
});

describe('who a number is by now', () => {
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
  });

  test('is asked when upstream says that something about it changed, and of no other number', async () => {
    renewed({ qualityRating: 'RED' });
    const digits = known().phoneNumber?.replaceAll(/[^0-9]/g, '') ?? '';
    await receive([quality('1'), quality(digits, '1'), quality(digits), quality(digits)]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([chatapp.id]);
    expect((await now())?.profile).toEqual({ ...known(), qualityRating: 'RED' });
    expect(service.changes).toContainEqual({ channelId: chatapp.id });
  });

  test('is asked beside the messages of one channel that is known, which its owner takes as before', async () => {
    await receive([messageTo(chatapp)]);
    service.router.asked.length = 0;
    const [message, digits] = [messageTo(chatapp), known().phoneNumber?.replaceAll(/[^0-9]/g, '') ?? ''];
    await receive([message, quality(digits)]);
    await service.jobsDone();
    expect(service.health.probed).toEqual([chatapp.id]);
    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [message] }]);
  });

  test('is asked before its owner takes an echo that it could not have sent, once a minute', async () => {
    renewed({ isDualUse: false });
    await service.useCases.channelHealth(tenant, chatapp.id);
    expect((await now())?.profile).toEqual({ ...known(), isDualUse: false });
    service.health.probed.length = 0;
    await receive([echo()]);
    expect(service.health.probed).toEqual([]);
    service.clock.pass(60_000);
    renewed({ isDualUse: true });
    await receive([echo()]);
    expect(service.health.probed).toEqual([chatapp.id]);
    expect((await now())?.profile).toEqual({ ...known(), isDualUse: true });
    service.clock.pass(60_000);
    await receive([echo()]);
    expect(service.health.probed).toEqual([chatapp.id]);
  });

  test('stands while upstream does not answer: its facts are taken all the same', async () => {
    renewed({ isDualUse: false });
    await service.useCases.channelHealth(tenant, chatapp.id);
    service.clock.pass(60_000);
    service.health.states.set(chatapp.id, fault('upstream_failed'));
    await receive([echo()]);
    expect(service.router.facts).toContainEqual({ channelId: chatapp.id, facts: [echo()] });
  });
});
