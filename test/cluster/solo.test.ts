import { describe, expect, test } from '@jest/globals';
import type { ActorKind, Work } from '../../actors/runtime/actor.ts';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { Host } from '../../actors/runtime/host.ts';
import { soloOwnership, soloRouter } from '../../src/cluster/solo.ts';
import { OwnerLost } from '../../src/kernel/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';

const clock = new FakeClock();

/** An actor that takes every ask and never answers. */
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

describe('one node alone', () => {
  test('an activation that ends with a send in its hands is OwnerLost, not 503: the store must say [faults: I3]', async () => {
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

  test('an ask that nobody looked at is a clean 503', async () => {
    const host = aHost();
    void host.drain(0);
    await expect(soloRouter(host).ask('channel-1', { type: 'inspect' })).rejects.toMatchObject({
      status: 503,
    });
  });
});
