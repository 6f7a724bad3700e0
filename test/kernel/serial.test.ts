import { expect, test } from '@jest/globals';
import { SerialQueues } from '../../src/kernel/serial.ts';
import { promisesSettled } from '../support/fake-clock.ts';

test('works of one key run one by one, also after a failure, and those of another key meanwhile', async () => {
  const queues = new SerialQueues();
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const run = (key: string, name: string): Promise<string> =>
    queues.run(key, () => {
      begun.push(name);
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    });
  const failed = run('a', 'a1').catch((error: unknown) => error);
  const done = [run('a', 'a2'), run('b', 'b1')];
  await promisesSettled();
  expect(begun).toEqual(['a1', 'b1']);
  ends.get('a1')?.(new Error('broken'));
  expect(await failed).toEqual(new Error('broken'));
  await promisesSettled();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  for (const name of ['a2', 'b1']) ends.get(name)?.();
  expect(await Promise.all(done)).toEqual(['a2', 'b1']);
  const later = run('a', 'a3');
  await promisesSettled();
  ends.get('a3')?.();
  expect(await later).toBe('a3');
});
