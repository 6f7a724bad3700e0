/** A live channel that has nothing to do keeps only its settings and its stubs of state. [performance §2.5] */
import { expect, jest, test } from '@jest/globals';
import { makeChannelActor } from '../../actors/channel/index.ts';
import { ChannelState } from '../../actors/channel/state.ts';
import { inboundOf } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { rules } from './support/turns.ts';

/** The slices of the state that hold something. */
function atWork({ state }: LiveChannel): string[] {
  return [
    ...((state?.sendsAtWork ?? null) === null ? [] : ['sends']),
    ...((state?.factsAtWork ?? null) === null ? [] : ['facts']),
    ...((state?.inboundAtWork ?? null) === null ? [] : ['inbound']),
    ...((state?.deliveriesAtWork ?? null) === null ? [] : ['deliveries']),
  ];
}

test('a channel that was just loaded has no slices, and an inspection adds none', async () => {
  const channel = await LiveChannel.started();
  expect(atWork(channel)).toEqual([]);

  expect(await channel.ask({ type: 'inspect' })).toMatchObject({ sendsOpen: 0, deliveriesPending: 0 });
  expect(atWork(channel)).toEqual([]);
});

test('a channel without pending work sets no alarm', async () => {
  const { state, ports } = await LiveChannel.started();
  if (state === null) throw new Error('not loaded');
  expect(makeChannelActor(ports, rules).wakeAt(state)).toBe(null);
});

test('a message is remembered until its event is stored, and its delivery until the receiver accepts it', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = 'by hand';
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));
  expect(atWork(channel)).toContain('deliveries');

  await channel.posts[0]?.answer({ ok: true, status: 200 });
  await channel.clock.pass(1);
  await channel.ask({ type: 'inspect' });
  expect(atWork(channel)).toEqual([]);
});

test('a send is remembered until its outcome is stored and its pace has recovered', async () => {
  const channel = await LiveChannel.started();
  await channel.sent('m-1', 'up-1');
  expect(atWork(channel)).toContain('sends');

  await channel.clock.pass(60_000);
  expect(atWork(channel)).not.toContain('sends');
});

test('a failing receiver is remembered', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = { ok: false, status: 500, reason: 'status' };
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));

  expect(atWork(channel)).toContain('deliveries');
});

test("the time of a message's last status is kept", async () => {
  const channel = await LiveChannel.started();
  await channel.sent('m-1', 'up-1');
  await channel.facts(receiptOf({ upstreamId: 'up-1', status: 'delivered' }));
  await channel.clock.pass(60_000);

  expect(atWork(channel)).toContain('facts');
});

test('job numbers are never reused: a late report does not match another job', async () => {
  const channel = await LiveChannel.started();
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));
  await channel.clock.pass(1);
  await channel.ask({ type: 'inspect' });
  expect(atWork(channel)).toEqual([]);

  expect(channel.state?.facts.nextJob).toBe(2);
});

test('a turn in which no fact has to wait creates no slice for facts', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = 'by hand';
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));
  await channel.clock.pass(1);
  const facts = jest.spyOn(ChannelState.prototype, 'facts', 'get');
  await channel.posts[0]?.answer({ ok: true, status: 200 });
  channel.tell({ type: 'alarm' });
  expect(facts).not.toHaveBeenCalled();
  facts.mockRestore();
});
