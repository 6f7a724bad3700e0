import { describe, expect, test } from '@jest/globals';
import { Host } from '../../actors/runtime/host.ts';
import { FakeClock, promisesSettled } from '../support/fake-clock.ts';
import { ToyOwnership, ToyWorld, gate } from './support/toy-actor.ts';
import type { ToyEffect, ToyMessage, ToyState } from './support/toy-actor.ts';

const idleAfterMs = 60_000;

function aHost(): {
  host: Host<ToyState, ToyMessage, ToyEffect>;
  world: ToyWorld;
  ownership: ToyOwnership;
  clock: FakeClock;
  failures: string[];
} {
  const world = new ToyWorld();
  const ownership = new ToyOwnership();
  const clock = new FakeClock();
  const failures: string[] = [];
  const host = new Host({
    kind: world.kind(),
    ownership,
    clock,
    mailboxCapacity: 100,
    idleAfterMs,
    onFailure: (key, error) => failures.push(`${key}: ${error.message}`),
  });
  return { host, world, ownership, clock, failures };
}

const note = (word: string): ToyMessage => ({ type: 'note', word });
const slow = (word: string): ToyMessage => ({ type: 'slow', word });

describe('get or activate', () => {
  test('concurrent callers get the same activation, acquired and loaded once', async () => {
    const { host, world, ownership } = aHost();
    const activations = await Promise.all([host.activate('a'), host.activate('a'), host.activate('a')]);
    expect(new Set(activations).size).toBe(1);
    expect([ownership.log, world.loads]).toEqual([['acquire a 1'], 1]);
    expect(await host.activate('a')).toBe(activations[0]);
    expect(host.live('a')).toBe(activations[0]);
  });

  test('a failed acquisition rejects its caller, and the next one tries again', async () => {
    const { host, ownership } = aHost();
    ownership.acquiring = Promise.reject(new Error('no lock service'));
    await expect(host.activate('a')).rejects.toThrow('no lock service');
    ownership.acquiring = Promise.resolve();
    expect((await host.activate('a')).grant.epoch).toBe(2);
  });

  test('an activation that failed is forgotten, reported, and replaced by a new one', async () => {
    const { host, failures, clock } = aHost();
    const first = await host.activate('a');
    await promisesSettled();
    first.tell({ type: 'throw' });
    expect([host.size, failures]).toEqual([0, ['a: a bug in a turn']]);
    expect((await host.activate('a')).grant.epoch).toBe(2);
    expect(clock.pending).toBe(1);
  });

  test('alarms of all actors share one timer', async () => {
    const { host, world, clock } = aHost();
    for (const key of ['a', 'b']) await host.activate(key);
    await promisesSettled();
    host.live('a')?.tell({ type: 'wake-at', at: clock.now() + 200 });
    host.live('b')?.tell({ type: 'wake-at', at: clock.now() + 100 });
    expect(clock.pending).toBe(2);
    clock.advance(300);
    expect(world.seen).toEqual(['b: alarm', 'a: alarm']);
  });
});

describe('eviction', () => {
  test('an idle actor is evicted after its time, one with something in flight stays', async () => {
    const { host, ownership, clock } = aHost();
    for (const key of ['idle', 'busy']) await host.activate(key);
    await promisesSettled();
    void host.live('busy')?.ask(slow('x'));
    await clock.pass(idleAfterMs);
    await clock.pass(idleAfterMs);
    expect([host.keys(), ownership.log.at(-1)]).toEqual([['busy'], 'release idle 1']);
  });

  test('a message resets the idle time', async () => {
    const { host, clock } = aHost();
    const activation = await host.activate('a');
    await clock.pass(idleAfterMs - 1);
    activation.tell(note('still here'));
    await clock.pass(1);
    expect(host.keys()).toEqual(['a']);
    await clock.pass(idleAfterMs);
    expect(host.keys()).toEqual([]);
  });

  test('an actor is acquired again only after its release: a release never gives up a new grant', async () => {
    const { host, ownership } = aHost();
    await host.activate('a');
    await promisesSettled();
    const released = gate();
    ownership.releasing = released.promise;
    const leaving = host.handOver('a');
    await promisesSettled();
    const again = host.activate('a');
    await promisesSettled();
    released.open();
    await leaving;
    expect((await again).grant.epoch).toBe(2);
    expect(ownership.log).toEqual(['acquire a 1', 'release a 1', 'acquire a 2']);
  });

  test('a repeated hand-over releases once', async () => {
    const { host, ownership } = aHost();
    await host.activate('a');
    await promisesSettled();
    await Promise.all([host.handOver('a'), host.handOver('a')]);
    expect(ownership.log).toEqual(['acquire a 1', 'release a 1']);
  });
});

describe('drain', () => {
  test('every actor ends its work and is released; no actor is activated after that; no timer is left', async () => {
    const { host, world, ownership, clock } = aHost();
    for (const key of ['a', 'b']) await host.activate(key);
    await promisesSettled();
    const asked = host.live('a')?.ask(slow('x'));
    const drained = host.drain(10_000);
    await promisesSettled();
    await expect(host.activate('c')).rejects.toThrow('this node is draining');
    for (const end of world.running) end();
    expect(await asked).toBe('x');
    await drained;
    expect(ownership.log).toEqual(['acquire a 1', 'acquire b 1', 'release b 1', 'release a 1']);
    expect([host.size, clock.pending]).toEqual([0, 0]);
  });

  test('work that is still in flight at the end of the budget is abandoned', async () => {
    const { host, clock } = aHost();
    await host.activate('a');
    await promisesSettled();
    const asked = host.live('a')?.ask(slow('x'));
    const drained = host.drain(10_000);
    const failed = expect(asked).rejects.toThrow('the actor moved to another owner');
    await clock.pass(10_000);
    await Promise.all([drained, failed]);
    expect([host.size, clock.pending]).toEqual([0, 0]);
  });

  test('a lock service that does not answer cannot delay the drain beyond its budget', async () => {
    const { host, ownership, clock } = aHost();
    const acquired = gate();
    ownership.acquiring = acquired.promise;
    const activating = host.activate('a');
    const refused = expect(activating).rejects.toThrow('this node is draining');
    const drained = host.drain(10_000);
    await clock.pass(10_000);
    await drained;
    acquired.open();
    await refused;
    expect([host.size, ownership.log]).toEqual([0, ['acquire a 1', 'release a 1']]);
  });
});
