import { expect, test } from '@jest/globals';
import { onceFor } from '../../src/kernel/once-for.ts';

test('each object is read once; an equal one is another', () => {
  const asked: object[] = [];
  const read = onceFor((key: { id: number }) => {
    asked.push(key);
    return { id: key.id };
  });
  const [one, same] = [{ id: 1 }, { id: 1 }];
  expect(read(one)).toBe(read(one));
  expect(read(same)).not.toBe(read(one));
  expect(asked).toEqual([one, same]);
});

test('what throws is read again', () => {
  let calls = 0;
  const read = onceFor(() => {
    calls += 1;
    if (calls === 1) throw new Error('not now');
    return { calls };
  });
  const key = {};
  expect(() => read(key)).toThrow('not now');
  expect(read(key)).toEqual({ calls: 2 });
});
