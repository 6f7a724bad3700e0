/** What the log says while MongoDB does not answer. [faults: 583] */
import { expect, test } from '@jest/globals';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { minuteMs } from '../../src/kernel/clock.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { FakeClock } from '../support/fake-clock.ts';

function watched() {
  const clock = new FakeClock();
  const said: Record<string, unknown>[] = [];
  const log = makeLog('info', {
    write(line) {
      const { level: _level, time: _time, ...rest } = JSON.parse(line);
      said.push(rest);
    },
  });
  const policy = new RetryPolicy({ clock, log, budgetMs: 0 });
  const fails = (what: string, error: Error) =>
    expect(policy.run(what, () => Promise.reject(error))).rejects.toThrow(what);
  const works = () => policy.run('read', async () => 'read');
  return { clock, said, fails, works };
}

const away = new MongoNetworkError('connection closed');

test('an outage is one line a minute, however many calls it fails, and one when it is over', async () => {
  const { clock, said, fails, works } = watched();
  const line = { why: 'MongoNetworkError', applied: 'unknown', msg: 'store.unavailable' };
  await works();
  for (let n = 0; n < 100; n += 1) await fails('list mails', away);
  expect(said).toEqual([{ ...line, what: 'list mails', times: 1 }]);
  await clock.pass(minuteMs);
  await fails('commit', away);
  expect(said.slice(1)).toEqual([{ ...line, what: 'commit', times: 100 }]);
  await clock.pass(1_000);
  await works();
  await works();
  expect(said.slice(2)).toEqual([{ ms: minuteMs + 1_000, msg: 'store.back' }]);
});

test('what MongoDB refuses is said for each operation, once a minute, and is no outage', async () => {
  const { said, fails, works } = watched();
  const refused = new MongoServerError({ message: 'not authorized', code: 13 });
  for (const what of ['list mails', 'list mails', 'commit']) await fails(what, refused);
  await works();
  expect(said.map(({ what, times, msg }) => ({ what, times, msg }))).toEqual([
    { what: 'list mails', times: 1, msg: 'store.refused' },
    { what: 'commit', times: 1, msg: 'store.refused' },
  ]);
});
