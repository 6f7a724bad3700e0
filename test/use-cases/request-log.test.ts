/** The log of requests while it is gathered: what is kept, what is only counted, and what a store that is away does to it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import type { LoggedRequest, RequestLogStore } from '../../src/use-cases/ports/request-log.ts';
import { RequestLog } from '../../src/use-cases/requests/request-log.ts';
import { FakeClock } from '../support/fake-clock.ts';

const request = {
  apiKeyId: 'key',
  method: 'GET',
  route: '/api/v1/channels',
  code: null,
  requestId: 'r',
  durationMs: 1,
};
const minuteMs = 60_000;

let clock: FakeClock;
let written: LoggedRequest[];
let adds: number;
let isAway: boolean;
let log: RequestLog;
beforeEach(() => {
  clock = new FakeClock();
  [written, adds] = [[], 0];
  isAway = false;
  const store: Pick<RequestLogStore, 'add'> = {
    async add(requests) {
      if (isAway) throw new StoreUnavailable('away', 'no');
      adds += 1;
      written.push(...requests);
    },
  };
  log = new RequestLog({ ...store, list: never, trim: never }, clock);
});
const never = () => Promise.reject(new Error('was not expected'));

const ended = (accountId: string, status: number, times: number): void => {
  for (let i = 0; i < times; i += 1) log.ended({ ...request, accountId, status });
};
const statuses = () => written.map(({ status }) => status);

describe('the log of requests', () => {
  test('keeps each call with its time; nothing is written when nothing was asked', async () => {
    await log.keep();
    ended('one', 200, 1);
    const at = clock.now();
    clock.advance(10);
    await log.keep();
    expect(written).toMatchObject([{ accountId: 'one', status: 200, isFailed: false, createdAt: at }]);
    await log.keep();
    expect(adds).toBe(1);
  });

  test('above a rate calls are counted; successes never displace failures, nor one account another', async () => {
    ended('busy', 200, 1_000);
    ended('busy', 422, 200);
    ended('calm', 200, 2);
    await log.keep();
    const of = (accountId: string) => written.filter((each) => each.accountId === accountId);
    expect(of('busy').filter(({ isFailed }) => isFailed)).toHaveLength(120);
    expect(of('busy').filter(({ isFailed }) => !isFailed)).toHaveLength(60);
    expect(of('calm')).toHaveLength(2);
    written.length = 0;
    clock.advance(minuteMs);
    await log.keep();
    expect(written).toMatchObject([{ accountId: 'busy', leftOut: { succeeded: 940, failed: 80 } }]);
  });

  test('what was left out stands as an entry of no call at the end of its minute', async () => {
    ended('busy', 200, 62);
    ended('busy', 500, 122);
    clock.advance(minuteMs);
    await log.keep();
    expect(written.at(-1)).toStrictEqual({
      id: expect.any(String),
      accountId: 'busy',
      apiKeyId: '',
      method: '',
      route: '',
      status: 0,
      code: null,
      requestId: '',
      durationMs: 0,
      isFailed: false,
      leftOut: { succeeded: 2, failed: 2 },
      createdAt: Math.floor(clock.now() / minuteMs) * minuteMs - 1,
    });
  });

  test('a new minute begins anew, and says first what the last one left out', async () => {
    ended('busy', 200, 61);
    clock.advance(minuteMs);
    ended('busy', 201, 1);
    await log.keep();
    expect(statuses().filter((status) => status === 200)).toHaveLength(60);
    expect(written.slice(-2)).toMatchObject([{ leftOut: { succeeded: 1, failed: 0 } }, { status: 201 }]);
    const [leftOut, next] = written.slice(-2);
    expect(leftOut?.createdAt).toBeLessThan(next?.createdAt ?? 0);
  });

  test('a store that is away loses nothing, and memory has a bound that keeps room for failures', async () => {
    isAway = true;
    for (let i = 0; i < 60; i += 1) ended(`account ${i}`, 200, 60);
    await expect(log.keep()).rejects.toThrow('away');
    ended('late', 200, 1);
    ended('late', 500, 1);
    isAway = false;
    await log.keep();
    expect(statuses().filter((status) => status === 200)).toHaveLength(2_000);
    expect(statuses().filter((status) => status === 500)).toHaveLength(1);
  });
});
