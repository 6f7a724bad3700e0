/** [spec: Template status, Limits; operator-interface §4] Creating and editing templates, and the refusals. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { toIso, dayMs, hourMs } from '../../../src/kernel/clock.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { draft, templateTenant, upstreamTemplate } from '../support/templates.ts';
import type { TemplateTenant } from '../support/templates.ts';

const service = sharedService();
let ours: TemplateTenant;
beforeEach(async () => {
  ours = await templateTenant(service);
});

describe('a created template', () => {
  test('is stored as upstream accepted it', async () => {
    const made = await ours.create();
    expect(made).toEqual({
      ...draft(),
      ...ours.owner,
      id: expect.any(String),
      upstreamId: expect.stringMatching(/^9007199254740993/),
      status: 'PENDING',
      quality: null,
      rejectedReason: null,
      syncedAt: service.clock.now(),
      createdAt: service.clock.now(),
    });
    expect(await ours.known()).toEqual([made]);
    expect(await service.features.readTemplate(ours.tenant, ours.channel.id, made.id)).toEqual(made);
  });

  test('is pending also if upstream has approved it at once, and a synchronization is due', async () => {
    service.upstreamTemplates.createdStatus = 'APPROVED';
    await ours.listed();
    const made = await ours.create();
    expect(made.status).toBe('PENDING');
    expect(await ours.known()).toEqual([made]);
    expect(await ours.dueAt()).toBe(service.clock.now());
  });

  test('that is in review upstream causes no synchronization', async () => {
    const [, before] = [await ours.listed(), await ours.dueAt()];
    await ours.create();
    expect(await ours.dueAt()).toBe(before);
  });

  test('is one of a hundred of its business account in an hour; then 429 with the waiting time', async () => {
    const since = service.clock.now();
    for (let n = 0; n < 100; n += 1) await ours.create({ name: `name_${n}` });
    service.clock.pass(1_500);
    await expect(ours.create()).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 3_599,
      detail: `Upstream lets a business account create 100 templates an hour; the next can be created at ${toIso(since + hourMs)}`,
    });
    service.clock.pass(hourMs - 1_501);
    await expect(ours.create()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
    service.clock.pass(1);
    expect((await ours.create()).status).toBe('PENDING');
  });

  test('is validated before upstream is called', async () => {
    const wrong = { ...draft(), components: [{ type: 'FOOTER' as const, text: 'Bye' }] };
    const call = service.features.createTemplate(ours.tenant, ours.channel.id, wrong);
    expect((await refusalOf(call)).status).toBe(422);
    expect(service.upstreamTemplates.asked).toEqual([]);
  });

  test('needs an active chatapp channel with a licence', async () => {
    const page = await connectedChannel(service, ours.tenant, 'pagechat');
    expect(await refusalOf(ours.create({}, page))).toMatchObject({
      status: 400,
      detail: { code: 'wrong_channel_type', channel_type: 'pagechat' },
    });
    await service.features.updateSubscription(ours.tenant.subscriptionId, { status: 'canceled' });
    expect((await refusalOf(ours.create())).status).toBe(402);
    await service.features.deactivateChannel(ours.tenant, ours.channel.id);
    expect(await refusalOf(ours.create())).toEqual({
      status: 400,
      detail: 'The channel is inactive; connect it again to use it',
    });
  });

  test('that upstream refuses, or does not answer for, causes a synchronization; one for which it is too busy does not', async () => {
    const [, before] = [await ours.listed(), await ours.dueAt()];
    service.clock.pass(1);
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    expect((await refusalOf(ours.create())).status).toBe(429);
    expect(await ours.dueAt()).toBe(before);
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'bad words' });
    expect((await refusalOf(ours.create())).status).toBe(400);
    expect(await ours.dueAt()).toBe(service.clock.now());
  });

  test('that a failing store leaves unknown is synchronized in a minute', async () => {
    await ours.listed();
    const gone = new StoreUnavailable('away');
    service.upstreamTemplates.failure = gone;
    await expect(ours.create()).rejects.toBe(gone);
    expect(await ours.dueAt()).toBe(service.clock.now() + 60_000);
  });

  test('for which upstream is too busy does not count', async () => {
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    for (let n = 0; n < 100; n += 1) await refusalOf(ours.create());
    service.upstreamTemplates.failure = null;
    expect((await ours.create()).status).toBe('PENDING');
  });
});

describe('an edited template', () => {
  test('is in review again, with its new text, and is read as it was answered', async () => {
    const first = await ours.theFirst({ rejectedReason: 'INVALID', quality: 'GREEN' });
    service.clock.pass(5);
    const edited = await ours.edit(first.id);
    expect(edited).toEqual({
      ...first,
      status: 'PENDING',
      components: [{ type: 'BODY', text: 'Ready now.' }],
      rejectedReason: null,
    });
    expect(await service.features.readTemplate(ours.tenant, ours.channel.id, first.id)).toEqual(edited);
    expect(service.upstreamTemplates.asked).toEqual(['edit 10']);
  });

  test('that is approved can be edited once a day', async () => {
    const { id } = await ours.theFirst();
    const since = service.clock.now();
    await ours.edit(id);
    await ours.listed({ components: [] });
    service.clock.pass(dayMs - 2);
    await expect(ours.edit(id)).rejects.toMatchObject({
      status: 429,
      detail: `Upstream lets an approved template be edited once in 24 hours and 10 times in 30 days; this template can be edited again at ${toIso(since + dayMs)}`,
    });
    service.clock.pass(1);
    expect((await ours.edit(id)).status).toBe('PENDING');
  });

  test.each(['REJECTED', 'PAUSED'])('that is %s can be edited without limit', async (status) => {
    for (const text of ['One.', 'Two.', 'Three.']) {
      const { id } = await ours.theFirst({ status });
      expect((await ours.edit(id, { text })).components).toEqual([{ type: 'BODY', text }]);
    }
  });

  test('can change its category if it was rejected; its present category is no change', async () => {
    const { id } = await ours.theFirst({ status: 'REJECTED' });
    service.upstreamTemplates.edits.length = 0;
    expect((await ours.edit(id, { category: 'MARKETING' })).category).toBe('MARKETING');
    const approved = await ours.theFirst();
    expect((await ours.edit(approved.id, { category: 'UTILITY' })).category).toBe('UTILITY');
    const components = [{ type: 'BODY', text: 'Ready now.' }];
    expect(service.upstreamTemplates.edits).toEqual([
      { components, category: 'MARKETING' },
      { components, category: null },
    ]);
    const again = await ours.theFirst();
    expect(await refusalOf(ours.edit(again.id, { category: 'MARKETING' }))).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'category'],
          msg: 'Value error, the category of a template with status APPROVED cannot change; only the category of REJECTED and PAUSED templates can',
          type: 'value_error',
        },
      ],
    });
  });

  test('that is in review cannot be edited', async () => {
    const { id } = await ours.theFirst({ status: 'PENDING' });
    expect(await refusalOf(ours.edit(id))).toEqual({
      status: 400,
      detail:
        'A template with status PENDING cannot be edited; only APPROVED, REJECTED and PAUSED templates can',
    });
  });

  test('that upstream approved without our hearing of it is edited; upstream is asked only once in a while', async () => {
    const { id } = await ours.theFirst({ status: 'PENDING' });
    ours.upstreamHas(upstreamTemplate());
    expect((await refusalOf(ours.edit(id))).status).toBe(400);
    service.clock.pass(30_000);
    expect((await ours.edit(id)).components).toEqual([{ type: 'BODY', text: 'Ready now.' }]);
    expect(service.upstreamTemplates.asked).toEqual(['list', 'edit 10']);
  });

  test('that upstream paused without our hearing of it can change its category', async () => {
    const { id } = await ours.theFirst();
    ours.upstreamHas(upstreamTemplate({ status: 'PAUSED' }));
    service.clock.pass(30_000);
    expect((await ours.edit(id, { category: 'MARKETING' })).category).toBe('MARKETING');
  });

  test('that is in review as far as we know is refused as it is while upstream is down', async () => {
    const { id } = await ours.theFirst({ status: 'PENDING' });
    service.clock.pass(30_000);
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'down' });
    expect(await refusalOf(ours.edit(id))).toEqual({
      status: 400,
      detail: expect.stringContaining('PENDING'),
    });
  });

  test('that upstream deleted without our hearing of it is 404', async () => {
    const { id } = await ours.theFirst({ status: 'PENDING' });
    ours.upstreamHas();
    service.clock.pass(30_000);
    expect((await refusalOf(ours.edit(id))).status).toBe(404);
  });

  test('is no longer sent with its old text, on this node at once', async () => {
    const { id } = await ours.theFirst();
    const command = { channelId: ours.channel.id, recipient: '4915900000777', idempotencyKey: null };
    const asked = { ...command, name: 'order_ready', language: 'de', variables: null };
    expect((await service.features.sendTemplate(ours.tenant, asked)).status).toBe('sent');
    await ours.edit(id);
    expect((await refusalOf(service.features.sendTemplate(ours.tenant, asked))).status).toBe(400);
  });

  test('that is unknown is 404, like a read or deleted one', async () => {
    const none = { status: 404, detail: 'Template not found' };
    const read = service.features.readTemplate(ours.tenant, ours.channel.id, newId());
    for (const call of [ours.edit(newId()), ours.remove(newId()), read])
      expect(await refusalOf(call)).toEqual(none);
  });
});

test('each change of a template has an audit entry without its text', async () => {
  const { id } = await ours.create();
  await ours.listed({ upstreamId: (await ours.known())[0]?.upstreamId ?? '' });
  await ours.edit(id, { text: 'Secret words.' });
  await ours.remove(id);
  const { items } = await service.features.listAudit({ accountId: ours.tenant.accountId }, everything);
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
