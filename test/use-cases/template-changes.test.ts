/** [spec: Template status, Limits; operator-interface §4] Templates that are made, edited and deleted, and what each is refused with. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { Template } from '../../src/domain/templates/template.ts';
import { fault } from '../../src/kernel/faults.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { TemplateOwner, UpstreamTemplate } from '../../src/use-cases/ports/templates.ts';
import { assetOf } from './support/outside.ts';
import {
  connected,
  connectedChannel,
  everything,
  newIdentity,
  newTenant,
  openService,
  refusalOf,
} from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

const hourMs = 3_600_000;
const dayMs = 86_400_000;
let service: Service;
let tenant: Tenant;
let channel: Channel;
let owner: TemplateOwner;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  service.upstreamTemplates.failure = null;
  service.upstreamTemplates.asked.length = 0;
  service.told.length = 0;
  tenant = await newTenant(service);
  ({ channel } = await connected(service, tenant, assetOf('chatapp', newIdentity())));
  await service.useCases.updateSubscription(tenant.subscriptionId, { expiresAt: null });
  owner = { accountId: tenant.accountId, businessAccountId: channel.subscribedAsset ?? '' };
});
afterAll(() => service.close());

const iso = (at: number) => new Date(at).toISOString();
const components = [{ type: 'BODY' as const, text: 'Ready.' }];
const draft = (over: { name?: string; language?: string } = {}) => ({
  name: 'order_ready',
  language: 'de',
  category: 'UTILITY' as const,
  parameterFormat: 'positional' as const,
  components,
  ...over,
});
const create = (over: Parameters<typeof draft>[0] = {}, of = channel) =>
  service.useCases.createTemplate(tenant, of.id, draft(over));
const edit = (id: string, over: { category?: 'UTILITY' | 'MARKETING' | null; text?: string } = {}) => {
  const { category = null, text = 'Ready now.' } = over;
  return service.useCases.updateTemplate(tenant, channel.id, id, {
    category,
    components: [{ type: 'BODY', text }],
  });
};
const remove = (id: string, allLanguages = false) =>
  service.useCases.deleteTemplate(tenant, channel.id, id, { allLanguages });
const known = async () => (await service.stores.templates.list(owner, null, everything)).items;

/** What upstream has, read. */
async function listed(...all: Partial<UpstreamTemplate>[]): Promise<Template[]> {
  const templates = all.map((over, n): UpstreamTemplate => ({
    upstreamId: `1${n}`,
    name: 'order_ready',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components,
    parameterFormat: 'positional',
    quality: null,
    rejectedReason: null,
    ...over,
  }));
  service.upstreamTemplates.listed.set(owner.businessAccountId, templates);
  // What was changed here at the moment of a list is newer than it.
  service.clock.pass(1);
  const { page } = await service.useCases.listTemplates(tenant, channel.id, {
    sync: true,
    status: null,
    page: everything,
  });
  service.upstreamTemplates.asked.length = 0;
  return page.items;
}
const theFirst = async (over: Partial<UpstreamTemplate> = {}): Promise<Template> => {
  const [first] = await listed(over);
  if (first === undefined) throw new Error('no template was listed');
  return first;
};
const dueAt = async () => (await service.stores.templates.sync(owner))?.dueAt;

describe('a template that is made', () => {
  test('is known as upstream took it', async () => {
    const made = await create();
    expect(made).toEqual({
      ...draft(),
      ...owner,
      id: expect.any(String),
      upstreamId: expect.stringMatching(/^9007199254740993/),
      status: 'PENDING',
      quality: null,
      rejectedReason: null,
      syncedAt: service.clock.now(),
      createdAt: service.clock.now(),
    });
    expect(await known()).toEqual([made]);
    expect(await service.useCases.readTemplate(tenant, channel.id, made.id)).toEqual(made);
  });

  test('is one of a hundred of its business account in an hour; then it is 429 that says when', async () => {
    const since = service.clock.now();
    for (let n = 0; n < 100; n += 1) await create({ name: `name_${n}` });
    service.clock.pass(1_500);
    await expect(create()).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 3_599,
      detail: `Upstream lets a business account create 100 templates an hour; the next can be created at ${iso(since + hourMs)}`,
    });
    service.clock.pass(hourMs - 1_501);
    await expect(create()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
    service.clock.pass(1);
    expect((await create()).status).toBe('PENDING');
  });

  test('is checked before upstream is called', async () => {
    const wrong = { ...draft(), components: [{ type: 'FOOTER' as const, text: 'Bye' }] };
    const call = service.useCases.createTemplate(tenant, channel.id, wrong);
    expect((await refusalOf(call)).status).toBe(422);
    expect(service.upstreamTemplates.asked).toEqual([]);
  });

  test('needs an active chatapp with a licence', async () => {
    const page = await connectedChannel(service, tenant, 'pagechat');
    expect(await refusalOf(create({}, page))).toMatchObject({
      status: 400,
      detail: { code: 'wrong_channel_type', channel_type: 'pagechat' },
    });
    await service.useCases.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect((await refusalOf(create())).status).toBe(402);
    await service.useCases.deactivateChannel(tenant, channel.id);
    expect(await refusalOf(create())).toEqual({
      status: 400,
      detail: 'The channel is inactive; connect it again to use it',
    });
  });

  test('that upstream refuses, or does not answer for, makes it be asked what it has; one that it is too busy for does not', async () => {
    const [, before] = [await listed(), await dueAt()];
    service.clock.pass(1);
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    expect((await refusalOf(create())).status).toBe(429);
    expect(await dueAt()).toBe(before);
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'bad words' });
    expect((await refusalOf(create())).status).toBe(400);
    expect(await dueAt()).toBe(service.clock.now());
  });

  test('that upstream is too busy for counts for none', async () => {
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    for (let n = 0; n < 100; n += 1) await refusalOf(create());
    service.upstreamTemplates.failure = null;
    expect((await create()).status).toBe('PENDING');
  });
});

describe('a template that is edited', () => {
  test('is reviewed again, with its new words, and is read as it was answered', async () => {
    const first = await theFirst({ rejectedReason: 'INVALID', quality: 'GREEN' });
    service.clock.pass(5);
    const edited = await edit(first.id);
    expect(edited).toEqual({
      ...first,
      status: 'PENDING',
      components: [{ type: 'BODY', text: 'Ready now.' }],
      rejectedReason: null,
    });
    expect(await service.useCases.readTemplate(tenant, channel.id, first.id)).toEqual(edited);
    expect(service.upstreamTemplates.asked).toEqual(['edit 10']);
  });

  test('while it is approved can be so once a day', async () => {
    const { id } = await theFirst();
    const since = service.clock.now();
    await edit(id);
    await listed({ components: [] });
    service.clock.pass(dayMs - 2);
    await expect(edit(id)).rejects.toMatchObject({
      status: 429,
      detail: `Upstream lets an approved template be edited once in 24 hours and 10 times in 30 days; this one again at ${iso(since + dayMs)}`,
    });
    service.clock.pass(1);
    expect((await edit(id)).status).toBe('PENDING');
  });

  test.each(['REJECTED', 'PAUSED'])('while it is %s can be so as often as one likes', async (status) => {
    for (const text of ['One.', 'Two.', 'Three.']) {
      const { id } = await theFirst({ status });
      expect((await edit(id, { text })).components).toEqual([{ type: 'BODY', text }]);
    }
  });

  test('may change its category where it was rejected; the one it has is no change', async () => {
    const { id } = await theFirst({ status: 'REJECTED' });
    expect((await edit(id, { category: 'MARKETING' })).category).toBe('MARKETING');
    const approved = await theFirst();
    expect((await edit(approved.id, { category: 'UTILITY' })).category).toBe('UTILITY');
    const again = await theFirst();
    expect(await refusalOf(edit(again.id, { category: 'MARKETING' }))).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'category'],
          msg: 'Value error, the category of a template with status APPROVED cannot change; of REJECTED and PAUSED ones it can',
          type: 'value_error',
        },
      ],
    });
  });

  test('while it is reviewed can not be', async () => {
    const { id } = await theFirst({ status: 'PENDING' });
    expect(await refusalOf(edit(id))).toEqual({
      status: 400,
      detail: 'A template with status PENDING cannot be edited; APPROVED, REJECTED and PAUSED ones can',
    });
  });

  test('is not sent any more as it was, on this node at once', async () => {
    const { id } = await theFirst();
    const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: null };
    const asked = { ...command, name: 'order_ready', language: 'de', variables: null };
    expect((await service.useCases.sendTemplate(tenant, asked)).status).toBe('sent');
    await edit(id);
    expect((await refusalOf(service.useCases.sendTemplate(tenant, asked))).status).toBe(400);
  });

  test('and is none is 404; so is one that is read, or deleted', async () => {
    const none = { status: 404, detail: 'Template not found' };
    const read = service.useCases.readTemplate(tenant, channel.id, newId());
    for (const call of [edit(newId()), remove(newId()), read]) expect(await refusalOf(call)).toEqual(none);
  });
});

describe('a template that is deleted', () => {
  test('is gone in its language alone, which is blocked for thirty days where it was approved', async () => {
    const german = (await listed({}, { language: 'fr' })).find(({ language }) => language === 'de');
    const since = service.clock.now();
    await remove(german?.id ?? '');
    expect(service.upstreamTemplates.asked).toEqual(['remove order_ready 10']);
    expect((await known()).map(({ language }) => language)).toEqual(['fr']);
    expect(await refusalOf(create())).toEqual({
      status: 400,
      detail: `The name order_ready belonged to an approved template that was deleted; it can be used again at ${iso(since + 30 * dayMs)}`,
    });
    expect((await create({ language: 'es' })).status).toBe('PENDING');
    service.clock.pass(30 * dayMs - 1);
    expect((await refusalOf(create())).status).toBe(400);
    service.clock.pass(1);
    expect((await create()).status).toBe('PENDING');
  });

  test('as the last of its name blocks the name', async () => {
    const { id } = await theFirst();
    await remove(id);
    expect((await refusalOf(create({ language: 'es' }))).status).toBe(400);
    expect((await create({ name: 'order_late' })).status).toBe('PENDING');
  });

  test('in all languages is gone in each', async () => {
    const [german] = await listed({ language: 'de' }, { language: 'fr', status: 'REJECTED' });
    await remove(german?.id ?? '', true);
    expect(service.upstreamTemplates.asked).toEqual(['remove order_ready everywhere']);
    expect(await known()).toEqual([]);
    expect((await refusalOf(create({ language: 'es' }))).status).toBe(400);
  });

  test('that was never approved blocks nothing', async () => {
    const { id } = await theFirst({ status: 'REJECTED' });
    await remove(id);
    expect((await create()).status).toBe('PENDING');
  });

  test('stays where upstream does not delete it', async () => {
    const { id } = await theFirst();
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'down' });
    expect((await refusalOf(remove(id))).status).toBe(502);
    expect((await known()).map((each) => each.id)).toEqual([id]);
  });

  test('can not be sent any more, on this node at once', async () => {
    const { id } = await theFirst();
    const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: null };
    const asked = { ...command, name: 'order_ready', language: 'de', variables: null };
    await service.useCases.sendTemplate(tenant, asked);
    await remove(id);
    expect((await refusalOf(service.useCases.sendTemplate(tenant, asked))).status).toBe(404);
  });
});

test('the audit log names each change of a template, and shows none of its words', async () => {
  const { id } = await create();
  await listed({ upstreamId: (await known())[0]?.upstreamId ?? '' });
  await edit(id, { text: 'Secret words.' });
  await remove(id);
  const { items } = await service.useCases.listAudit({ accountId: tenant.accountId }, everything);
  const ofTemplate = items.filter(({ action }) => action.startsWith('template.'));
  const content = expect.stringMatching(/^1 components #[0-9a-f]{8}$/);
  const shown = { name: 'order_ready', language: 'de', category: 'UTILITY', content };
  expect(ofTemplate.map(({ action, subject, before, after }) => [action, subject, before, after])).toEqual([
    ['template.deleted', id, shown, null],
    ['template.updated', id, { content }, { content }],
    ['template.created', id, null, shown],
  ]);
  expect(JSON.stringify(ofTemplate)).not.toContain('Secret');
});

describe('templates that are listed', () => {
  const list = (over: { sync?: boolean; status?: string | null } = {}) =>
    service.useCases.listTemplates(tenant, channel.id, {
      sync: false,
      status: null,
      page: everything,
      ...over,
    });

  test('by their status', async () => {
    const all = await listed({}, { language: 'fr', status: 'REJECTED' });
    const rejected = all.filter(({ status }) => status === 'REJECTED');
    expect([rejected.length, (await list({ status: 'REJECTED' })).page.items]).toEqual([1, rejected]);
  });

  test('without asking upstream are those of an inactive channel too', async () => {
    const first = await theFirst();
    await service.useCases.deactivateChannel(tenant, channel.id);
    expect((await list()).page.items).toEqual([first]);
    expect((await refusalOf(list({ sync: true }))).status).toBe(400);
  });

  test.each([
    [fault('upstream_failed', { why: 'it is down' }), 'it is down'],
    [fault('upstream_failed'), 'Upstream platform error: no usable answer'],
  ])('and were never read are 502 while upstream does not tell them: %s', async (failure, why) => {
    service.upstreamTemplates.failure = failure;
    expect(await refusalOf(list({ sync: true }))).toEqual({
      status: 502,
      detail: `Upstream platform error: ${why}`,
    });
    expect(await list()).toEqual({ page: { items: [], nextCursor: null }, synced: false, syncedAt: null });
  });

  test('as they were read before are told of in the log', async () => {
    await listed({});
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    service.told.length = 0;
    expect((await list({ sync: true })).synced).toBe(false);
    expect(service.told).toMatchObject([
      { msg: 'templates.not-synced', channel: channel.id, code: 'upstream_busy' },
    ]);
  });

  test('say when all of them were read, also of those that were known as they are before', async () => {
    await listed({});
    service.clock.pass(1_000);
    const made = await create({ name: 'order_late' });
    service.clock.pass(1_000);
    const [, at] = [await list({ sync: true }), service.clock.now()];
    service.clock.pass(1_000);
    const younger = await create({ name: 'order_lost' });
    const { page, syncedAt } = await list();
    expect(page.items.map((each) => each.syncedAt)).toEqual([at, at, at + 1_000]);
    expect(syncedAt).toBe(at);
    const read = async ({ id }: Template) => service.useCases.readTemplate(tenant, channel.id, id);
    expect([(await read(made)).syncedAt, (await read(younger)).syncedAt]).toEqual([at, at + 1_000]);
  });

  test('of another account’s channel are 404', async () => {
    tenant = await newTenant(service);
    expect((await refusalOf(list())).status).toBe(404);
  });
});

test('what was deleted, and what counted against a limit, is forgotten once nothing needs it', async () => {
  const { id } = await theFirst();
  await remove(id);
  service.clock.pass(30 * dayMs - 1);
  await service.useCases.dropOldTemplates();
  expect((await refusalOf(create())).status).toBe(400);
  service.clock.pass(2);
  await service.useCases.dropOldTemplates();
  expect((await create()).status).toBe('PENDING');
});
