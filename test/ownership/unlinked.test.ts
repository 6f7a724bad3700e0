/** [operator-interface §5; faults: 300] Peers that announce themselves in Redis and can't be reached. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { unreachableBeside } from '../../src/ownership/reach.ts';
import { UnlinkedPeers } from '../../src/ownership/unlinked.ts';
import type { Member } from '../../src/ownership/member.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aMember } from './support/members-on-clock.ts';

const [self, one, two] = [aMember('self'), aMember('one'), aMember('two')];

let clock: FakeClock;
let live: Member[];
/** Since when there is no link to the peer; without an entry there is one. */
let missedSince: Map<string, number>;
let told: Record<string, unknown>[];
let unlinked: UnlinkedPeers;

beforeEach(() => {
  clock = new FakeClock();
  [live, missedSince, told] = [[self, one, two], new Map(), []];
  unlinked = new UnlinkedPeers({
    self,
    membership: { live: () => live },
    links: {
      missedMs(incarnation) {
        const since = missedSince.get(incarnation);
        return since === undefined ? 0 : clock.monotonic() - since;
      },
    },
    clock,
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
  });
  unlinked.start();
});

const misses = (...members: Member[]): void => {
  for (const { incarnation } of members) missedSince.set(incarnation, clock.monotonic());
};

describe('a live peer without a link', () => {
  test('counts once its lease would have ended', async () => {
    misses(one);
    await clock.pass(one.leaseTtlMs - 1);
    expect([unlinked.count(), told]).toEqual([0, []]);
    await clock.pass(1);
    expect(unlinked.count()).toBe(1);
  });

  test('is a line of the log at once, and then one a minute, with its address', async () => {
    misses(one, two);
    await clock.pass(60_000);
    expect(told.map(({ msg, level, node, url }) => [msg, level, node, url])).toEqual([
      ['peer.unlinked', 'warn', 'one', 'wss://one:1'],
      ['peer.unlinked', 'warn', 'two', 'wss://two:1'],
    ]);
    await clock.pass(60_000);
    expect(told.map(({ node }) => node)).toEqual(['one', 'two', 'one', 'two']);
  });

  test('that is linked again, or gone, counts no longer and is not told of', async () => {
    misses(one, two);
    await clock.pass(20_000);
    expect(unlinked.count()).toBe(2);
    missedSince.delete(one.incarnation);
    live = [self, one];
    await clock.pass(120_000);
    expect([unlinked.count(), told.length]).toEqual([0, 2]);
  });
});

test('linked peers are not told of, and after the stop nothing is', async () => {
  await clock.pass(120_000);
  unlinked.stop();
  misses(one);
  await clock.pass(120_000);
  expect(told).toEqual([]);
});

describe('an address that peers elsewhere can not reach', () => {
  const at = (url: string): Member => ({ ...one, url });
  const away = at('wss://10.0.0.2:3100');

  test.each([
    ['INTERNAL_HOST', '127.0.0.1', 'wss://10.0.0.1:3100', [away]],
    ['INTERNAL_HOST', '::1', 'wss://[fd00::1]:3100', [away]],
    ['INTERNAL_HOST', 'localhost', 'wss://localhost:3100', [away]],
    ['INTERNAL_URL', '0.0.0.0', 'wss://127.0.0.1:3100', [away]],
    ['INTERNAL_URL', '10.0.0.1', 'wss://localhost:3100', [at('wss://127.0.0.1:3101'), away]],
  ])('%s: listening on %s, announced as %s', (setting, internalHost, url, peers) => {
    expect(unreachableBeside({ internalHost, url }, peers)).toEqual({ setting, peer: away });
  });

  test.each<[string, string, Member[]]>([
    ['127.0.0.1', 'wss://127.0.0.1:3100', []],
    ['127.0.0.1', 'wss://127.0.0.1:3100', [at('wss://localhost:3101')]],
    ['0.0.0.0', 'wss://10.0.0.1:3100', [away]],
    ['10.0.0.1', 'wss://10.0.0.1:3100', [at('wss://127.0.0.1:3100')]],
  ])('is none: listening on %s, announced as %s', (internalHost, url, peers) => {
    expect(unreachableBeside({ internalHost, url }, peers)).toBeNull();
  });
});
