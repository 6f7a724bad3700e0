/** [faults: 320] Places in a line that strangers fill. */
import { expect, test } from '@jest/globals';
import { SharedLine } from '../../src/kernel/shared-line.ts';
import type { LineName } from '../../src/kernel/shared-line.ts';

/** A line whose only slot is taken, and what became of each caller, in order. */
function crowded(places: number) {
  const line = new SharedLine(1, places);
  void line.take('strangers', 'first');
  const told: string[] = [];
  const come = (of: string, name: LineName = 'strangers'): void =>
    void Promise.resolve(line.take(name, of)).then((granted) =>
      told.push(`${of} ${granted ? 'in' : 'refused'}`),
    );
  const serve = async (times: number): Promise<string[]> => {
    for (let n = 0; n < times; n += 1) {
      await new Promise(setImmediate);
      line.free();
    }
    await new Promise(setImmediate);
    return told;
  };
  return { come, serve };
}

test('first come, first served, known ones before strangers', async () => {
  const { come, serve } = crowded(10);
  for (const who of ['a', 'b']) come(who);
  come('k', 'known');
  expect(await serve(3)).toEqual(['k in', 'a in', 'b in']);
});

test('in a full line a newcomer takes the last place of whoever holds most', async () => {
  const { come, serve } = crowded(4);
  for (const who of ['flood', 'flood', 'flood', 'a', 'b', 'c']) come(who);
  expect(await serve(4)).toEqual(['flood refused', 'flood refused', 'flood in', 'a in', 'b in', 'c in']);
});

test('whoever holds most is refused himself, and a newcomer too if each has one place', async () => {
  const { come, serve } = crowded(2);
  for (const who of ['a', 'a', 'a']) come(who);
  expect(await serve(2)).toEqual(['a refused', 'a in', 'a in']);
  const even = crowded(2);
  for (const who of ['a', 'b', 'c']) even.come(who);
  expect(await even.serve(2)).toEqual(['c refused', 'a in', 'b in']);
});

test('strangers take no place of the known', async () => {
  const { come, serve } = crowded(1);
  for (const who of ['a', 'b']) come(who);
  come('k', 'known');
  expect(await serve(2)).toEqual(['b refused', 'k in', 'a in']);
});

test('slots that nobody waits for are free again', async () => {
  const line = new SharedLine(2, 1);
  expect([line.take('strangers', 'a'), line.take('known', 'b')]).toEqual([true, true]);
  line.free();
  expect(line.take('strangers', 'a')).toBe(true);
});
