/** [spec: Additions, Endpoints; faults: 388, 389] A channel's owner stores what its endpoints get; the owner of each posts it. */
import { expect, test } from '@jest/globals';
import type { ChannelTell } from '../../actors/channel/asks.ts';
import { limits } from '../../actors/channel/limits.ts';
import type { ChannelPorts } from '../../actors/channel/performing/channel-ports.ts';
import { Places } from '../../actors/channel/performing/places.ts';
import { NodeTotals } from '../../actors/channel/turns/node-totals.ts';
import { ownerOf } from '../../src/rules/webhooks/endpoints.ts';
import type { EndpointNote, EndpointSettings } from '../../src/rules/webhooks/endpoints.ts';
import { inboundOf } from '../rules/samples.ts';
import { down, up } from './support/deliveries.ts';
import { fileFetched, fileOf, inboundOf as withFiles } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { ModelStore } from './support/model-store.ts';
import { settingsOf } from './support/turns.ts';
import type { Start } from './support/turns.ts';

const ownerId = ownerOf('channel-1', 'e-1');
const url = 'https://crm.example/in';
const note: EndpointNote = { ownerId, events: ['message.received'] };

/** A channel with one endpoint, and the owners of both, over one store. */
class Pair {
  readonly store: ModelStore;
  readonly channel: LiveChannel;
  readonly endpoint: LiveChannel;
  readonly told: ChannelTell[] = [];
  /** Whether what the channel's owner tells arrives. */
  areTellsLost = false;
  notes: EndpointNote[] = [note];
  /** Reads of pending deliveries. */
  reads = 0;
  settings: EndpointSettings | null = {
    webhookUrl: url,
    webhookSecret: null,
    webhookEvents: ['message.received'],
    previousSecret: null,
    previousSecretUntil: null,
    headers: null,
  };

  /** `store`: of an earlier pair, on another node. */
  constructor(start: Start = {}, store?: ModelStore) {
    const of: Start = { ...start, channel: { hasEndpoints: true, ...start.channel } };
    this.store = store ?? new ModelStore(settingsOf(of));
    const portsOf = (ports: ChannelPorts): ChannelPorts => ({
      ...ports,
      store: {
        ...ports.store,
        settings: async () => structuredClone(this.store.settings),
        pendingDeliveries: (...asked) => {
          this.reads += 1;
          return ports.store.pendingDeliveries(...asked);
        },
      },
      receivers: { of: async () => this.notes, logged: async () => [], settings: async () => this.settings },
      owners: { wake: (to, stored) => this.#tell(to, { type: 'wake', stored }) },
    });
    class Owner extends LiveChannel {
      override get ports(): ChannelPorts {
        return portsOf(super.ports);
      }
    }
    this.channel = new Owner(of, new NodeTotals(), { store: this.store });
    this.endpoint = new Owner(of, new NodeTotals(), { store: this.store, ownerId });
    this.endpoint.receiver = 'by hand';
  }

  static async started(start: Start = {}): Promise<Pair> {
    const pair = new Pair(start);
    await pair.channel.takeOver();
    await pair.endpoint.takeOver();
    return pair;
  }

  #tell(to: string, tell: ChannelTell): void {
    expect(to).toBe(ownerId);
    this.told.push(tell);
    if (!this.areTellsLost) this.endpoint.tell(tell);
  }

  /** Upstream tells messages, one after the other. */
  async hears(...upstreamIds: string[]): Promise<void> {
    for (const upstreamId of upstreamIds) await this.channel.facts(inboundOf({ upstreamId, from: 'mia' }));
    await this.endpoint.settled;
  }

  /** The endpoint's deliveries. */
  get copies() {
    return [...this.store.deliveries.values()].filter(({ channelId }) => channelId === ownerId);
  }

  /** What was posted to the endpoint, by the order in which upstream told it. */
  get posted(): number[] {
    const ids = this.copies.map(({ id }) => id);
    return this.endpoint.posts.map(({ sent }) => ids.indexOf(sent.deliveryId) + 1);
  }

  /** A sweep finds due work of the endpoint. */
  async sweep(): Promise<void> {
    this.endpoint.tell({ type: 'wake' });
    await this.endpoint.settled;
  }
}

test('the copy is stored with the event, for the owner of the endpoint, which claims and posts it', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  const [own] = [...pair.store.deliveries.values()];
  expect(pair.copies).toEqual([
    expect.objectContaining({
      event: 'message.received',
      messageId: own?.messageId,
      person: own?.person,
      messageType: null,
      attempts: 0,
      claims: 1,
      epoch: 1,
    }),
  ]);
  expect(pair.copies[0]?.id).not.toBe(own?.id);
  const [{ sent } = { sent: null }] = pair.endpoint.posts;
  expect(sent).toMatchObject({ channelId: ownerId, url, attempt: 1 });
  expect(sent?.body).toEqual(pair.channel.posts[0]?.sent.body);
  await pair.endpoint.posts[0]?.answer(up);
  expect(pair.copies.map(({ state, payload }) => [state, payload])).toEqual([['delivered', null]]);
});

test('an event that the endpoint does not list, and one of an endpoint that is disabled, is not stored for it', async () => {
  const pair = await Pair.started();
  await pair.channel.sent('m-1', 'up-1');
  pair.notes = [];
  await pair.channel.ask({ type: 'reload' });
  await pair.hears('in-1');
  expect(pair.copies).toEqual([]);
  expect(pair.told).toEqual([]);
});

test.each([{}, { channel: { ordered: true } }])(
  'what waits for an endpoint that is disabled is canceled at once, and not sent if it is enabled again: %j',
  async (start) => {
    const pair = await Pair.started(start);
    await pair.hears('in-1', 'in-2', 'in-3');
    const begun = pair.endpoint.posts.slice();
    for (const { answer } of begun) await answer(down);
    const { settings } = pair;
    pair.settings = null;
    await pair.endpoint.ask({ type: 'reload' });
    await pair.endpoint.clock.pass(1);
    expect(pair.copies.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    const { length } = pair.endpoint.posts;
    pair.settings = settings;
    await pair.endpoint.ask({ type: 'reload' });
    await pair.endpoint.clock.pass(600_000);
    expect([pair.endpoint.posts.length, pair.store.mails]).toEqual([length, []]);
  },
);

test('the last attempt of a removed endpoint, in flight then, is mailed to nobody', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  await pair.endpoint.posts[0]?.answer(down);
  await pair.endpoint.clock.pass(30_000);
  await pair.endpoint.posts[1]?.answer(down);
  await pair.endpoint.clock.pass(60_000);
  pair.settings = null;
  await pair.endpoint.ask({ type: 'reload' });
  await pair.endpoint.posts[2]?.answer(down); // the third one warns
  await pair.endpoint.clock.pass(1);
  expect([pair.copies.map(({ state }) => state), pair.store.mails]).toEqual([['failed'], []]);
});

test('a message with files of which an endpoint alone was told is not fetched again when upstream repeats it', async () => {
  const pair = await Pair.started({ type: 'pagechat', channel: { webhookEvents: [] } });
  const message = withFiles('a', [fileOf('f')]);
  await pair.channel.facts(message);
  await pair.channel.fetches[0]?.answer(fileFetched('f'));
  expect([pair.channel.fetches.length, pair.copies.length]).toEqual([1, 1]);
  await pair.channel.facts(message);
  expect([pair.channel.fetches.length, pair.copies.length]).toEqual([1, 1]);
});

test('an event that upstream repeats is one delivery of the endpoint', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1', 'in-1');
  expect(pair.copies).toHaveLength(1);
  expect(pair.posted).toEqual([1]);
});

test('what was stored and not told is posted by the next owner, and by the present one after a sweep', async () => {
  const pair = await Pair.started();
  pair.areTellsLost = true;
  await pair.hears('in-1');
  expect(pair.posted).toEqual([]);
  await pair.sweep();
  expect(pair.posted).toEqual([1]);
  await pair.hears('in-2');
  await pair.endpoint.takeOver();
  expect(pair.posted.slice(1)).toContain(2);
});

test.each([{}, { channel: { ordered: true } }])(
  'however many nodes sweep, an endpoint with waiting events reads them once in some seconds: %j',
  async (start) => {
    const pair = await Pair.started(start);
    await pair.hears('in-1', 'in-2');
    const before = pair.reads;
    for (let nodes = 0; nodes < 20; nodes += 1) await pair.sweep();
    expect(pair.reads).toBe(before + 1);
    await pair.endpoint.clock.pass(5_000);
    await pair.sweep();
    expect(pair.reads).toBe(before + 2);
  },
);

test('what is told twice, or after a sweep has found it, is posted once', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  for (const tell of pair.told) pair.endpoint.tell(tell);
  await pair.sweep();
  expect(pair.posted).toEqual([1]);
  await pair.endpoint.posts[0]?.answer(up);
  for (const tell of pair.told) pair.endpoint.tell(tell);
  await pair.endpoint.settled;
  expect(pair.posted).toEqual([1]);
});

test('a failing endpoint has its own retries and failures; the channel has none', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  await pair.endpoint.posts[0]?.answer(down);
  await pair.endpoint.clock.pass(30_000);
  expect(pair.posted).toEqual([1, 1]);
  expect(pair.endpoint.state?.deliveries.failures).toBe(1);
  expect(pair.channel.state?.deliveriesAtWork).toBeNull();
});

test('beyond its own 32 POSTs an endpoint waits, and the channel does not', async () => {
  const pair = await Pair.started();
  const ids = Array.from({ length: limits.posts + 3 }, (_, n) => `in-${n}`);
  await pair.hears(...ids);
  expect(pair.endpoint.posts).toHaveLength(limits.posts);
  expect(pair.channel.posts).toHaveLength(ids.length);
  await pair.endpoint.posts[0]?.answer(up);
  expect(pair.endpoint.posts).toHaveLength(limits.posts + 1);
});

test('what waits for an endpoint that is disabled or gone is canceled', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  await pair.endpoint.posts[0]?.answer(down);
  pair.settings = null;
  await pair.endpoint.ask({ type: 'reload' });
  await pair.endpoint.clock.pass(30_000);
  expect(pair.posted).toEqual([1]);
  expect(pair.copies.map(({ state, lastResult }) => [state, lastResult])).toEqual([
    ['failed', 'canceled: event or webhook_url no longer configured'],
  ]);
});

test('the live feed shows an event once, however many endpoints get it', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  expect(pair.channel.shown).toHaveLength(1);
  expect(pair.endpoint.shown).toEqual([]);
});

test('a channel that posts nothing itself stores for its endpoint', async () => {
  const pair = await Pair.started({ channel: { webhookUrl: null, webhookEvents: null } });
  pair.channel.hasSubscribers = false;
  await pair.hears('in-1');
  expect(pair.store.deliveries.size).toBe(1);
  expect(pair.posted).toEqual([1]);
});

test('a quarantined event of an endpoint is emitted again for it alone', async () => {
  const pair = await Pair.started();
  const told = {
    event: 'message.received',
    messageId: 'm-9',
    at: 0,
    data: { from: 'mia' },
    again: 7,
  } as const;
  await pair.endpoint.ask({ type: 'emit', told });
  expect(pair.copies.map(({ messageId }) => messageId)).toEqual(['m-9']);
  expect(pair.posted).toEqual([1]);
  expect([pair.endpoint.shown, pair.channel.posts]).toEqual([[], []]);
});

test('in order, an event whose tell was lost is not overtaken by the next one of its person', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.hears('in-1');
  await pair.endpoint.posts[0]?.answer(up);
  pair.areTellsLost = true;
  await pair.hears('in-2');
  pair.areTellsLost = false;
  await pair.hears('in-3');
  expect(pair.posted).toEqual([1, 2]);
  await pair.endpoint.posts[1]?.answer(up);
  expect(pair.posted).toEqual([1, 2, 3]);
});

test('[faults: 151] what an operator emits again for the channel is not sent to its endpoints again', async () => {
  const pair = await Pair.started();
  await pair.hears('in-1');
  const [own] = pair.channel.posts;
  const { event, timestamp, data } = JSON.parse(Buffer.from(own?.sent.body ?? []).toString());
  const told = { event, messageId: data.message_id, at: Date.parse(timestamp), data, again: 7 };
  await pair.channel.ask({ type: 'emit', told });
  await pair.endpoint.settled;
  expect(pair.channel.posts).toHaveLength(2);
  expect(pair.copies).toHaveLength(1);
});

test('in order, a person with two names is one, whatever the node of the endpoint has heard', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.channel.facts({ ...inboundOf({ upstreamId: 'in-1', from: 'mia' }), userId: 'US.1' });
  await pair.channel.facts(inboundOf({ upstreamId: 'in-2', from: 'US.1' }));
  await pair.channel.facts(inboundOf({ upstreamId: 'in-3', from: 'ben' }));
  await pair.endpoint.settled;
  expect(pair.posted).toEqual([1, 3]);
});

test('[faults: 389] in order, a person stays one while upstream tells a second name of theirs, and a third', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.channel.facts(inboundOf({ upstreamId: 'in-1', from: 'mia' }));
  await pair.channel.facts({ ...inboundOf({ upstreamId: 'in-2', from: 'mia' }), userId: 'US.1' });
  await pair.channel.facts(inboundOf({ upstreamId: 'in-3', from: 'US.1' }));
  await pair.channel.facts({ ...inboundOf({ upstreamId: 'in-4', from: 'mia' }), userId: 'US.2' });
  await pair.endpoint.settled;
  for (const next of [1, 2, 3, 4]) {
    expect(pair.posted).toEqual([1, 2, 3, 4].slice(0, next));
    await pair.endpoint.posts[next - 1]?.answer(up);
  }
});

test('[faults: 389] in order, a person stays one when an id is told alone, and its number in the same batch', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.channel.facts(inboundOf({ upstreamId: 'in-1', from: 'mia' }));
  const both = { ...inboundOf({ upstreamId: 'in-3', from: 'mia' }), userId: 'US.1' };
  await pair.channel.facts(inboundOf({ upstreamId: 'in-2', from: 'US.1' }), both);
  await pair.endpoint.settled;
  expect(pair.posted).toEqual([1]);
});

test('[faults: 389] in order, a person stays one whose number changes, and the id with it', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.channel.facts({ ...inboundOf({ upstreamId: 'in-1', from: 'n1' }), userId: 'US.1' });
  const { channelType, identity, at } = inboundOf();
  const now = { from: 'n2', userId: 'US.2' };
  const before = { previousFrom: 'n1', previousUserId: 'US.1' };
  await pair.channel.facts({
    kind: 'person',
    upstreamId: 'change-1',
    channelType,
    identity,
    at,
    ...now,
    ...before,
  });
  await pair.channel.facts({ ...inboundOf({ upstreamId: 'in-2', from: 'n2' }), userId: 'US.2' });
  await pair.endpoint.settled;
  expect(pair.posted).toEqual([1]);
});

test('[faults: 389] in order, a person is one for each node that owns the channel in turn', async () => {
  const ordered: Start = { channel: { ordered: true } };
  const first = await Pair.started(ordered);
  const both = (upstreamId: string) => ({ ...inboundOf({ upstreamId, from: 'mia' }), userId: 'US.1' });
  await first.channel.facts(both('in-0'));
  await first.endpoint.posts[0]?.answer(up);
  const second = new Pair(ordered, first.store);
  await second.channel.takeOver();
  await second.channel.facts(inboundOf({ upstreamId: 'in-1', from: 'US.1' }));
  const third = new Pair(ordered, first.store);
  await third.channel.takeOver();
  await third.endpoint.takeOver();
  await third.channel.facts(both('in-2'));
  await third.endpoint.settled;
  expect(third.posted).toEqual([2]);
});

test('[faults: 389] in order, a place of an earlier epoch is not the one before: another node may have told since', () => {
  const places = new Places();
  expect(places.noteTold(ownerId, places.next(1))).toBeNull();
  const second = places.next(1);
  const first = second - 1;
  expect(places.noteTold(ownerId, second)).toBe(first);
  expect(places.noteTold(ownerId, places.next(3))).toBeNull();
});

test('in order, a busy endpoint that misses nothing does not read the store for each event', async () => {
  const pair = await Pair.started({ channel: { ordered: true } });
  await pair.hears('in-1', 'in-2');
  pair.reads = 0;
  await pair.hears('in-3', 'in-4');
  expect(pair.reads).toBe(0);
  expect(pair.copies).toHaveLength(4);
});

test('the mails of its failure lead to its page, and name its host', async () => {
  const pair = new Pair();
  pair.endpoint.receiver = down;
  await pair.channel.takeOver();
  await pair.endpoint.takeOver();
  await pair.hears('in-1');
  await pair.endpoint.clock.pass(690_000);
  const openings = pair.store.mails.map(({ kind, opening }) => [kind, opening.join('\n')]);
  expect(openings).toEqual([
    ['webhook-warning', expect.stringMatching(/^An endpoint \(crm\.example\) of your channel/)],
    ['webhook-alert', expect.stringContaining('/portal/channels/channel-1/endpoints/e-1\n')],
  ]);
});
