import { describe, expect, test } from '@jest/globals';
import type { ActorKind, Work } from '../../actors/runtime/actor.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { Host } from '../../actors/runtime/host.ts';
import { soloOwnership, soloRouter, soloView } from '../../src/ownership/solo.ts';
import { OwnerLost, StoreUnavailable } from '../../src/kernel/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { refusalOf } from '../features/support/service.ts';
import { Asked, channelId, granting, refusing } from './support/asked.ts';

const clock = new FakeClock();

/** An actor that accepts every ask and never answers. */
const silent: ActorKind<unknown, ChannelMessage, unknown> = {
  load: () => Promise.resolve({}),
  decide: () => [],
  perform: (_effects: readonly unknown[], _work: Work<ChannelMessage>) => Promise.resolve(),
  wakeAt: () => null,
  alarm: { type: 'alarm' },
  drain: { type: 'drain' },
  isQuiet: () => false,
  isIdle: () => false,
};

function aHost(): Host<unknown, ChannelMessage, unknown> {
  const ownership = soloOwnership(() => Promise.resolve(1));
  return new Host({
    kind: silent,
    ownership,
    clock,
    mailboxCapacity: 10,
    idleAfterMs: 60_000,
    onFailure: () => undefined,
  });
}

describe('a single node', () => {
  test('an activation that ends while it processes a send is OwnerLost, not 503: the store must decide [faults: I3]', async () => {
    const host = aHost();
    await host.activate('channel-1');
    const answer = soloRouter(host).ask('channel-1', {
      type: 'send',
      messageId: 'm-1',
      recipient: '49',
      content: { type: 'text', text: 'hello' },
    });
    const outcome = answer.catch((error: unknown) => error);
    await new Promise((resolve) => setImmediate(resolve));
    host.closeAll(null);
    expect(await outcome).toBeInstanceOf(OwnerLost);
  });

  test('an ask that no turn has processed is a 503', async () => {
    const host = aHost();
    void host.drain(0);
    await expect(soloRouter(host).ask('channel-1', { type: 'inspect' })).rejects.toMatchObject({
      status: 503,
    });
  });

  test("owns a channel under the store's epoch, for as long as it runs", async () => {
    const ownership = soloOwnership(async (id) => (id === 'channel-1' ? 7 : 0));
    const grant = await ownership.acquire('channel-1');
    expect([grant.epoch, grant.isValid(), grant.isSure()]).toEqual([7, true, true]);
    await ownership.release('channel-1', grant);
    expect(grant.isValid()).toBe(true);
  });

  test('asks the channel here, and wakes it here', async () => {
    const { host, heard } = new Asked({});
    expect(await soloRouter(host).ask(channelId, { type: 'inspect' })).toBe('here');
    soloRouter(host).tell('channel-2', { type: 'wake' });
    await host.activate('channel-2');
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(['inspect', 'wake']);
  });

  test('tells an active channel what changed, and activates none for it', async () => {
    const { host, heard } = new Asked({});
    await host.activate(channelId);
    for (const each of [channelId, 'channel-2']) soloRouter(host).tell(each, { type: 'settings-changed' });
    await new Promise((resolve) => setImmediate(resolve));
    expect([heard, host.keys()]).toEqual([['settings-changed'], [channelId]]);
  });

  test('passes on why a channel refuses', async () => {
    const { host } = new Asked({}, { ownership: refusing(new StoreUnavailable('away')) });
    await expect(soloRouter(host).ask(channelId, { type: 'inspect' })).rejects.toBeInstanceOf(
      StoreUnavailable,
    );
  });

  test('answers 503 for a channel whose grant is not valid', async () => {
    const grant = { epoch: 1, isValid: () => false, isSure: () => false };
    const { host } = new Asked({}, { ownership: { ...granting, acquire: async () => grant } });
    expect(await refusalOf(soloRouter(host).ask(channelId, { type: 'inspect' }))).toMatchObject({
      status: 503,
    });
  });
});

describe('operators see of a single node', () => {
  const run = () => ({ version: '0.1.0', commit: 'abc123', busy: 0, memoryBytes: 9 });
  const alone = { nodeId: 'the-node', startedAt: 5, drainBudgetMs: 0, run };

  test('what it owns and how much waits on it', async () => {
    const host = aHost();
    await host.activate('channel-1');
    const view = soloView(host, alone);
    const waits = {
      sendsOpen: 0,
      sendsWaiting: 0,
      oldestSendMs: 0,
      deliveriesPending: 0,
      oldestDeliveryMs: 0,
      receiversFailing: 0,
      peersWithoutLink: 0,
    };
    expect(await view.nodes()).toEqual([
      {
        nodeId: 'the-node',
        startedAt: 5,
        channelsOwned: 1,
        draining: false,
        isLinked: true,
        status: { ...run(), lease: 'alone', ...waits },
      },
    ]);
    expect(await view.whereIs('channel-2')).toBe('the-node');
  });

  test.each([[null], ['the-node']])('that a drain of %s ends its activations', async (nodeId) => {
    const host = aHost();
    await host.activate('channel-1');
    const view = soloView(host, alone);
    const draining = view.drain(nodeId);
    clock.advance(0);
    await draining;
    expect(await view.nodes()).toMatchObject([{ channelsOwned: 0, draining: true }]);
  });

  test('no other node to drain', async () => {
    const host = aHost();
    expect(await refusalOf(soloView(host, alone).drain('another'))).toEqual({
      status: 404,
      detail: 'Node not found',
    });
    expect(host.isDraining).toBe(false);
  });
});
