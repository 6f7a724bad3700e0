import { describe, expect, test } from '@jest/globals';
import { Activation, ActivationGone } from '../../actors/runtime/activation.ts';
import { FencedError, StoreUnavailable } from '../../src/kernel/faults.ts';
import { promisesSettled } from '../support/fake-clock.ts';
import { ToyWorld, gate } from './support/toy-actor.ts';
import type { ToyEffect, ToyMessage, ToyState } from './support/toy-actor.ts';

interface Observed {
  world: ToyWorld;
  activation: Activation<ToyState, ToyMessage, ToyEffect>;
  wakeAt: (number | null)[];
  ended: (string | null)[];
}

function anActivation(capacity = 100): Observed {
  const world = new ToyWorld();
  const wakeAt: (number | null)[] = [];
  const ended: (string | null)[] = [];
  const activation = new Activation(
    'toy',
    { epoch: 1, isValid: () => true, isSure: () => true },
    world.kind(),
    {
      now: () => 0,
      wakeAt: (_, at) => wakeAt.push(at),
      gone: (_, error) => ended.push(error === null ? null : error.message),
    },
    capacity,
  );
  return { world, activation, wakeAt, ended };
}

/** How a refusal looks to the asker. */
async function refusal(asked: Promise<unknown>): Promise<string> {
  try {
    return `answered ${String(await asked)}`;
  } catch (error) {
    if (error instanceof ActivationGone) return error.untouched ? 'gone, untouched' : 'gone, maybe acted';
    return error instanceof Error ? `${error.name}: ${error.message}` : 'not an error';
  }
}

const note = (word: string): ToyMessage => ({ type: 'note', word });
const slow = (word: string): ToyMessage => ({ type: 'slow', word });

describe('loading', () => {
  test('messages wait while the state loads and are then taken in order', async () => {
    const { world, activation } = anActivation();
    const loaded = gate();
    world.load = (key) => loaded.promise.then(() => ({ key, seen: [], inFlight: 0, wakeAt: null }));
    const loading = activation.load();
    const answers = [activation.ask(note('a')), activation.ask(note('b'))];
    activation.tell(note('c'));
    expect(world.seen).toEqual([]);
    loaded.open();
    await loading;
    expect(await Promise.all(answers)).toEqual(['a', 'a b']);
    expect(world.seen).toEqual(['toy: a', 'toy: b', 'toy: c']);
  });

  test('only so many asks wait: the next is answered overloaded', async () => {
    const { activation } = anActivation(2);
    const waiting = [activation.ask(note('a')), activation.ask(note('b'))];
    expect(await refusal(activation.ask(note('c')))).toBe(
      'Fault: Temporarily overloaded; nothing was sent. Retry after the time in Retry-After',
    );
    await activation.load();
    expect(await Promise.all(waiting)).toEqual(['a', 'a b']);
  });

  test('a state that comes after the end is said ended, as any other', async () => {
    const { world, activation } = anActivation();
    const loading = activation.load();
    activation.close(null);
    await loading;
    expect(world.ended).toEqual(['toy']);
  });

  test('a failed load refuses the askers with its error', async () => {
    const { world, activation, ended } = anActivation();
    world.load = () => Promise.reject(new StoreUnavailable('no primary'));
    const asked = activation.ask(note('a'));
    await activation.load();
    expect(await refusal(asked)).toBe('StoreUnavailable: no primary');
    expect([activation.stage, ended]).toEqual(['gone', ['no primary']]);
  });

  test('a load that finds a higher epoch sends the askers on to the next owner', async () => {
    const { world, activation, ended } = anActivation();
    world.load = () => Promise.reject(new FencedError('epoch 2 exists'));
    const asked = activation.ask(note('a'));
    await activation.load();
    expect(await refusal(asked)).toBe('gone, untouched');
    expect(ended).toEqual(['epoch 2 exists']);
  });

  test('closed while loading, it stays gone when the state arrives', async () => {
    const { world, activation } = anActivation();
    const loaded = gate();
    world.load = (key) => loaded.promise.then(() => ({ key, seen: [], inFlight: 0, wakeAt: null }));
    const loading = activation.load();
    const asked = activation.ask(note('a'));
    const drained = activation.drain();
    loaded.open();
    await Promise.all([loading, drained]);
    expect([await refusal(asked), activation.stage, world.seen]).toEqual(['gone, untouched', 'gone', []]);
  });
});

describe('living', () => {
  test('the alarm is armed with what the state wants after every turn', async () => {
    const { activation, wakeAt } = anActivation();
    await activation.load();
    activation.tell({ type: 'wake-at', at: 500 });
    expect(wakeAt.at(-1)).toBe(500);
    activation.ring();
    expect(wakeAt.at(-1)).toBe(null);
  });

  test('a turn that throws closes: who waits may find that something was done', async () => {
    const { activation, ended, wakeAt } = anActivation();
    await activation.load();
    const inFlight = activation.ask(slow('a'));
    const thrown = activation.ask({ type: 'throw' });
    expect([await refusal(inFlight), await refusal(thrown)]).toEqual([
      'gone, maybe acted',
      'gone, maybe acted',
    ]);
    expect([activation.stage, ended, wakeAt.at(-1)]).toEqual(['gone', ['a bug in a turn'], null]);
  });

  test('a fenced effect closes, and what its calls report later changes nothing', async () => {
    const { world, activation, ended } = anActivation();
    await activation.load();
    const inFlight = activation.ask(slow('a'));
    activation.tell({ type: 'be-fenced' });
    expect(await refusal(inFlight)).toBe('gone, maybe acted');
    for (const end of world.running) end();
    expect([activation.stage, ended, world.seen]).toEqual(['gone', ['a higher epoch exists'], ['toy: a']]);
  });

  test('it is idle only when nobody waits and nothing is in flight', async () => {
    const { world, activation } = anActivation();
    expect(activation.isIdle).toBe(false);
    await activation.load();
    expect(activation.isIdle).toBe(true);
    const asked = activation.ask(slow('a'));
    await promisesSettled();
    expect(activation.isIdle).toBe(false);
    for (const end of world.running) end();
    await asked;
    await promisesSettled();
    expect(activation.isIdle).toBe(true);
  });
});

describe('draining', () => {
  test('what is in flight is answered, outsiders are turned away untouched, then it is gone', async () => {
    const { world, activation, ended } = anActivation();
    await activation.load();
    const inFlight = activation.ask(slow('a'));
    const drained = activation.drain();
    expect(await refusal(activation.ask(note('b')))).toBe('gone, untouched');
    expect([activation.stage, ended]).toEqual(['draining', []]);
    for (const end of world.running) end();
    await drained;
    expect([await refusal(inFlight), activation.stage, ended]).toEqual(['answered a', 'gone', [null]]);
    expect(world.seen).toEqual(['toy: a', 'toy: drain', 'toy: a done']);
  });

  test('with nothing in flight it ends at once, and again asked to drain it is done', async () => {
    const { activation } = anActivation();
    await activation.load();
    await activation.drain();
    await activation.drain();
    expect(activation.stage).toBe('gone');
    expect(await refusal(activation.ask(note('a')))).toBe('gone, untouched');
  });
});
