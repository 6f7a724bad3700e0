import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { TemplateFact } from '../../src/domain/messages/facts.ts';
import { fault, StoreUnavailable } from '../../src/kernel/faults.ts';
import type { TemplateOwner, UpstreamTemplate } from '../../src/use-cases/ports/templates.ts';
import type { TemplateQuery } from '../../src/use-cases/templates/types.ts';
import { SharedWork } from '../../src/use-cases/templates/shared-work.ts';
import { connected, everything, newIdentity, newTenant, openService, refusalOf } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';
import { assetOf } from './support/outside.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

let tenant: Tenant;
let channel: Channel;
let owner: TemplateOwner;
beforeEach(async () => {
  service.upstreamTemplates.failure = null;
  service.upstreamTemplates.beforeAnswer = async () => undefined;
  service.upstreamTemplates.asked.length = 0;
  tenant = await newTenant(service);
  ({ channel } = await connected(service, tenant, assetOf('chatapp', newIdentity())));
  owner = { accountId: tenant.accountId, businessAccountId: channel.subscribedAsset ?? '' };
});

const down = () => fault('upstream_failed', { why: 'it is down' });
const synced: TemplateQuery = { sync: true, status: null, page: everything };
const cached = { ...synced, sync: false };
const list = (query = synced) => service.useCases.listTemplates(tenant, channel.id, query);
const draft = (name: string) => ({
  name,
  language: 'en_US',
  category: 'UTILITY' as const,
  parameterFormat: 'positional' as const,
  components: [{ type: 'BODY' as const, text: 'Ready.' }],
});
const create = (name = 'order_ready') => service.useCases.createTemplate(tenant, channel.id, draft(name));

function upstreamTemplate(over: Partial<UpstreamTemplate> = {}): UpstreamTemplate {
  return {
    upstreamId: '12345678901234567',
    name: 'welcome',
    language: 'de',
    category: 'MARKETING',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Willkommen!' }],
    parameterFormat: 'positional',
    quality: null,
    rejectedReason: null,
    ...over,
  };
}

function upstreamHas(...listed: UpstreamTemplate[]): void {
  service.upstreamTemplates.listed.set(owner.businessAccountId, listed);
}

describe('a list', () => {
  test('tells when all of it was read, also of what has not changed since', async () => {
    upstreamHas(upstreamTemplate());
    const first = await list();
    service.clock.pass(1_000);
    const second = await list();
    expect(second.page.items).toEqual([{ ...first.page.items[0], syncedAt: service.clock.now() }]);
    expect([second.synced, second.syncedAt]).toEqual([true, service.clock.now()]);
    expect(await list(cached)).toEqual({ ...second, synced: false });
  });

  test('that was asked for while another is read is read after it: nothing that was there is missed', async () => {
    upstreamHas();
    let open = (): void => undefined;
    const shut = new Promise<void>((resolve) => {
      open = resolve;
    });
    service.upstreamTemplates.beforeAnswer = () => shut;
    const early = list();
    await new Promise(setImmediate);
    upstreamHas(upstreamTemplate());
    const late = [list(), list(), list()];
    service.upstreamTemplates.beforeAnswer = async () => undefined;
    service.clock.pass(1);
    open();
    await early;
    for (const each of late) expect((await each).page.items).toHaveLength(1);
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
  });

  test('keeps a template that was made while it was read', async () => {
    upstreamHas();
    service.upstreamTemplates.beforeAnswer = async () => {
      service.upstreamTemplates.beforeAnswer = async () => undefined;
      service.clock.pass(1);
      await create();
    };
    expect((await list()).page.items).toMatchObject([{ name: 'order_ready' }]);
  });

  test('that was never read is asked for by who looks; while upstream fails once in half a minute, until somebody asks', async () => {
    const look = () => list({ ...synced, sync: 'first' });
    service.upstreamTemplates.failure = down();
    for (let n = 0; n < 3; n += 1) {
      expect(await refusalOf(look())).toEqual({ status: 502, detail: expect.stringContaining('it is down') });
      service.clock.pass(9_999);
    }
    expect(service.upstreamTemplates.asked).toEqual(['list']);
    service.clock.pass(3);
    await refusalOf(look());
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
    service.upstreamTemplates.failure = null;
    upstreamHas(upstreamTemplate());
    expect(await list()).toMatchObject({ synced: true, page: { items: [{ name: 'welcome' }] } });
    expect(await look()).toMatchObject({ synced: false, page: { items: [{ name: 'welcome' }] } });
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list', 'list']);
  });

  test('that was read once is read no more by who looks', async () => {
    upstreamHas(upstreamTemplate());
    const look = () => list({ ...synced, sync: 'first' });
    expect([(await look()).synced, (await look()).synced]).toEqual([true, false]);
    expect(service.upstreamTemplates.asked).toEqual(['list']);
  });

  test('of a failing upstream is the stored one; a failing store is 503 and never a stale 200', async () => {
    upstreamHas(upstreamTemplate());
    await list();
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'no permission (code 200)' });
    expect(await list()).toMatchObject({ synced: false, page: { items: [{ name: 'welcome' }] } });
    service.upstreamTemplates.failure = new StoreUnavailable('gone', 'no');
    await expect(list()).rejects.toThrow(StoreUnavailable);
  });
});

describe('a call that upstream did not answer', () => {
  test('counts against the limit, and the truth is asked for in the background', async () => {
    service.upstreamTemplates.failure = down();
    expect((await refusalOf(create())).status).toBe(502);
    service.upstreamTemplates.failure = null;
    upstreamHas(upstreamTemplate({ name: 'order_ready' }));
    service.clock.pass(1);
    await service.useCases.syncDueTemplates();
    expect((await list(cached)).page.items).toMatchObject([{ name: 'order_ready' }]);
    const results: (string | number)[] = [];
    for (let made = 0; made < 100; made += 1) {
      const answer = await create(`name_${made}`).catch((error: { status: number }) => error);
      results.push(answer.status);
    }
    expect([results.filter((status) => status === 'PENDING').length, results.at(-1)]).toEqual([99, 429]);
  });

  test('one that upstream refused for certain counts for none', async () => {
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'bad words' });
    for (let tries = 0; tries < 101; tries += 1) {
      expect((await refusalOf(create())).status).toBe(400);
    }
    service.upstreamTemplates.failure = null;
    expect(await create()).toMatchObject({
      status: 'PENDING',
      upstreamId: expect.stringMatching(/^9007199254740993/),
    });
  });
});

describe('the background sync', () => {
  async function dueAt(): Promise<number | null | undefined> {
    return (await service.stores.templates.sync(owner))?.dueAt;
  }

  test('comes back later and later while upstream is down, and daily when it is well', async () => {
    await service.stores.templates.askForSync(owner, service.clock.now());
    service.upstreamTemplates.failure = down();
    const waits: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) {
      await service.useCases.syncDueTemplates();
      const wait = ((await dueAt()) ?? 0) - service.clock.now();
      waits.push(wait);
      service.clock.pass(wait);
    }
    expect(waits.slice(0, 3)).toEqual([30_000, 60_000, 120_000]);
    expect(waits.at(-1)).toBe(21_600_000);
    service.upstreamTemplates.failure = null;
    service.clock.pass(1);
    await service.useCases.syncDueTemplates();
    expect((await dueAt()) ?? 0).toBe(service.clock.now() + 86_400_000);
  });

  test('asks nobody for an account without an active channel', async () => {
    await service.useCases.deactivateChannel(tenant, channel.id);
    await service.stores.templates.askForSync(owner, service.clock.now());
    await service.useCases.syncDueTemplates();
    expect(service.upstreamTemplates.listedOf).not.toContain(owner.businessAccountId);
    expect(await dueAt()).toBeNull();
  });
});

describe('facts of templates', () => {
  const fact = (change: TemplateFact['change'], over: Partial<TemplateFact> = {}): TemplateFact => ({
    kind: 'template',
    businessAccountId: owner.businessAccountId,
    templateId: '12345678901234567',
    at: 5,
    change,
    ...over,
  });
  async function receive(...facts: TemplateFact[]): Promise<void> {
    service.parser.post = { facts, malformed: 0, ignored: 0, leftOut: [] };
    await service.useCases.receiveUpstreamPost(new Uint8Array());
  }

  test('are applied in their order', async () => {
    upstreamHas(upstreamTemplate({ status: 'PENDING' }));
    await list();
    const status = (word: string) => fact({ status: word, reason: null });
    await receive(status('APPROVED'), status('PAUSED'), fact({ quality: 'RED' }));
    expect((await list(cached)).page.items).toMatchObject([{ status: 'PAUSED', quality: 'RED' }]);
  });

  test('of one that nobody knows make its accounts ask; a deletion does not', async () => {
    const asked = (await service.stores.templates.sync(owner))?.dueAt; // when the number was connected
    service.clock.pass(1);
    await receive(fact({ status: 'DELETED', reason: null }));
    expect((await service.stores.templates.sync(owner))?.dueAt).toBe(asked);
    upstreamHas();
    await service.useCases.syncDueTemplates();
    await receive(fact({ status: 'APPROVED', reason: null }));
    expect((await service.stores.templates.sync(owner))?.dueAt).toBe(service.clock.now());
  });

  test('a thousand of one POST are all taken, and ask once', async () => {
    const facts = Array.from({ length: 1_000 }, (_, at) =>
      fact({ quality: 'RED' }, { templateId: String(at) }),
    );
    await receive(...facts);
    upstreamHas();
    service.clock.pass(1);
    await service.useCases.syncDueTemplates();
    const { listedOf } = service.upstreamTemplates;
    expect(listedOf.filter((asset) => asset === owner.businessAccountId)).toHaveLength(1);
  });
});

test('shared work that fails does not stop the next, and leaves nothing behind', async () => {
  const work = new SharedWork();
  const failing = work.run('key', () => Promise.reject(new Error('first')));
  const next = work.run('key', async () => undefined);
  await expect(failing).rejects.toThrow('first');
  await next;
  await expect(work.run('key', () => Promise.reject(new Error('second')))).rejects.toThrow('second');
});
