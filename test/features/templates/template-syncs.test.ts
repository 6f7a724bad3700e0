/** [upstream §4.5, §6] Templates are synchronized in the background: after an outage, a fact, a day. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Template } from '../../../src/rules/templates/template.ts';
import { createTemplate } from '../../../src/features/templates/create.ts';
import type { UpstreamTemplate } from '../../../src/upstream/template-calls.ts';
import type { TemplateFact } from '../../../src/rules/messages/facts.ts';
import { dayMs, hourMs } from '../../../src/kernel/clock.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { CoalescedRuns } from '../../../src/kernel/single-flight.ts';
import { receivePost } from '../support/posts.ts';
import { assetOf } from '../support/outside.ts';
import { connected, newIdentity, newLicence, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { withRival } from '../support/rival.ts';
import { draft, templateTenant, upstreamTemplate } from '../support/templates.ts';
import type { TemplateTenant } from '../support/templates.ts';

const service = sharedService();
let ours: TemplateTenant;
beforeEach(async () => {
  ours = await templateTenant(service);
});

describe('a call that upstream did not answer', () => {
  test('counts against the limit, and causes a synchronization', async () => {
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'it is down' });
    expect((await refusalOf(ours.create())).status).toBe(502);
    service.upstreamTemplates.failure = null;
    ours.upstreamHas(upstreamTemplate());
    service.clock.pass(1);
    await service.features.syncDueTemplates();
    expect((await ours.list()).page.items).toMatchObject([{ name: 'order_ready' }]);
    const results: (string | number)[] = [];
    for (let made = 0; made < 100; made += 1) {
      const answer = await ours.create({ name: `name_${made}` }).catch((error: { status: number }) => error);
      results.push(answer.status);
    }
    expect([results.filter((status) => status === 'PENDING').length, results.at(-1)]).toEqual([99, 429]);
  });

  test('that upstream certainly refused does not count', async () => {
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'bad words' });
    for (let tries = 0; tries < 101; tries += 1) {
      expect((await refusalOf(ours.create())).status).toBe(400);
    }
    service.upstreamTemplates.failure = null;
    expect(await ours.create()).toMatchObject({
      status: 'PENDING',
      upstreamId: expect.stringMatching(/^9007199254740993/),
    });
  });
});

describe('the background synchronization', () => {
  test('comes at growing intervals while upstream is down, and daily when it works', async () => {
    await service.stores.templates.askForSync(ours.owner, service.clock.now());
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'it is down' });
    const waits: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      await service.features.syncDueTemplates();
      const wait = ((await ours.dueAt()) ?? 0) - service.clock.now();
      waits.push(wait);
      service.clock.pass(wait);
    }
    expect(waits.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
    expect(waits.at(-1)).toBe(21_600_000);
    service.upstreamTemplates.failure = null;
    service.clock.pass(1);
    await service.features.syncDueTemplates();
    expect((await ours.dueAt()) ?? 0).toBe(service.clock.now() + dayMs);
  });

  test("finds a channel without reading all of the account's", async () => {
    const { channels } = service.stores;
    service.stores.channels = {
      ...channels,
      list: () => Promise.reject(new Error('all channels were read')),
    };
    await service.stores.templates.askForSync(ours.owner, service.clock.now());
    service.clock.pass(1);
    await service.features.syncDueTemplates().finally(() => (service.stores.channels = channels));
    expect(await ours.dueAt()).toBe(service.clock.now() + dayMs);
  });

  const look = async () => {
    await service.stores.templates.askForSync(ours.owner, service.clock.now());
    return service.features.syncDueTemplates();
  };

  test('reports how many it did, ten at a time, and logs those that failed', async () => {
    await service.features.syncDueTemplates();
    await service.stores.templates.askForSync(ours.owner, service.clock.now());
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    service.told.length = 0;
    expect(await service.features.syncDueTemplates()).toBe(1);
    expect(service.told).toEqual([
      expect.objectContaining({
        msg: 'templates.not-synced',
        level: 'warn',
        channel: ours.channel.id,
        code: 'upstream_busy',
        failures: 0,
        request_id: expect.any(String),
      }),
    ]);
    expect(await service.features.syncDueTemplates()).toBe(0);
  });

  test('[faults: 550] of an account with thousands of due ones does not delay that of another account', async () => {
    const { templates } = service.stores;
    const [accountId, first] = [newId(), service.clock.now()];
    const many = Array.from({ length: 2_500 }, (_, nth) => ({
      accountId,
      businessAccountId: newId(),
      dueAt: first + nth,
    }));
    await Promise.all(many.map((sync) => templates.askForSync(sync, sync.dueAt)));
    service.clock.pass(many.length);
    await templates.askForSync(ours.owner, service.clock.now());
    service.clock.pass(1);
    for (let views = 0; views < 3; views += 1) await service.features.syncDueTemplates();
    expect(await ours.dueAt()).toBe(service.clock.now() + dayMs);
    await Promise.all(many.map((sync) => templates.syncFailed(sync, null)));
  });

  test("is no failure of upstream's if the store is down", async () => {
    await ours.listed();
    const gone = new StoreUnavailable('away');
    service.upstreamTemplates.failure = gone;
    await expect(look()).rejects.toBe(gone);
    expect(await service.stores.templates.sync(ours.owner)).toMatchObject({
      dueAt: service.clock.now(),
      failures: 0,
    });
  });

  test('reads through a channel on the business account', async () => {
    await newLicence(service, ours.tenant);
    const { channel } = await connected(service, ours.tenant, assetOf('chatapp', newIdentity()));
    service.upstreamTemplates.listedOf.length = 0;
    await look();
    const both = [ours.channel.subscribedAsset, channel.subscribedAsset];
    expect(service.upstreamTemplates.listedOf.filter((asset) => both.includes(asset))).toEqual(both);
  });

  test('does nothing once the channel is inactive', async () => {
    await service.features.deactivateChannel(ours.tenant, ours.channel.id);
    await look();
    expect(service.upstreamTemplates.listedOf).not.toContain(ours.owner.businessAccountId);
    expect(await ours.dueAt()).toBeNull();
  });

  test('does not ask upstream while the channel has no licence, and goes on within a day of its renewal', async () => {
    const { subscriptionId } = ours.tenant;
    await service.features.updateSubscription(subscriptionId, { status: 'canceled' });
    await look();
    expect(service.upstreamTemplates.listedOf).not.toContain(ours.owner.businessAccountId);
    await service.features.updateSubscription(subscriptionId, { status: 'active' });
    ours.upstreamHas(upstreamTemplate());
    service.clock.pass(dayMs + 1);
    await service.features.syncDueTemplates();
    expect(service.upstreamTemplates.listedOf).toContain(ours.owner.businessAccountId);
    expect(await service.stores.templates.sync(ours.owner)).toMatchObject({
      dueAt: service.clock.now() + dayMs,
      failures: 0,
    });
  });
});

describe('[faults: 451] after a synchronization by a node whose clock is hours ahead', () => {
  const aheadMs = 8 * hourMs;
  beforeEach(async () => {
    await service.features.syncDueTemplates();
    service.clock.pass(aheadMs);
    await ours.theFirst();
    service.clock.pass(-aheadMs);
    ours.upstreamHas(upstreamTemplate({ status: 'PAUSED' }));
    service.upstreamTemplates.listedOf.length = 0;
  });

  const lists = (): number =>
    service.upstreamTemplates.listedOf.filter((asset) => asset === ours.owner.businessAccountId).length;

  test('one that is asked for stores what upstream has, and is done', async () => {
    await service.stores.templates.askForSync(ours.owner, service.clock.now());
    service.clock.pass(1);
    await service.features.syncDueTemplates();
    expect((await ours.list()).page.items).toMatchObject([{ status: 'PAUSED' }]);
    expect(await ours.dueAt()).toBe(service.clock.now() + dayMs);
    await service.features.syncDueTemplates();
    expect(lists()).toBe(1);
  });

  test('one that is asked for while upstream is asked stays due', async () => {
    const { templates } = service.stores;
    const list = service.upstreamTemplates.list.bind(service.upstreamTemplates);
    service.upstreamTemplates.list = async (channel) => {
      const listed = await list(channel);
      service.clock.pass(1);
      await templates.askForSync(ours.owner, service.clock.now());
      return listed;
    };
    try {
      await ours.list({ sync: true });
    } finally {
      service.upstreamTemplates.list = list;
    }
    expect(await ours.dueAt()).toBe(service.clock.now());
  });
});

describe('facts about templates', () => {
  const fact = (change: TemplateFact['change'], over: Partial<TemplateFact> = {}): TemplateFact => ({
    kind: 'template',
    businessAccountId: ours.owner.businessAccountId,
    templateId: '10',
    at: service.clock.now(),
    change,
    ...over,
  });
  const receive = (...facts: TemplateFact[]) => receivePost(service, facts);

  test('are applied in their order', async () => {
    ours.upstreamHas(upstreamTemplate({ status: 'PENDING' }));
    await ours.list({ sync: true });
    const status = (word: string) => fact({ status: word, reason: null });
    await receive(status('APPROVED'), status('PAUSED'), fact({ quality: 'RED' }));
    expect((await ours.list()).page.items).toMatchObject([{ status: 'PAUSED', quality: 'RED' }]);
  });

  const word = (status: string) => ({ status, reason: null });

  test('about an unknown template cause synchronizations of its accounts; a deletion does not', async () => {
    await ours.listed();
    const tomorrow = await ours.dueAt();
    await receive(fact(word('DELETED')));
    expect(await ours.dueAt()).toBe(tomorrow);
    await receive(fact({ quality: 'RED' }));
    expect(await ours.dueAt()).toBe(service.clock.now());
  });

  test('about a known template are applied: only accounts without it are synchronized', async () => {
    const others = await templateTenant(service, ours.owner.businessAccountId);
    await others.listed();
    await ours.listed({});
    const tomorrow = await ours.dueAt();
    await receive(fact(word('PAUSED')));
    expect([await ours.dueAt(), await others.dueAt()]).toEqual([tomorrow, service.clock.now()]);
    service.clock.pass(1);
    await receive(fact(word('APPROVED')), fact(word('APPROVED'), { templateId: '99' }));
    expect(await ours.dueAt()).toBe(service.clock.now());
  });

  test('of a status that is repeated after an edit do not undo the edit, and are checked with upstream', async () => {
    const { id } = await ours.theFirst({ status: 'PENDING' });
    const tomorrow = await ours.dueAt();
    const approval = fact(word('APPROVED'));
    await receive(approval);
    service.clock.pass(4_000);
    await ours.edit(id);
    expect(await ours.dueAt()).toBe(tomorrow);
    service.clock.pass(4_000);
    await receive(approval);
    expect((await ours.list()).page.items).toMatchObject([{ status: 'PENDING' }]);
    expect(await ours.dueAt()).toBe(service.clock.now());
    await service.features.syncDueTemplates();
  });

  test('of a status that is repeated after a list that shows another are checked with upstream', async () => {
    await ours.theFirst();
    const pause = fact(word('PAUSED'));
    await receive(pause);
    service.clock.pass(4_000);
    await ours.theFirst({ status: 'APPROVED' });
    service.clock.pass(4_000);
    await receive(pause);
    expect(await ours.dueAt()).toBe(service.clock.now());
    service.clock.pass(1);
    await service.features.syncDueTemplates();
    expect((await ours.list()).page.items).toMatchObject([{ status: 'APPROVED' }]);
  });

  test('of a status from before a list count for the next send, a moment after the last one', async () => {
    await ours.theFirst();
    const pause = fact(word('PAUSED'));
    service.clock.pass(4_000);
    await ours.theFirst({ category: 'MARKETING' });
    service.router.sendReply = async () => ({ status: 'sent' });
    const send = () =>
      service.features.sendTemplate(ours.tenant, {
        channelId: ours.channel.id,
        recipient: '4915900000777',
        name: 'order_ready',
        language: 'de',
        variables: null,
        idempotencyKey: null,
      });
    expect(await send()).toMatchObject({ status: 'sent' });
    await receive(pause);
    expect(await refusalOf(send())).toEqual({ status: 400, detail: expect.stringContaining('PAUSED') });
  });

  test('that only report a changed text cause synchronizations of the accounts that have it too', async () => {
    await ours.listed({});
    await receive(fact({ components: true }));
    expect(await ours.dueAt()).toBe(service.clock.now());
  });

  test('are written for twenty templates at a time, each in its order', async () => {
    const { templates } = service.stores;
    const under = new Set<string>();
    const most: number[] = [];
    service.stores.templates = {
      ...templates,
      async apply(change, now) {
        expect(under).not.toContain(change.upstreamId);
        most.push(under.add(change.upstreamId).size);
        await new Promise(setImmediate);
        under.delete(change.upstreamId);
        return templates.apply(change, now);
      },
    };
    const facts = Array.from({ length: 40 }, (_, n) => fact({ quality: 'RED' }, { templateId: `${n % 30}` }));
    try {
      await receive(...facts);
    } finally {
      service.stores.templates = templates;
    }
    expect([most.length, Math.max(...most)]).toEqual([40, 20]);
  });

  test('in one POST of a thousand are all accepted, and cause one synchronization', async () => {
    const facts = Array.from({ length: 1_000 }, (_, at) =>
      fact({ quality: 'RED' }, { templateId: String(at) }),
    );
    await receive(...facts);
    ours.upstreamHas();
    service.clock.pass(1);
    await service.features.syncDueTemplates();
    const { listedOf } = service.upstreamTemplates;
    expect(listedOf.filter((asset) => asset === ours.owner.businessAccountId)).toHaveLength(1);
  });
});

describe('shared work', () => {
  /** Runs that start and end when a test says so. */
  function works() {
    const begun: { key: string; end: () => void }[] = [];
    const shared = new CoalescedRuns();
    const run = (key: string) =>
      shared.run(key, () => new Promise((resolve) => void begun.push({ key, end: resolve })));
    return { run, begun };
  }

  test('runs once at a time per key, and once more for all who came meanwhile', async () => {
    const { run, begun } = works();
    const first = run('a');
    const [second, third] = [run('a'), run('a')];
    const other = run('b');
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b']);
    begun[0]?.end();
    await first;
    await new Promise(setImmediate);
    const late = run('a');
    expect(begun.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
    begun[2]?.end();
    await Promise.all([second, third]);
    await new Promise(setImmediate);
    for (const { end } of begun) end();
    await Promise.all([late, other]);
    const [anew, count] = [run('a'), begun.length];
    begun.at(-1)?.end();
    await anew;
    expect([count, begun.length]).toEqual([5, 5]);
  });

  test('is joined by a caller at the moment of its end: never two at a time', async () => {
    const shared = new CoalescedRuns();
    const begun: string[] = [];
    const ended = new Promise<void>(setImmediate);
    const first = shared.run('key', () => ended);
    const next = shared.run('key', async () => void begun.push('next'));
    const late = ended.then(() => shared.run('key', async () => void begun.push('late')));
    await Promise.all([first, next, late]);
    expect(begun).toEqual(['next']);
  });

  test('that fails does not prevent the next run, and leaves nothing behind', async () => {
    const work = new CoalescedRuns();
    const failing = work.run('key', () => Promise.reject(new Error('first')));
    const next = work.run('key', async () => undefined);
    await expect(failing).rejects.toThrow('first');
    await next;
    await expect(work.run('key', () => Promise.reject(new Error('second')))).rejects.toThrow('second');
  });
});

describe('a call that upstream took, and that is not stored', () => {
  const text = 'Ready to collect.';

  /** What upstream has now is here after a minute. */
  async function soonSynced(listed: UpstreamTemplate[]): Promise<Template[]> {
    ours.upstreamHas(...listed);
    service.clock.pass(60_000);
    await service.features.syncDueTemplates();
    return (await ours.list()).page.items;
  }

  /** The node ends during the call: nothing of it goes on. */
  async function endDuring(call: () => Promise<unknown>): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      service.upstreamTemplates.beforeAnswer = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    void call();
    await ended;
    service.upstreamTemplates.beforeAnswer = async () => undefined;
  }

  test('because the node ends, is found soon: a template, an edit and a deletion', async () => {
    await ours.listed();
    await endDuring(() => ours.create());
    const made = upstreamTemplate();
    const [template] = await soonSynced([made]);
    expect(template).toMatchObject({ name: 'order_ready' });
    await endDuring(() => ours.edit(template?.id ?? '', { text }));
    const edited = { ...made, status: 'PENDING', components: [{ type: 'BODY' as const, text }] };
    expect(await soonSynced([edited])).toMatchObject([{ status: 'PENDING', components: [{ text }] }]);
    await endDuring(() => ours.remove(template?.id ?? ''));
    expect(await soonSynced([])).toEqual([]);
  });

  test('because the store is away, is found soon', async () => {
    const { id } = await ours.theFirst();
    const { templates } = service.stores;
    const away = async () => Promise.reject(new StoreUnavailable('away', 'no'));
    service.stores.templates = { ...templates, edited: away };
    await expect(ours.edit(id, { text })).rejects.toBeInstanceOf(StoreUnavailable);
    service.stores.templates = templates;
    const edited = upstreamTemplate({
      status: 'PENDING',
      components: [{ type: 'BODY', text }],
      upstreamId: '10',
    });
    expect(await soonSynced([edited])).toMatchObject([{ status: 'PENDING', components: [{ text }] }]);
  });
});

test('a template that a synchronization finds before it is stored is read again: it may have been decided', async () => {
  await ours.listed();
  const world = withRival(service.world, ['templates', 'put'], async () => {
    const [made] = service.upstreamTemplates.listed.get(ours.owner.businessAccountId) ?? [];
    ours.upstreamHas({ ...upstreamTemplate(), ...made, status: 'APPROVED' });
    await ours.list({ sync: true });
  });
  expect((await createTemplate(world, ours.tenant, ours.channel.id, draft())).status).toBe('PENDING');
  service.clock.pass(1);
  await service.features.syncDueTemplates();
  expect((await ours.list()).page.items).toMatchObject([{ status: 'APPROVED' }]);
});

test('a call that is stored, or that upstream is too busy for, costs no synchronization', async () => {
  const { id } = await ours.theFirst();
  service.upstreamTemplates.listedOf.length = 0;
  await ours.create({ name: 'another' });
  service.upstreamTemplates.failure = fault('upstream_busy', { why: 'later', retryAfter: 1 });
  await refusalOf(ours.edit(id, { text: 'Ready to collect.' }));
  service.upstreamTemplates.failure = null;
  service.clock.pass(60_000);
  await service.features.syncDueTemplates();
  expect(service.upstreamTemplates.listedOf).not.toContain(ours.owner.businessAccountId);
});
