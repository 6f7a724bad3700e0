/** [faults: I11, §6.6] The times of a channel's events and deliveries, as a node collects them, and endpoints that recover. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { unknownHealth } from '../../../src/rules/channels/health.ts';
import type { ChannelHealth } from '../../../src/rules/channels/health.ts';
import type { ChannelFact } from '../../../src/rules/messages/facts.ts';
import { ChannelActivity } from '../../../src/features/channels/activity.ts';
import { echoOf, inboundOf } from '../../rules/samples.ts';
import type { Activity } from '../../../src/features/channels/health-store.ts';

let activity: ChannelActivity;
/** The failing channels in the store, the ids it was asked for, and what was written. */
let failing: ChannelHealth[];
let askedAbout: (readonly string[])[];
let noted: Activity[];
let failure: Error | null;
/** Channels whose endpoints have recovered, with the start of their failure. */
let recovered: [string, number][];
beforeEach(() => {
  [failing, askedAbout, noted, failure, recovered] = [[], [], [], null, []];
  activity = new ChannelActivity({
    async failingAmong(channelIds) {
      askedAbout.push(channelIds);
      return failing;
    },
    async noteActivity(seen) {
      if (failure !== null) throw failure;
      noted.push(...seen);
    },
  });
});

const failed = (attempt: number, now: number) =>
  activity.delivered('c', { isTaken: false, attempt, result: '500' }, now);
const taken = (now: number) => activity.delivered('c', { isTaken: true, attempt: 1, result: '200' }, now);
const receipt: ChannelFact = {
  kind: 'conversation-receipt',
  channelType: 'pagechat',
  identity: '1',
  status: 'read',
  recipient: '2',
  upTo: 0,
  upToUpstreamId: null,
  at: 0,
};
const flush = () => activity.flush(async (...of) => void recovered.push(of));
const failingSince = (since: number, over: Partial<ChannelHealth> = {}) =>
  failing.push({ ...unknownHealth('c'), failingSince: since, warnedAt: since, ...over });

describe('the activity of a channel', () => {
  test('has the times of messages and statuses; an echo counts as neither', async () => {
    activity.heard('c', [inboundOf()], 1);
    activity.heard('c', [receipt], 2);
    activity.heard('c', [echoOf()], 3);
    await flush();
    expect(noted).toStrictEqual([{ channelId: 'c', inboundAt: 1, statusAt: 2 }]);
    expect([askedAbout, recovered]).toEqual([[], []]);
  });

  test('has the start of failing deliveries, the last answer, and the warning', async () => {
    failed(1, 1);
    failed(2, 2);
    await flush();
    failed(3, 3);
    await flush();
    const last = { channelId: 'c', lastFailure: '500' };
    expect(noted).toStrictEqual([
      { ...last, deliveryFailedAt: 2, failingSince: 1 },
      { ...last, deliveryFailedAt: 3, failingSince: 3, warnedAt: 3 },
    ]);
  });

  test('is collected for at most twenty thousand channels between two writes', async () => {
    for (let n = 0; n < 20_000; n += 1) activity.heard(`c-${n}`, [inboundOf()], 1);
    activity.heard('c', [inboundOf()], 1);
    taken(1);
    await flush();
    expect(noted).toHaveLength(20_000);
    expect(noted.at(-1)).toStrictEqual({ channelId: 'c-19999', inboundAt: 1 });
  });
});

describe('an endpoint has recovered', () => {
  test('that failed and was warned of between two writes', async () => {
    failed(3, 5);
    taken(9);
    await flush();
    expect(recovered).toEqual([['c', 5]]);
  });

  test('that the store has as failing and warned of', async () => {
    failingSince(5);
    taken(5);
    await flush();
    expect([askedAbout, recovered]).toEqual([[['c']], [['c', 5]]]);
  });

  test.each([
    ['that fails since it was taken', { failingSince: 6, warnedAt: 6 }],
    ['whose owner was warned of an earlier failure', { failingSince: 3, warnedAt: 2 }],
    ['whose owner was never warned', { failingSince: 3, warnedAt: null }],
    ['that does not fail', { failingSince: null, warnedAt: 4 }],
  ])('but not one %s', async (_, known) => {
    failingSince(0, known);
    taken(5);
    await flush();
    expect(recovered).toEqual([]);
  });

  test('and is reported again if the write failed', async () => {
    failed(3, 5);
    taken(9);
    failure = new Error('away');
    await expect(flush()).rejects.toBe(failure);
    failure = null;
    await flush();
    await flush();
    expect(recovered).toEqual([
      ['c', 5],
      ['c', 5],
    ]);
  });
});
