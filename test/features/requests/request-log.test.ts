/** The request log while it is collected: what is stored, what is only counted, and the effect of a store that is down. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { minuteMs } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { RequestLog } from '../../../src/features/requests/request-log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import type { LoggedRequest } from '../../../src/features/requests/entity.ts';
import type { RequestLogStore } from '../../../src/features/requests/store.ts';

const request = {
  apiKeyId: 'key',
  method: 'GET',
  route: '/api/v1/channels',
  code: null,
  requestId: 'r',
  durationMs: 1,
};

let clock: FakeClock;
let written: LoggedRequest[];
let adds: number;
let isAway: boolean;
/** The arguments of a trim: how many entries of an account, and since when. */
let kept: [most: number, since: number][];
let log: RequestLog;
beforeEach(() => {
  clock = new FakeClock();
  [written, adds] = [[], 0];
  isAway = false;
  kept = [];
  const store: Pick<RequestLogStore, 'add' | 'trim'> = {
    async add(requests) {
      if (isAway) throw new StoreUnavailable('away', 'no');
      adds += 1;
      written.push(...requests);
    },
    async trim(most, since) {
      kept.push([most, since]);
      return 3;
    },
  };
  log = new RequestLog({ ...store, list: never }, clock);
});
const never = () => Promise.reject(new Error('was not expected'));

const ended = (accountId: string, status: number, times: number): void => {
  for (let i = 0; i < times; i += 1) log.ended({ ...request, accountId, status });
};
const statuses = () => written.map(({ status }) => status);

describe('the log of requests', () => {
  test('has each call with its time; nothing is written if there was none', async () => {
    await log.flush();
    ended('one', 200, 1);
    const at = clock.now();
    clock.advance(10);
    await log.flush();
    expect(written).toMatchObject([{ accountId: 'one', status: 200, isFailed: false, createdAt: at }]);
    await log.flush();
    expect(adds).toBe(1);
  });

  test.each([
    [399, false],
    [400, true],
  ])('a call that is answered %d counts as failed: %s', async (status, isFailed) => {
    ended('one', status, 1);
    await log.flush();
    expect(written.map((each) => each.isFailed)).toEqual([isFailed]);
  });

  test('above a rate calls are only counted; successes never displace failures, nor one account another', async () => {
    ended('busy', 200, 1_000);
    ended('busy', 422, 200);
    ended('calm', 200, 2);
    await log.flush();
    const of = (accountId: string) => written.filter((each) => each.accountId === accountId);
    expect(of('busy').filter(({ isFailed }) => isFailed)).toHaveLength(120);
    expect(of('busy').filter(({ isFailed }) => !isFailed)).toHaveLength(60);
    expect(of('calm')).toHaveLength(2);
    written.length = 0;
    clock.advance(minuteMs);
    await log.flush();
    expect(written).toMatchObject([{ accountId: 'busy', leftOut: { succeeded: 940, failed: 80 } }]);
  });

  test('calls that were left out are one entry at the end of their minute', async () => {
    ended('busy', 200, 62);
    ended('busy', 500, 122);
    clock.advance(minuteMs);
    await log.flush();
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

  test('a new minute starts at zero, and first reports what the last one left out', async () => {
    ended('busy', 200, 61);
    clock.advance(minuteMs);
    ended('busy', 201, 1);
    await log.flush();
    expect(statuses().filter((status) => status === 200)).toHaveLength(60);
    expect(written.slice(-2)).toMatchObject([{ leftOut: { succeeded: 1, failed: 0 } }, { status: 201 }]);
    const [leftOut, next] = written.slice(-2);
    expect(leftOut?.createdAt).toBeLessThan(next?.createdAt ?? 0);
  });

  test('a store that is down loses nothing, and the memory is bounded with room for failures', async () => {
    isAway = true;
    for (let i = 0; i < 60; i += 1) ended(`account ${i}`, 200, 60);
    await expect(log.flush()).rejects.toThrow('away');
    ended('late', 200, 1);
    ended('late', 500, 1);
    isAway = false;
    await log.flush();
    expect(statuses().filter((status) => status === 200)).toHaveLength(2_000);
    expect(statuses().filter((status) => status === 500)).toHaveLength(1);
  });

  test('during a long outage of the store the counts of left-out calls are bounded too', async () => {
    isAway = true;
    for (let i = 0; i < 34; i += 1) ended(`account ${i}`, 500, 120);
    for (let i = 0; i < 4_100; i += 1) ended(`late ${i}`, 500, 1);
    clock.advance(minuteMs);
    await expect(log.flush()).rejects.toThrow('away');
    isAway = false;
    await log.flush();
    expect([statuses().filter((status) => status === 500).length, written.length]).toEqual([4_000, 8_000]);
  });

  test("a trim keeps an account's last seven days, and at most ten thousand calls", async () => {
    expect(await log.trim()).toBe(3);
    expect(kept).toEqual([[10_000, clock.now() - 7 * 86_400_000]]);
  });
});
