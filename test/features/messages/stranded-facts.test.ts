import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { hourMs } from '../../../src/kernel/clock.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { fault, OwnerLost, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { idFrom, newId } from '../../../src/kernel/ids.ts';
import { until } from '../../support/until.ts';
import { connectedPair, messageTo, receivePost } from '../support/posts.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let chatapp: Channel;
let pagechat: Channel;
beforeEach(async () => {
  ({ tenant, chatapp, pagechat } = await connectedPair(service));
});
afterEach(async () => {
  const { strandedFacts } = service.stores;
  for (const channelId of await strandedFacts.channels('', 100)) {
    await strandedFacts.drop((await strandedFacts.ofChannel(channelId, 100)).map(({ id }) => id));
  }
});

const receive = (facts: ChannelFact[]) => receivePost(service, facts);

describe('facts whose owner is unreachable [architecture §6.1, §7]', () => {
  const outOfReach = [
    fault('unavailable'),
    fault('overloaded'),
    new StoreUnavailable('no lock'),
    new OwnerLost('gone'),
  ];

  async function readStranded(channelId: string) {
    return service.stores.strandedFacts.ofChannel(channelId, 100);
  }

  /** The facts as another node has stored them. */
  async function strand(channelId: string, facts: ChannelFact[], nodesGone = 0): Promise<void> {
    const id = newId();
    const json = Buffer.from(JSON.stringify(facts));
    const sealed = service.sealer.seal(json, sealContext.strandedFacts(channelId, id));
    await service.stores.strandedFacts.add([{ id, channelId, facts: sealed, at: 1, nodesGone }]);
  }

  test.each(outOfReach)(
    'are stored and answered 200, and given to the owner when it is back: %s',
    async (failure) => {
      service.router.unreachable.set(chatapp.id, failure);
      const stranded = service.counted('upstream_facts_parked_total', { channel_type: 'chatapp' });
      const [one, two, forPage] = [messageTo(chatapp), messageTo(chatapp), messageTo(pagechat)];
      await receive([one, two, forPage]);
      expect(service.counted('upstream_facts_parked_total', { channel_type: 'chatapp' })).toBe(stranded + 2);

      await service.features.giveStrandedFacts();
      expect(await readStranded(chatapp.id)).toHaveLength(1);
      service.router.unreachable.clear();
      service.router.asked.length = 0;
      await service.features.giveStrandedFacts();

      expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [one, two] }]);
      expect(await readStranded(chatapp.id)).toEqual([]);
    },
  );

  test('[faults: 152] that crashed two owners are quarantined, and later ones are given', async () => {
    service.router.unreachable.set(chatapp.id, new OwnerLost('gone', { nodesGone: 1 }));
    const [bad, good] = [messageTo(chatapp), messageTo(chatapp)];
    await receive([bad]);
    await service.features.giveStrandedFacts();
    expect((await readStranded(chatapp.id)).map(({ nodesGone }) => nodesGone)).toEqual([2]);
    service.clock.pass(10);
    await receive([good]);
    service.router.unreachable.clear();
    service.router.asked.length = 0;

    await service.features.giveStrandedFacts();

    expect(service.router.facts).toEqual([{ channelId: chatapp.id, facts: [good] }]);
    expect(await readStranded(chatapp.id)).toEqual([]);
    const [item] = (await service.features.listQuarantine(everything)).items;
    expect(item).toMatchObject({ reason: 'ended_node', kind: 'facts', shape: 'inbound', times: 2 });
    await service.features.retryQuarantined(item?.id ?? '');
    expect(service.router.facts.at(-1)).toEqual({ channelId: chatapp.id, facts: [bad] });
  });

  test('are refused if the store is down too', async () => {
    const failure = new StoreUnavailable('away');
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    const store = service.stores.strandedFacts;
    service.stores.strandedFacts = { ...store, add: () => Promise.reject(failure) };
    await expect(receive([messageTo(chatapp)])).rejects.toBe(failure);
    service.stores.strandedFacts = store;
  });

  test('that are redelivered while they are stranded are stranded once', async () => {
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    const message = messageTo(chatapp);
    await receive([message]);
    service.clock.pass(60_000);
    await receive([message]);
    // Nodes of other builds derive the same id from the same facts.
    expect((await readStranded(chatapp.id)).map(({ id }) => id)).toEqual([
      idFrom('parked', chatapp.id, JSON.stringify([message])),
    ]);
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

    await service.features.giveStrandedFacts();

    expect(service.router.facts.flatMap(({ facts }) => facts)).toEqual(posts.flat());
  });

  test('of a large POST are stranded only for the turns that were not accepted', async () => {
    const many = Array.from({ length: 250 }, () => messageTo(chatapp));
    service.router.beforeAnswer = async () => {
      if (service.router.facts.length === 2) throw fault('overloaded');
    };
    await receive(many);
    expect(await readStranded(chatapp.id)).toHaveLength(2);
  });

  test('of one unreachable channel do not block the others', async () => {
    const others = [pagechat, await connectedChannel(service, tenant, 'photoapp')];
    for (const { id } of [chatapp, ...others]) service.router.unreachable.set(id, fault('unavailable'));
    await receive([chatapp, ...others].map(messageTo));
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    service.router.beforeAnswer = (channelId) => (channelId === chatapp.id ? isAnswered : Promise.resolve());
    service.router.unreachable.clear();

    service.router.asked.length = 0;
    const looks = [service.features.giveStrandedFacts(), service.features.giveStrandedFacts()];
    await until('the others to be given', async () => {
      const left = await Promise.all(others.map(({ id }) => readStranded(id)));
      return left.flat().length === 0;
    });

    expect(await readStranded(chatapp.id)).toHaveLength(1);
    answer();
    await Promise.all(looks);
    expect(await readStranded(chatapp.id)).toEqual([]);
    expect(service.router.facts.filter(({ channelId }) => channelId === chatapp.id)).toHaveLength(1);
  });

  test('that an owner refuses for another reason do not block later ones, and are kept', async () => {
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
    await service.features.giveStrandedFacts();
    expect(service.router.facts.map(({ facts }) => facts)).toEqual([[bad], [good]]);

    // Quarantined: a node looks every second, but tries them once an hour. [faults: 124]
    for (const pass of [1_000, 1_000, hourMs - 2_000]) {
      service.clock.pass(pass);
      await service.features.bringBackStrandedFacts();
      await service.features.giveStrandedFacts();
    }
    expect(service.router.facts).toHaveLength(2);

    service.clock.pass(1);
    await service.features.bringBackStrandedFacts();
    expect(await readStranded(pagechat.id)).toHaveLength(1);
    service.router.beforeAnswer = async () => undefined;
    await service.features.giveStrandedFacts();
    expect(service.router.facts.map(({ facts }) => facts)).toEqual([[bad], [good], [bad]]);
    expect(await readStranded(pagechat.id)).toEqual([]);
  });

  test('of a channel, however many cannot be accepted, do not block later ones', async () => {
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
    await service.features.giveStrandedFacts();
    expect(service.router.facts.at(-1)?.facts).toEqual([good]);
    expect(await readStranded(pagechat.id)).toEqual([]);
  });

  test('are encrypted at rest, for their channel and place only', async () => {
    service.router.unreachable.set(chatapp.id, fault('unavailable'));
    await receive([messageTo(chatapp)]);
    const [stranded] = await readStranded(chatapp.id);
    if (stranded === undefined) throw new Error('nothing is stranded');
    expect(Buffer.from(stranded.facts).toString('latin1')).not.toContain('hello');
    expect(() =>
      service.sealer.open(stranded.facts, sealContext.strandedFacts(pagechat.id, stranded.id)),
    ).toThrow('another place');
  });

  test('of a large POST that crashed a node: only its first turn can be the cause', async () => {
    service.router.unreachable.set(chatapp.id, new OwnerLost('gone', { nodesGone: 1 }));
    await receive(Array.from({ length: 250 }, () => messageTo(chatapp)));
    expect((await readStranded(chatapp.id)).map(({ nodesGone }) => nodesGone)).toEqual([1, 0, 0]);
  });

  test('that crashed two owners of a deleted channel are dropped', async () => {
    const gone = { ...chatapp, id: newId() };
    await strand(gone.id, [messageTo(gone)], 2);
    service.told.length = 0;
    await service.features.giveStrandedFacts();
    expect([await readStranded(gone.id), service.router.facts, service.told]).toEqual([[], [], []]);
  });

  test('that cannot be decrypted are quarantined, counted and logged', async () => {
    const facts = service.sealer.seal(Buffer.from('[]'), 'another place');
    const id = newId();
    await service.stores.strandedFacts.add([{ id, channelId: chatapp.id, facts, at: 1, nodesGone: 0 }]);
    const counted = service.counted('upstream_facts_put_aside_total', {});
    service.told.length = 0;
    await service.features.giveStrandedFacts();
    expect([await readStranded(chatapp.id), service.router.facts]).toEqual([[], []]);
    expect(service.counted('upstream_facts_put_aside_total', {})).toBe(counted + 1);
    expect(service.told).toMatchObject([
      { msg: 'parked.not-taken', channel: chatapp.id, stranded: id, error: { message: expect.any(String) } },
    ]);
  });

  test('that their owner drops are counted, by channel type', async () => {
    await strand(pagechat.id, [messageTo(pagechat), messageTo(pagechat)]);
    const counted = service.counted('upstream_facts_dropped_total', { channel_type: 'pagechat' });
    service.router.dropped = 2;
    await service.features.giveStrandedFacts();
    service.router.dropped = 0;
    expect(service.counted('upstream_facts_dropped_total', { channel_type: 'pagechat' })).toBe(counted + 2);
  });

  test('of one channel wait if the store fails, with a log line; others are given, and the next run gives them', async () => {
    for (const channel of [chatapp, pagechat]) await strand(channel.id, [messageTo(channel)]);
    const { strandedFacts } = service.stores;
    service.stores.strandedFacts = {
      ...strandedFacts,
      ofChannel: (channelId, limit) =>
        channelId === chatapp.id
          ? Promise.reject(new StoreUnavailable('away'))
          : strandedFacts.ofChannel(channelId, limit),
    };
    service.told.length = 0;
    await service.features.giveStrandedFacts();
    service.stores.strandedFacts = strandedFacts;
    expect(service.router.facts.map(({ channelId }) => channelId)).toEqual([pagechat.id]);
    expect(service.told).toMatchObject([
      { msg: 'stranded.not-given', channel: chatapp.id, error: { message: 'away' } },
    ]);
    await service.features.giveStrandedFacts();
    expect(service.router.facts.map(({ channelId }) => channelId)).toEqual([pagechat.id, chatapp.id]);
  });

  test('of more channels than one run reads are all given, 64 at a time', async () => {
    const ids = Array.from({ length: 201 }, () => newId());
    for (const id of ids) await strand(id, [messageTo(chatapp)]);
    const mostAtOnce = service.router.answersOnce(64);
    const { strandedFacts } = service.stores;
    const after: string[] = [];
    const channels: typeof strandedFacts.channels = async (from, limit) => {
      after.push(from);
      return strandedFacts.channels(from, limit);
    };
    service.stores.strandedFacts = { ...strandedFacts, channels };
    await service.features.giveStrandedFacts();
    service.stores.strandedFacts = strandedFacts;
    expect(service.router.facts.map(({ channelId }) => channelId).toSorted()).toEqual(ids.toSorted());
    expect([mostAtOnce(), after]).toEqual([64, ['', ids.toSorted()[199]]]);
    expect(await service.stores.strandedFacts.channels('', 1)).toEqual([]);
  });
});
