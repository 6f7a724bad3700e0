/** [faults: 559] What the log says of a service that is away, and of one that is away and back by turns. */
import { beforeEach, expect, test } from '@jest/globals';
import { Outage } from '../../src/kernel/outage.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';

let clock: FakeClock;
let lines: string[];
let outage: Outage;
beforeEach(() => {
  clock = new FakeClock();
  lines = [];
  outage = new Outage(
    'redis',
    'a:1',
    makeLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) }),
    clock,
  );
});

/** It takes a connection twice a second and refuses what it is asked for. */
async function byTurns(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn += 1) {
    outage.away('jobs', new Error('NOPERM'));
    await clock.pass(250);
    outage.back('jobs');
    await clock.pass(250);
  }
}

test('an outage of several connections is two lines', () => {
  outage.away('main');
  outage.away('lease');
  outage.back('main');
  expect(lines).toEqual(['redis.away']);
  outage.back('lease');
  expect(lines).toEqual(['redis.away', 'redis.back']);
});

test('by turns, for an hour: a few of them are told, and then that it is away, until a minute has passed without one', async () => {
  await byTurns(7_200);
  const turns = Array.from({ length: 4 }, () => ['redis.away', 'redis.back']).flat();
  expect(lines).toEqual([...turns, 'redis.away']);
  await clock.pass(59_000);
  expect(lines).toHaveLength(turns.length + 1);
  await clock.pass(1_000);
  expect(lines.slice(turns.length)).toEqual(['redis.away', 'redis.back']);
});

test('after turns that have ended, the next outage is told at once, and its end', async () => {
  await byTurns(10);
  await clock.pass(60_000);
  lines = [];
  outage.away('main');
  outage.back('main');
  expect(lines).toEqual(['redis.away', 'redis.back']);
});
