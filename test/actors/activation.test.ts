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

/** The text of a refusal, for comparison. */
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

  test('the number of waiting asks is bounded: the next one is answered overloaded', async () => {
    const { activation } = anActivation(2);
    const waiting = [activation.ask(note('a')), activation.ask(note('b'))];
    expect(await refusal(activation.ask(note('c')))).toBe(
      'Fault: Temporarily overloaded; nothing was sent. Retry after the time in Retry-After',
    );
    await activation.load();
    expect(await Promise.all(waiting)).toEqual(['a', 'a b']);
  });

  test('a state that arrives after the end is reported as ended, like any other', async () => {
    const { world, activation } = anActivation();
    const loading = activation.load();
    activation.close(null);
    await loading;
    expect(world.ended).toEqual(['toy']);
  });

  test('a failed load rejects the waiting asks with its error', async () => {
    const { world, activation, ended } = anActivation();
    world.load = () => Promise.reject(new StoreUnavailable('no primary'));
    const asked = activation.ask(note('a'));
    await activation.load();
    expect(await refusal(asked)).toBe('StoreUnavailable: no primary');
    expect([activation.stage, ended]).toEqual(['gone', ['no primary']]);
  });

  test('a load that finds a higher epoch redirects the waiting asks to the next owner', async () => {
    const { world, activation, ended } = anActivation();
    world.load = () => Promise.reject(new FencedError('epoch 2 exists'));
    const asked = activation.ask(note('a'));
    await activation.load();
    expect(await refusal(asked)).toBe('gone, untouched');
    expect(ended).toEqual(['epoch 2 exists']);
  });

  test('an activation that is closed while it loads stays gone when the state arrives', async () => {
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

describe('a live activation', () => {
  test("the alarm is set to the state's wakeAt after every turn", async () => {
    const { activation, wakeAt } = anActivation();
    await activation.load();
    activation.tell({ type: 'wake-at', at: 500 });
    expect(wakeAt.at(-1)).toBe(500);
    activation.ring();
    expect(wakeAt.at(-1)).toBe(null);
  });

  test('a turn that throws ends the activation: pending asks learn that the actor may have acted', async () => {
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

  test('a fenced effect ends the activation, and later reports of its calls change nothing', async () => {
    const { world, activation, ended } = anActivation();
    await activation.load();
    const inFlight = activation.ask(slow('a'));
    activation.tell({ type: 'be-fenced' });
    expect(await refusal(inFlight)).toBe('gone, maybe acted');
    for (const end of world.running) end();
    expect([activation.stage, ended, world.seen]).toEqual(['gone', ['a higher epoch exists'], ['toy: a']]);
  });

  test('it is idle only if no ask waits and nothing is in flight', async () => {
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
  test('what is in flight is answered, new asks are rejected as untouched, then the activation is gone', async () => {
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

  test('with nothing in flight the drain ends at once, and a second drain resolves too', async () => {
    const { activation } = anActivation();
    await activation.load();
    await activation.drain();
    await activation.drain();
    expect(activation.stage).toBe('gone');
    expect(await refusal(activation.ask(note('a')))).toBe('gone, untouched');
  });
});
