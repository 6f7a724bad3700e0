/** An owner that meets a higher epoch ends: it does nothing more with what it remembers. [architecture §4, Fence intents] */
import { describe, expect, test } from '@jest/globals';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import { inboundOf } from '../rules/samples.ts';
import { pendingOf } from '../stores/conformance/views.ts';
import { receiptOf } from './support/facts.ts';
import { fileOf, inboundOf as inboundWith } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { accepted, deferred, unknown } from './support/turns.ts';
import { down } from './support/deliveries.ts';

/** The store refuses the next operation as fenced, and would accept the later ones. */
function fence(channel: LiveChannel): void {
  let operations = 0;
  channel.mood = () => ((operations += 1) === 1 ? 'fenced' : 'well');
}

const asking = (channel: LiveChannel): Promise<unknown> =>
  channel.send('m-9', 'noah').then(({ reply }) => reply.catch((error: unknown) => error));

/** The operations that can meet the fence, by name. */
const meets: Record<string, (channel: LiveChannel) => Promise<unknown>> = {
  'a first claim': async (channel) => {
    fence(channel);
    await channel.send('m-1');
  },
  'the claim of a copy': async (channel) => {
    await channel.send('m-1');
    await channel.calls[0]?.answer(unknown);
    fence(channel);
    await channel.clock.pass(180_000);
  },
  'the claims of two copies, at the second': async (channel) => {
    for (const id of ['m-1', 'm-2']) await channel.send(id, id);
    for (const { answer } of channel.calls) await answer(unknown);
    for (const message of channel.store.messages.values()) if (message.id === 'm-2') message.epoch = 2;
    await channel.clock.pass(180_000);
  },
  'a postponement': async (channel) => {
    await channel.send('m-1');
    await channel.calls[0]?.answer(deferred('pair', 131056));
    fence(channel);
    await channel.send('m-2');
  },
  'the record of an outcome': async (channel) => {
    await channel.send('m-1');
    fence(channel);
    await channel.calls[0]?.answer(accepted());
  },
  'the look-up of facts': async (channel) => {
    fence(channel);
    await channel.facts(receiptOf()).catch(() => undefined);
  },
  'the commit of facts': async (channel) => {
    fence(channel);
    await channel.facts(inboundOf()).catch(() => undefined);
  },
  'a look at settings': async (channel) => {
    fence(channel);
    await channel.ask({ type: 'reload' }).catch(() => undefined);
  },
  'the claim of a webhook': async (channel) => {
    channel.receiver = down;
    await channel.facts(inboundOf());
    fence(channel);
    await channel.clock.pass(30_000);
  },
  'a webhook that is asked for anew': async (channel) => {
    channel.receiver = down;
    await channel.facts(inboundOf());
    await channel.clock.pass(3_600_000);
    const [given] = channel.store.deliveries.values();
    if (given === undefined) throw new Error('it is on record');
    fence(channel);
    const ask = {
      type: 'retry-delivery',
      delivery: pendingOf(given),
      keptSince: given.keptSince ?? 0,
    } as const;
    await channel.ask(ask).catch(() => undefined);
  },
};

test.each(Object.keys(meets))(
  '%s is fenced: pending asks are redirected to the next owner, and the owner does nothing more',
  async (what) => {
    const channel = await LiveChannel.started({ channel: { failedRetentionDays: 7 } });
    await meets[what]?.(channel);
    const [calls, posts] = [channel.calls.length, channel.posts.length];
    channel.mood = () => 'well';
    expect(await asking(channel)).toBeInstanceOf(ActivationGone);
    await channel.clock.pass(3_600_000);
    expect([channel.calls.length, channel.posts.length]).toEqual([calls, posts]);
  },
);

describe('a file that waits for its fetch', () => {
  test('is not fetched by a fenced owner, which ends with its next claim', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    const people = [0, 1, 2, 3, 4].map((n) => inboundWith(`in-${n}`, [fileOf()], `person ${n}`));
    await channel.facts(...people);
    expect(channel.fetches).toHaveLength(4);
    fence(channel); // the count of the fifth is written before the fetch starts
    await channel.fetches[0]?.answer({ outcome: 'failed', error: 'No file', mayPass: false });
    await channel.settled;
    expect(channel.fetches).toHaveLength(4);
    fence(channel);
    expect(await asking(channel)).toBeInstanceOf(ActivationGone);
  });
});
