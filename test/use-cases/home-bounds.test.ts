/** What Home asks the store for, however much there is. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { withAttempt } from '../../src/domain/webhooks/attempt-log.ts';
import type { Delivery } from '../../src/domain/webhooks/delivery.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Caller } from '../../src/use-cases/index.ts';
import { channelOf } from '../domain/samples.ts';
import { aDelivery, aPerson } from '../stores/conformance/samples.ts';
import { until } from '../support/until.ts';
import { connectedChannel, newLicence, newTenant, openService } from './support/service.ts';
import { signedUp } from './support/people.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  service = await openService();
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});
afterEach(() => service.close());

const hour = 3_600_000;
const home = (caller: Caller = tenant) => service.useCases.homeOverview(caller);

async function failed(of: Channel, over: Partial<Delivery> = {}): Promise<void> {
  const at = service.clock.now() - 5;
  const attemptLog = withAttempt(null, { at, durationMs: 5, status: 500, failure: 'status' });
  const { accountId } = tenant;
  const all = { accountId, state: 'failed', payload: null, attemptLog, createdAt: at } as const;
  const delivery = aDelivery(of.id, { ...all, ...over });
  await service.channelState.commit(of.id, 1, [{ write: 'insertDelivery', delivery }]);
  service.useCases.noteDelivery(of.id, { isTaken: false, attempt: 8, result: '500' });
}

/** Somebody of the account, who has looked at this moment; null: not yet. */
async function viewer(homeSeenAt: number | null): Promise<Caller> {
  const person = aPerson({ accountId: tenant.accountId, homeSeenAt, homeSince: homeSeenAt });
  await service.stores.people.insert(person);
  return { ...tenant, person: { id: person.id, email: person.email } };
}

/** What the log of deliveries is asked for. */
function watched(): unknown[] {
  const { deliveryLog } = service.stores;
  const asked: unknown[] = [];
  service.stores.deliveryLog = {
    ...deliveryLog,
    list(of) {
      asked.push(of);
      return deliveryLog.list(of);
    },
  };
  return asked;
}

describe('what was given up', () => {
  test('is looked for in twenty channels, those that failed last, the newest first', async () => {
    const all = [channel];
    while (all.length < 21) {
      await newLicence(service, tenant);
      all.push(await connectedChannel(service, tenant, 'pagechat'));
    }
    for (const each of all.slice(0, 20).toReversed()) {
      service.clock.pass(1_000);
      await failed(each);
    }
    const twenty = await home();
    const ids = all.map(({ id }) => id);
    expect(twenty.givenUp.channels.map(({ channel: { id } }) => id)).toEqual(ids.slice(0, 20));
    expect(twenty.givenUp.isMore).toBe(false);

    service.clock.pass(1_000);
    const last = all[20];
    if (last !== undefined) await failed(last);
    const { channels, isMore } = (await home()).givenUp;
    expect(channels.map(({ channel: { id } }) => id)).toEqual([ids[20], ...ids.slice(0, 19)]);
    expect(isMore).toBe(true);
  });

  test('is asked for since two hours before the last look, and of a channel that has failed since then', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    service.clock.pass(hour);
    const asked = watched();
    await home(caller);
    expect(asked).toEqual([]);
    await failed(channel);
    await home(caller);
    expect(asked).toEqual([
      {
        accountId: tenant.accountId,
        channelId: channel.id,
        since: seenAt - 2 * hour,
        event: null,
        state: 'failed',
        page: { limit: 101, cursor: null },
      },
    ]);
  });

  test('is asked for as far back as the log goes, of who has not looked or looked before that', async () => {
    const looks = [await viewer(null), await viewer(service.clock.now()), tenant];
    service.clock.pass(90 * 24 * hour);
    const asked = watched();
    await failed(channel);
    const logged = service.clock.now() - 7 * 24 * hour;
    for (const caller of looks) await home(caller);
    expect(asked).toEqual(looks.map(() => expect.objectContaining({ since: logged })));
  });

  test('without an attempt is news by when it was made', async () => {
    const caller = await viewer(service.clock.now());
    await failed(channel, { attemptLog: null, createdAt: service.clock.now() });
    service.clock.pass(hour);
    await failed(channel, { attemptLog: null, createdAt: service.clock.now() });
    expect((await home(caller)).givenUp.channels).toMatchObject([{ count: 1, isMore: false }]);
  });

  test('is news by when its last attempt ended, also where that began before the look', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    service.clock.pass(hour);
    const attempt = { at: seenAt - 5, durationMs: 10, status: 500, failure: 'status' } as const;
    await failed(channel, { attemptLog: withAttempt(null, attempt) });
    expect((await home(caller)).givenUp.channels).toMatchObject([{ count: 1 }]);
  });

  test('just at the last look is asked for, and is no news', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    const asked = watched();
    const attempt = { at: seenAt - 10, durationMs: 10, status: 500, failure: 'status' } as const;
    await failed(channel, { attemptLog: withAttempt(null, attempt) });
    const { channels } = (await home(caller)).givenUp;
    expect([asked.length, channels]).toEqual([1, []]);
  });

  test('is told to a person who is gone as to who has not looked', async () => {
    await failed(channel);
    const caller = { ...tenant, person: { id: newId(), email: 'gone@example.com' } };
    expect((await home(caller)).givenUp).toMatchObject({ since: null, channels: [{ count: 1 }] });
  });

  test('is said to be more beyond a hundred of a channel, and not at a hundred', async () => {
    for (let n = 0; n < 100; n += 1) await failed(channel);
    expect((await home()).givenUp.channels).toMatchObject([{ count: 100, isMore: false }]);
    await failed(channel);
    expect((await home()).givenUp.channels).toMatchObject([{ count: 100, isMore: true }]);
  });
});

describe('a look', () => {
  test('that goes on is noted once in five minutes', async () => {
    const caller = await viewer(null);
    const { people } = service.stores;
    const noted: unknown[] = [];
    service.stores.people = {
      ...people,
      noteLook(...look) {
        noted.push(look);
        return people.noteLook(...look);
      },
    };
    await home(caller);
    const id = caller.person?.id ?? '';
    await until('the note', async () => (await people.byId(id))?.homeSeenAt !== null);
    await home(caller);
    expect(noted).toEqual([[id, { homeSeenAt: service.clock.now(), homeSince: null }]]);
  });

  test('that could not be noted is told to operators, and the page is there', async () => {
    const caller = await viewer(null);
    const noteLook = () => Promise.reject(new StoreUnavailable('away'));
    service.stores.people = { ...service.stores.people, noteLook };
    expect((await home(caller)).hasKey).toBe(true);
    const lines = await until('the line', () => {
      const found = service.told.filter(({ msg }) => msg === 'portal.not-noted-seen');
      return found.length > 0 && found;
    });
    expect(lines).toMatchObject([{ person: caller.person?.id, error: { message: 'away' } }]);
  });
});

test.each([
  [100, false],
  [101, true],
])('what waits is counted in the first hundred channels: of %i', async (count, isMore) => {
  const all = Array.from({ length: count }, () =>
    channelOf('pagechat', { id: newId(), accountId: tenant.accountId }),
  );
  const listed = async () => ({ items: all, nextCursor: null });
  const asked: unknown[] = [];
  const countPending = async (of: { channelIds: readonly string[] }) => {
    asked.push(of.channelIds);
    return 7;
  };
  service.stores.channels = { ...service.stores.channels, list: listed };
  service.stores.deliveryLog = { ...service.stores.deliveryLog, countPending };
  expect((await home()).waiting).toEqual({ count: 7, isMore });
  expect(asked).toEqual([all.slice(0, 100).map(({ id }) => id)]);
});

test.each([
  [10_000, { count: 10_000, isMore: false }],
  [10_001, { count: 10_000, isMore: true }],
])('of %i that wait so many are counted', async (found, waiting) => {
  const asked: unknown[] = [];
  const countPending = async (of: unknown) => {
    asked.push(of);
    return found;
  };
  service.stores.deliveryLog = { ...service.stores.deliveryLog, countPending };
  expect((await home()).waiting).toEqual(waiting);
  expect(asked).toEqual([{ channelIds: [channel.id], limit: 10_001 }]);
});

test('an account without a key has none to begin with', async () => {
  const { caller } = await signedUp(service, 'begins@example.com');
  expect((await home(caller)).hasKey).toBe(false);
});
