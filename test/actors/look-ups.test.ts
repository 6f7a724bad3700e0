/** What is read from the store: by a channel that is activated, for the message of a fact, and of the previous owner's work. [architecture §1] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { openedInbound } from '../../actors/channel/performing/contents.ts';
import { readSettings } from '../../actors/channel/performing/settings.ts';
import type { InboundPage } from '../../src/storage/journal/channel-journal.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { fileFetched, fileOf, inboundOf as inboundWith } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { ModelStore } from './support/model-store.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { accepted, openMessage, settingsOf } from './support/turns.ts';

/** Counts how often the activation yields to the event loop from now on: pauses of 0 ms. */
function countRests({ clock }: LiveChannel): () => number {
  let rests = 0;
  const after = clock.after.bind(clock);
  clock.after = (ms, fire) => {
    if (ms === 0) rests += 1;
    return after(ms, fire);
  };
  return () => rests - 1; // the first alarm is due at once too
}

/** A message that the previous owner left. */
function left(id: string, fields: Partial<OutboundMessage> = {}): OutboundMessage {
  const content = plainSealer.seal(
    Buffer.from('{"type":"text","text":"Hello"}'),
    sealContext.content('channel-1', id),
  );
  return { ...openMessage({ id, content, ...fields }).message };
}

/** The account has no default webhook. */
const accountReceiver = { of: async () => null };
const receivers = { of: async () => [], logged: async () => [], settings: async () => null };

describe('an activation', () => {
  test('whose store does not answer ends, and asks are redirected to the next owner', async () => {
    const channel = new LiveChannel();
    channel.mood = () => 'down';
    await channel.takeOver();
    await expect(channel.facts(inboundOf())).rejects.toThrow();
    channel.mood = () => 'well';
    await channel.takeOver();
    expect(await channel.facts(inboundOf())).toEqual({ taken: 1, dropped: 0 });
  });

  test.each([
    [499, 0],
    [500, 1],
    [1_200, 2],
  ])('with %d sends yields to the event loop %d times [faults: I9]', async (count, turns) => {
    const channel = new LiveChannel();
    for (let n = 0; n < count; n += 1) channel.store.messages.set(`m-${n}`, left(`m-${n}`));
    const rests = countRests(channel);
    await channel.takeOver();
    expect([channel.state?.sends.open.size, rests()]).toEqual([count, turns]);
  });

  test.each([
    [499, 0],
    [500, 1],
    [1_200, 2],
  ])('with %d facts that wait yields %d times', async (count, turns) => {
    const channel = await LiveChannel.started();
    const receipts = Array.from({ length: count }, (_, n) => receiptOf({ upstreamId: `up-${n}` }));
    await channel.facts(...receipts);
    const rests = countRests(channel);
    await channel.takeOver();
    expect([channel.state?.facts.unmatched.size, rests()]).toEqual([count, turns]);
  });

  test('reads the settings and the open work, in two reads', async () => {
    const channel = new LiveChannel();
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      return 'well';
    };
    await channel.takeOver();
    expect(operations).toBe(2);
  });

  test('does not resend a message that no key decrypts, and a log line names it', async () => {
    const channel = new LiveChannel();
    channel.store.messages.set('m-1', { ...left('m-1', { copies: 1 }), content: new Uint8Array([1]) });
    await channel.takeOver();
    expect(channel.lines).toEqual([['send.content-unreadable', { channel: 'channel-1', message: 'm-1' }]]);
    await channel.takeOver();
    await channel.clock.pass(600_000); // long enough for both later reads of what the previous owner wrote late
    expect([channel.calls, channel.store.messages.get('m-1')?.state]).toEqual([[], 'failed']);
    expect(channel.lines).toHaveLength(2);
  });

  test('does not resend a message without content, and logs nothing', async () => {
    const channel = new LiveChannel();
    channel.store.messages.set('m-1', { ...left('m-1'), content: null });
    await channel.takeOver();
    await channel.clock.pass(600_000);
    expect([channel.calls, channel.lines]).toEqual([[], []]);
  });

  test('resends a message whose call the previous owner made without an answer, unchanged', async () => {
    const channel = new LiveChannel();
    channel.store.messages.set('m-1', left('m-1'));
    await channel.takeOver();
    await channel.clock.pass(180_000);
    expect(channel.calls.map(({ sent }) => [sent.messageId, sent.content])).toEqual([
      ['m-1', { type: 'text', text: 'Hello' }],
    ]);
  });

  test('skips a fact that no key decrypts, and matches the others', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.facts(receiptOf({ upstreamId: 'up-1' }), receiptOf({ upstreamId: 'up-2' }));
    const broken = [...channel.store.unmatched.values()].at(-1);
    Object.assign(broken ?? {}, { fact: 'sealed with another key' });
    await channel.takeOver();
    expect(channel.lines).toEqual([['unmatched-fact.unreadable', { channel: 'channel-1' }]]);
    await channel.calls[0]?.answer(accepted('up-1'));
    await channel.clock.pass(20_000);
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });
});

describe('the look-up of facts', () => {
  test('[faults: I9] asks for each message once, however many facts name it', async () => {
    const channel = await LiveChannel.started();
    const [receipt, other] = [
      receiptOf({ tag: 'm-1', upstreamId: 'up-1' }),
      receiptOf({ upstreamId: 'up-2' }),
    ];
    await channel.facts(receipt, other, receipt, other, { ...receipt, status: 'read' });
    expect(channel.lookedUp).toEqual([['m-1']]);
    expect(channel.lookedUpTheirs).toEqual([['up-1', 'up-2']]);
  });

  test("that fails is a 503 and a log line; upstream's repetition is accepted", async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.mood = () => 'down';
    await expect(channel.facts(receiptOf())).rejects.toMatchObject({ code: 'unavailable' });
    expect(channel.lines).toEqual([['facts.lookup-failed', { channel: 'channel-1', times: 1 }]]);
    channel.mood = () => 'well';
    expect(await channel.facts(receiptOf())).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });

  test('for facts that wait is tried until the store answers', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.facts(receiptOf());
    let operations = 0;
    // The first operation stores the answer, the second is the look-up for the waiting facts.
    channel.mood = () => ((operations += 1) === 2 ? 'down' : 'well');
    await channel.calls[0]?.answer(accepted('up-1'));
    expect(channel.events).toEqual(['message.sent m-1']);
    await channel.clock.pass(50);
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });
});

describe('a read of a conversation', () => {
  /** A channel with `m-1` to `m-3`, sent a second apart. */
  const three = async (): Promise<LiveChannel> => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    for (const n of [1, 2, 3]) {
      await channel.sent(`m-${n}`, `up-${n}`);
      await channel.clock.pass(1_000);
    }
    return channel;
  };
  const readBy = (channel: LiveChannel): string[] =>
    channel.events.filter((event) => event.startsWith('message.read'));

  test('that names a message covers all up to that message, whatever its time', async () => {
    const channel = await three();
    await channel.facts(readOf('photoapp', { upTo: null, upToUpstreamId: 'up-2', at: newYear }));
    expect(readBy(channel)).toEqual(['message.read m-1', 'message.read m-2']);
  });

  test.each([
    ['an unknown message', 'up-9'],
    ['no message', null],
  ])('that names %s covers all up to its time', async (_what, upToUpstreamId) => {
    const channel = await three();
    await channel.facts(readOf('photoapp', { upTo: null, upToUpstreamId, at: newYear + 1_000 }));
    expect(readBy(channel)).toEqual(['message.read m-1', 'message.read m-2']);
  });

  test('that has a time limit covers all up to that time, whatever message it names', async () => {
    const channel = await three();
    const read = { upTo: newYear + 500, upToUpstreamId: 'up-3', at: newYear + 9_000 };
    await channel.facts(readOf('photoapp', read));
    expect(readBy(channel)).toEqual(['message.read m-1']);
  });
});

test('a read together with statuses of other messages covers all up to the message that it names', async () => {
  const channel = await LiveChannel.started({ type: 'photoapp' });
  await channel.send('m-0', 'noah'); // has no answer, and so no upstream id
  for (const n of [1, 2, 3]) {
    await channel.clock.pass(1_000);
    await channel.sent(`m-${n}`, `up-${n}`);
  }
  await channel.takeOver(); // no message is in memory
  const read = readOf('photoapp', { upTo: null, upToUpstreamId: 'up-2', at: newYear + 9_000 });
  const statuses = [
    receiptOf({ channelType: 'photoapp', tag: 'm-0', upstreamId: 'up-0', recipient: 'noah' }),
    receiptOf({ channelType: 'photoapp', upstreamId: 'up-1' }),
  ];
  await channel.facts(read, ...statuses);
  expect(channel.events.filter((event) => event.startsWith('message.read'))).toEqual([
    'message.read m-1',
    'message.read m-2',
  ]);
});

describe('messages that wait for their files', () => {
  test('are read in pages, and a page tells up to which time it reaches, also if some could not be decrypted', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    for (const n of [1, 2, 3]) {
      await channel.clock.pass(1_000);
      await channel.facts(inboundWith(`in-${n}`, [fileOf()], `person ${n}`));
    }
    const kept = [...channel.store.unmatched.values()];
    Object.assign(kept[2] ?? {}, { fact: 'sealed with another key' });
    const read = (after: number, limit: number) => openedInbound(channel.ports, 'channel-1', after, limit);
    const ids = ({ pending }: InboundPage): string[] =>
      pending.map(({ id }) => id.slice('channel-1/i/'.length));
    const [all, two, none] = [
      await read(0, 4),
      await read(newYear + 1_000, 2),
      await read(newYear + 3_000, 2),
    ];
    expect([ids(all), all.upTo, all.storeHasMore]).toEqual([['in-1', 'in-2'], newYear + 3_000, false]);
    expect([ids(two), two.upTo, two.storeHasMore]).toEqual([['in-2'], newYear + 3_000, true]);
    expect(none).toEqual({ pending: [], echoes: [], upTo: newYear + 3_000, storeHasMore: false });
  });

  test('that the previous owner stored after its successor had read are found 15 s later', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.takeOver();
    const before = new LiveChannel({ type: 'pagechat' });
    await before.takeOver();
    await before.facts(inboundWith('late', [fileOf('f')]));
    for (const [key, kept] of before.store.unmatched) channel.store.unmatched.set(key, kept);
    let operations = 0;
    channel.mood = () => ((operations += 1) < 3 ? 'down' : 'well');
    await channel.clock.pass(limits.recheckMs + 1_000);
    await channel.fetches[0]?.answer(fileFetched('f'));
    expect(channel.events).toHaveLength(1);
    expect(channel.store.unmatched.size).toBe(0);
  });
});

describe('settings', () => {
  const chatapp = {
    type: 'chatapp',
    phoneNumberId: '422300000000002',
    phoneNumber: null,
    businessAccountId: '311200000000001',
    qualityRating: null,
    isDualUse: true,
  } as const;

  test.each([
    ['with a profile', { profile: chatapp, subscribedAsset: '311200000000001' }],
    ['with an identity that its profile does not have', { profile: chatapp, identity: '1' }],
    ['with a profile and nothing that is subscribed', { profile: chatapp, subscribedAsset: null }],
    ['without a profile', { profile: null, subscribedAsset: '2', webhookEvents: null }],
  ])('of a channel %s are read as stored, with the given channel id', async (_, channel) => {
    const store = new ModelStore(settingsOf({ channel }));
    expect(await readSettings({ store: store.connect(), accountReceiver, receivers }, 'channel-1')).toEqual({
      channel: store.settings.channel,
      subscription: { status: 'active', source: 'trial', tier: 'pro', expiresAt: null },
    });
  });

  test('of a channel without a webhook are those of its account, and a webhook of its own hides them', async () => {
    const receiver = {
      webhookUrl: 'https://all.example/in',
      webhookSecret: null,
      webhookEvents: ['channel.updated'],
      previousSecret: null,
      previousSecretUntil: null,
    };
    const ofAccount = { of: async () => receiver };
    const read = (channel: object) =>
      readSettings(
        { store: new ModelStore(settingsOf({ channel })).connect(), accountReceiver: ofAccount, receivers },
        'channel-1',
      );
    const before = {
      previousSecret: plainSealer.sealText('of its own', 'here'),
      previousSecretUntil: newYear + 1,
    };
    const standard = await read({ webhookUrl: null, ...before });
    expect([standard?.channel, standard?.isDefaultReceiver]).toEqual([
      expect.objectContaining(receiver),
      true,
    ]);
    const own = await read({ webhookUrl: 'https://own.example', ...before });
    expect(own?.channel).toMatchObject({ webhookUrl: 'https://own.example', ...before });
    expect(own).not.toHaveProperty('isDefaultReceiver');
  });

  test('of a channel with endpoints name each owner once: former ones apart from those that take events', async () => {
    const store = new ModelStore(settingsOf({ channel: { hasEndpoints: true } })).connect();
    const [current, former] = ['channel-1:e-1', 'channel-1:e-2'];
    const note = { ownerId: current, events: ['message.received'] } as const;
    const told = { ...receivers, of: async () => [note], logged: async () => [current, former] };
    const read = await readSettings({ store, accountReceiver, receivers: told }, 'channel-1');
    expect(read).toMatchObject({ endpoints: [note], loggedOwners: [former] });
  });

  test('of a channel without a licence have no subscription', async () => {
    const store = new ModelStore({ ...settingsOf(), subscription: null });
    expect(
      await readSettings({ store: store.connect(), accountReceiver, receivers }, 'channel-1'),
    ).toMatchObject({
      subscription: null,
    });
  });
  test('are read until the store answers, and then the request is answered', async () => {
    const channel = await LiveChannel.started();
    let operations = 0;
    channel.mood = () => ((operations += 1) === 1 ? 'down' : 'well');
    const answer = channel.ask({ type: 'reload' });
    await channel.clock.pass(50);
    expect(await answer).toEqual({ status: 'reloaded' });
  });

  test('of a deleted channel: facts are dropped, and the request is answered', async () => {
    const channel = await LiveChannel.started();
    Object.assign(channel.store, { settings: null });
    expect(await channel.ask({ type: 'reload' })).toEqual({ status: 'reloaded' });
    expect(await channel.facts(inboundOf())).toEqual({ taken: 0, dropped: 1 });
  });
});
