/** The queries of Home, bounded however large the account is. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { hourMs } from '../../../src/kernel/clock.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { canceledResult, withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { Caller } from '../../../src/rules/caller.ts';
import { aDelivery, aPerson } from '../../stores/conformance/samples.ts';
import { until } from '../../support/until.ts';
import { homeOf } from '../support/home.ts';
import { connectedChannel, newLicence, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { signedUp } from '../support/people.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

const home = (caller: Caller = tenant) => homeOf(service, caller);

async function failed(of: Channel, over: Partial<Delivery> = {}): Promise<void> {
  const at = service.clock.now() - 5;
  const attemptLog = withAttempt(null, { at, durationMs: 5, status: 500, failure: 'status' });
  const { accountId } = tenant;
  const all = { accountId, state: 'failed', payload: null, attemptLog, createdAt: at } as const;
  const delivery = aDelivery(of.id, { ...all, ...over });
  await service.channelState.commit(of.id, 1, [{ write: 'insertDelivery', delivery }]);
  service.features.noteDelivery(of.id, { isTaken: false, attempt: 8, result: '500' });
}

/** A person of the account whose last visit was at this time; null: none yet. */
async function viewer(homeSeenAt: number | null): Promise<Caller> {
  const person = aPerson({ accountId: tenant.accountId, homeSeenAt, homeSince: homeSeenAt });
  await service.stores.people.insert(person);
  return { ...tenant, person: { id: person.id, email: person.email } };
}

/** The queries to the delivery log. */
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

describe('failed deliveries', () => {
  test('are searched for in the twenty channels that failed last, the newest first', async () => {
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

  test('are read since two hours before the last visit, and of channels that have failed since', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    service.clock.pass(hourMs);
    const asked = watched();
    await home(caller);
    expect(asked).toEqual([]);
    await failed(channel);
    await home(caller);
    expect(asked).toEqual([
      {
        accountId: tenant.accountId,
        channelId: channel.id,
        since: seenAt - 2 * hourMs,
        event: null,
        state: 'failed',
        page: { limit: 101, cursor: null },
      },
    ]);
  });

  test('are read as far back as the log goes, for a person without a visit or with an older one', async () => {
    const looks = [await viewer(null), await viewer(service.clock.now()), tenant];
    service.clock.pass(90 * 24 * hourMs);
    const asked = watched();
    await failed(channel);
    const logged = service.clock.now() - 7 * 24 * hourMs;
    for (const caller of looks) await home(caller);
    expect(asked).toEqual(looks.map(() => expect.objectContaining({ since: logged })));
  });

  test('without an attempt are news by their creation', async () => {
    const caller = await viewer(service.clock.now());
    await failed(channel, { attemptLog: null, createdAt: service.clock.now() });
    service.clock.pass(hourMs);
    await failed(channel, { attemptLog: null, createdAt: service.clock.now() });
    expect((await home(caller)).givenUp.channels).toMatchObject([{ count: 1, isMore: false }]);
  });

  test('are news by the end of the last attempt, also if it started before the visit', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    service.clock.pass(hourMs);
    const attempt = { at: seenAt - 5, durationMs: 10, status: 500, failure: 'status' } as const;
    await failed(channel, { attemptLog: withAttempt(null, attempt) });
    expect((await home(caller)).givenUp.channels).toMatchObject([{ count: 1 }]);
  });

  test('at the time of the last visit are read, but no news', async () => {
    const seenAt = service.clock.now();
    const caller = await viewer(seenAt);
    const asked = watched();
    const attempt = { at: seenAt - 10, durationMs: 10, status: 500, failure: 'status' } as const;
    await failed(channel, { attemptLog: withAttempt(null, attempt) });
    const { channels } = (await home(caller)).givenUp;
    expect([asked.length, channels]).toEqual([1, []]);
  });

  test('count what its receiver no longer asked for only if it is kept', async () => {
    await failed(channel, { lastResult: canceledResult });
    expect((await home()).givenUp.channels).toEqual([]);
    await failed(channel, { lastResult: canceledResult, keptSince: service.clock.now() });
    expect((await home()).givenUp.channels).toMatchObject([{ count: 1, isMore: false }]);
  });

  test('are shown to a deleted person as to one without a visit', async () => {
    await failed(channel);
    const caller = { ...tenant, person: { id: newId(), email: 'gone@example.com' } };
    expect((await home(caller)).givenUp).toMatchObject({ since: null, channels: [{ count: 1 }] });
  });

  test('are reported as more beyond a hundred of a channel, but not at a hundred', async () => {
    for (let n = 0; n < 100; n += 1) await failed(channel);
    expect((await home()).givenUp.channels).toMatchObject([{ count: 100, isMore: false }]);
    await failed(channel);
    expect((await home()).givenUp.channels).toMatchObject([{ count: 100, isMore: true }]);
  });
});

describe('a visit', () => {
  test('is stored once in five minutes', async () => {
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

  test('that cannot be stored is logged, and the page is shown', async () => {
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
  [10_000, { count: 10_000, isMore: false }],
  [10_001, { count: 10_000, isMore: true }],
])('of %i pending ones, this many are counted', async (found, waiting) => {
  const asked: unknown[] = [];
  const countPending = async (of: unknown) => {
    asked.push(of);
    return found;
  };
  service.stores.deliveryLog = { ...service.stores.deliveryLog, countPending };
  expect((await home()).waiting).toEqual(waiting);
  expect(asked).toEqual([{ channelIds: [channel.id], limit: 10_001 }]);
});

test('an account without a key has none to start with', async () => {
  const { caller } = await signedUp(service, 'begins@example.com');
  expect((await home(caller)).hasKey).toBe(false);
});
