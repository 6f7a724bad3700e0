/** [operator-interface §4] Lists of templates: when upstream is asked for them, and which list is answered while upstream fails. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Template } from '../../../src/rules/templates/template.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { withSyncTime } from '../../../src/features/templates/find.ts';
import { newTenant, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { templateTenant, TemplateTenant, upstreamTemplate } from '../support/templates.ts';

const service = sharedService();
let ours: TemplateTenant;
beforeEach(async () => {
  ours = await templateTenant(service);
});

describe('a list', () => {
  /** A list for which upstream is asked. */
  const read = () => ours.list({ sync: true });

  test('states when the whole list was read, also for templates that have not changed', async () => {
    ours.upstreamHas(upstreamTemplate());
    const first = await read();
    service.clock.pass(1_000);
    const second = await read();
    expect(second.page.items).toEqual([{ ...first.page.items[0], syncedAt: service.clock.now() }]);
    expect([second.synced, second.syncedAt]).toEqual([true, service.clock.now()]);
    expect(await ours.list()).toEqual({ ...second, synced: false });
  });

  test('a list that is requested during a read is read after it, so that it misses no template', async () => {
    ours.upstreamHas();
    let open = (): void => undefined;
    const shut = new Promise<void>((resolve) => {
      open = resolve;
    });
    service.upstreamTemplates.beforeAnswer = () => shut;
    const early = read();
    await new Promise(setImmediate);
    ours.upstreamHas(upstreamTemplate());
    const late = [read(), read(), read()];
    service.upstreamTemplates.beforeAnswer = async () => undefined;
    service.clock.pass(1);
    open();
    await early;
    for (const each of late) expect((await each).page.items).toHaveLength(1);
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
  });

  test('a list of thousands is compared over several turns of the event loop [faults: I9]', async () => {
    let [inTurn, most, all] = [0, 0, 0];
    const seen = (): null => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      [inTurn, all] = [inTurn + 1, all + 1];
      most = Math.max(most, inTurn);
      return null;
    };
    const listed = Array.from({ length: 1_000 }, (_, n) => ({
      ...upstreamTemplate({ upstreamId: `${1_000 + n}`, name: `ready_${n}` }),
      get quality() {
        return seen();
      },
    }));
    ours.upstreamHas(...listed);
    const first = (await read()).page.items.length;
    service.clock.pass(1);
    ours.upstreamHas(...listed.slice(1));
    expect([first, (await read()).page.items.length]).toEqual([1_000, 999]);
    expect(all).toBe(1_999);
    expect(most).toBeLessThanOrEqual(100);
  });

  test('a template that is created during the read is kept', async () => {
    ours.upstreamHas();
    service.upstreamTemplates.beforeAnswer = async () => {
      service.upstreamTemplates.beforeAnswer = async () => undefined;
      service.clock.pass(1);
      await ours.create();
    };
    expect((await read()).page.items).toMatchObject([{ name: 'order_ready' }]);
  });

  test('a list that was never read is read for the portal’s page, but only once in half a minute while upstream fails', async () => {
    const open = () => ours.list({ sync: 'first' });
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'it is down' });
    for (let n = 0; n < 3; n += 1) {
      expect(await refusalOf(open())).toEqual({ status: 502, detail: expect.stringContaining('it is down') });
      service.clock.pass(9_999);
    }
    expect(service.upstreamTemplates.asked).toEqual(['list']);
    service.clock.pass(3);
    await refusalOf(open());
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
    service.upstreamTemplates.failure = null;
    ours.upstreamHas(upstreamTemplate());
    expect(await read()).toMatchObject({ synced: true, page: { items: [{ name: 'order_ready' }] } });
    expect(await open()).toMatchObject({ synced: false, page: { items: [{ name: 'order_ready' }] } });
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list', 'list']);
  });

  test('a list that was read once is not read again for the portal’s page', async () => {
    ours.upstreamHas(upstreamTemplate());
    const open = () => ours.list({ sync: 'first' });
    expect([(await open()).synced, (await open()).synced]).toEqual([true, false]);
    expect(service.upstreamTemplates.asked).toEqual(['list']);
  });

  test('while upstream fails the stored list is answered; a failing store is 503, never a stale 200', async () => {
    ours.upstreamHas(upstreamTemplate());
    await read();
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'no permission (code 200)' });
    expect(await read()).toMatchObject({ synced: false, page: { items: [{ name: 'order_ready' }] } });
    service.upstreamTemplates.failure = new StoreUnavailable('gone', 'no');
    await expect(read()).rejects.toThrow(StoreUnavailable);
  });
});

describe('listed templates', () => {
  test('can be filtered by their status', async () => {
    const all = await ours.listed({}, { language: 'fr', status: 'REJECTED' });
    const rejected = all.filter(({ status }) => status === 'REJECTED');
    expect([rejected.length, (await ours.list({ status: 'REJECTED' })).page.items]).toEqual([1, rejected]);
  });

  test('are also those of an inactive channel, if upstream is not asked', async () => {
    const first = await ours.theFirst();
    await service.features.deactivateChannel(ours.tenant, ours.channel.id);
    expect((await ours.list()).page.items).toEqual([first]);
    expect((await refusalOf(ours.list({ sync: true }))).status).toBe(400);
  });

  test.each([
    [fault('upstream_failed', { why: 'it is down' }), 'it is down'],
    [fault('upstream_failed'), 'Upstream platform error: no usable answer'],
  ])('are 502 if they were never read and upstream fails: %s', async (failure, why) => {
    service.upstreamTemplates.failure = failure;
    expect(await refusalOf(ours.list({ sync: true }))).toEqual({
      status: 502,
      detail: `Upstream platform error: ${why}`,
    });
    expect(await ours.list()).toEqual({
      page: { items: [], nextCursor: null },
      synced: false,
      syncedAt: null,
    });
  });

  test('are logged if they could not be read again', async () => {
    await ours.listed({});
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    service.told.length = 0;
    expect((await ours.list({ sync: true })).synced).toBe(false);
    expect(service.told).toMatchObject([
      { msg: 'templates.not-synced', channel: ours.channel.id, code: 'upstream_busy' },
    ]);
  });

  test('state when the whole list was read; a younger one states its own time', async () => {
    await ours.listed({});
    service.clock.pass(1_000);
    const made = await ours.create({ name: 'order_late' });
    service.clock.pass(1_000);
    const [, at] = [await ours.list({ sync: true }), service.clock.now()];
    service.clock.pass(1_000);
    const younger = await ours.create({ name: 'order_lost' });
    const { page, syncedAt } = await ours.list();
    expect(page.items.map((each) => each.syncedAt)).toEqual([at, at, at + 1_000]);
    expect(syncedAt).toBe(at);
    const read = async ({ id }: Template) => service.features.readTemplate(ours.tenant, ours.channel.id, id);
    expect([(await read(made)).syncedAt, (await read(younger)).syncedAt]).toEqual([at, at + 1_000]);
  });

  test('of a business account whose list was never read are read for the portal’s page', async () => {
    const { templates } = service.stores;
    const made = await ours.create();
    service.upstreamTemplates.asked.length = 0;
    service.stores.templates = { ...templates, sync: async () => null };
    try {
      expect(await ours.list()).toEqual({
        page: { items: [made], nextCursor: null },
        synced: false,
        syncedAt: null,
      });
      service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
      expect((await refusalOf(ours.list({ sync: 'first' }))).status).toBe(502);
    } finally {
      service.stores.templates = templates;
    }
    expect(service.upstreamTemplates.asked).toEqual(['list']);
  });

  test('state null if the time of their read is unknown', async () => {
    const unread = { ...(await ours.theFirst()), syncedAt: null };
    const sync = await service.stores.templates.sync(ours.owner);
    expect(withSyncTime(unread, null)).toEqual(unread);
    expect(withSyncTime(unread, sync).syncedAt).toBe(sync?.syncedAt);
  });

  test('of another account’s channel are 404', async () => {
    const foreign = new TemplateTenant(service, await newTenant(service), ours.channel);
    expect((await refusalOf(foreign.list())).status).toBe(404);
  });
});

test('long lists of an account run one after another, short ones do not wait [faults: 179]', async () => {
  const asked = async (many: number): Promise<number[]> => {
    const all = Array.from({ length: many }, (_, n) => ({ name: `ready_${n}`, upstreamId: `${1_000 + n}` }));
    await ours.listed(...all);
    const lists = Array.from({ length: 40 }, () => ours.list().then(({ page }) => page.items.length));
    const ended = await Promise.allSettled(lists);
    return ended.map((end) => (end.status === 'fulfilled' ? end.value : 0)).toSorted((a, b) => b - a);
  };
  expect(await asked(50)).toEqual(Array.from({ length: 40 }, () => 50));
  // One list runs and 32 wait; the others are refused.
  expect(await asked(60)).toEqual(Array.from({ length: 40 }, (_, n) => (n < 33 ? 60 : 0)));
});
