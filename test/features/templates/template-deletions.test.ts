/** [spec: Limits; operator-interface §4] Deleting templates, blocked names, and what is forgotten later. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { fault } from '../../../src/kernel/faults.ts';
import { limitKeys } from '../../../src/rules/templates/limits.ts';
import { toIso, dayMs, hourMs } from '../../../src/kernel/clock.ts';
import { receivePost } from '../support/posts.ts';
import { refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { templateTenant } from '../support/templates.ts';
import type { TemplateTenant } from '../support/templates.ts';

const service = sharedService();
let ours: TemplateTenant;
beforeEach(async () => {
  ours = await templateTenant(service);
});

describe('a deleted template', () => {
  test('is gone in its language only, which is blocked for thirty days if it was approved', async () => {
    const german = (await ours.listed({}, { language: 'fr' })).find(({ language }) => language === 'de');
    const since = service.clock.now();
    await ours.remove(german?.id ?? '');
    expect(service.upstreamTemplates.asked).toEqual(['remove order_ready 10']);
    expect((await ours.known()).map(({ language }) => language)).toEqual(['fr']);
    expect(await refusalOf(ours.create())).toEqual({
      status: 400,
      detail: `The name order_ready belonged to an approved template that was deleted; it can be used again at ${toIso(since + 30 * dayMs)}`,
    });
    expect((await ours.create({ language: 'es' })).status).toBe('PENDING');
    service.clock.pass(30 * dayMs - 1);
    expect((await refusalOf(ours.create())).status).toBe(400);
    service.clock.pass(1);
    expect((await ours.create()).status).toBe('PENDING');
  });

  test('that is the last of its name blocks the name', async () => {
    const { id } = await ours.theFirst();
    await ours.remove(id);
    expect((await refusalOf(ours.create({ language: 'es' }))).status).toBe(400);
    expect((await ours.create({ name: 'order_late' })).status).toBe('PENDING');
  });

  test('that is the last of its name blocks the name for an approved one that was deleted before', async () => {
    const listed = await ours.listed({ language: 'de' }, { language: 'fr', status: 'REJECTED' });
    const german = listed.find(({ language }) => language === 'de');
    const french = listed.find(({ language }) => language === 'fr');
    const since = service.clock.now();
    await ours.remove(german?.id ?? '');
    const spanish = await ours.create({ language: 'es' });
    service.clock.pass(dayMs);
    await ours.remove(french?.id ?? '');
    await ours.remove(spanish.id);
    expect(await refusalOf(ours.create({ language: 'it' }))).toEqual({
      status: 400,
      detail: `The name order_ready belonged to an approved template that was deleted; it can be used again at ${toIso(since + 30 * dayMs)}`,
    });
    service.clock.pass(29 * dayMs);
    expect((await ours.create({ language: 'it' })).status).toBe('PENDING');
  });

  test('blocks the name if it and the other last one are deleted at once', async () => {
    const listed = await ours.listed({ language: 'de' }, { language: 'fr' });
    await Promise.all(listed.map(({ id }) => ours.remove(id)));
    expect(await ours.known()).toEqual([]);
    expect((await refusalOf(ours.create({ language: 'es' }))).status).toBe(400);
  });

  test('in all languages is gone in each', async () => {
    const [german] = await ours.listed({ language: 'de' }, { language: 'fr', status: 'REJECTED' });
    await ours.remove(german?.id ?? '', true);
    expect(service.upstreamTemplates.asked).toEqual(['remove order_ready everywhere']);
    expect(await ours.known()).toEqual([]);
    expect((await refusalOf(ours.create({ language: 'es' }))).status).toBe(400);
  });

  test('that was never approved blocks nothing', async () => {
    const { id } = await ours.theFirst({ status: 'REJECTED' });
    await ours.remove(id);
    expect((await ours.create()).status).toBe('PENDING');
  });

  test('stays if upstream does not delete it', async () => {
    const { id } = await ours.theFirst();
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'down' });
    expect((await refusalOf(ours.remove(id))).status).toBe(502);
    service.upstreamTemplates.failure = fault('upstream_refused', { why: 'no' });
    expect((await refusalOf(ours.remove(id))).status).toBe(400);
    expect((await ours.known()).map((each) => each.id)).toEqual([id]);
  });

  test('cannot be sent any more, on this node at once', async () => {
    const { id } = await ours.theFirst();
    const command = { channelId: ours.channel.id, recipient: '4915900000777', idempotencyKey: null };
    const asked = { ...command, name: 'order_ready', language: 'de', variables: null };
    await service.features.sendTemplate(ours.tenant, asked);
    await ours.remove(id);
    expect((await refusalOf(service.features.sendTemplate(ours.tenant, asked))).status).toBe(404);
  });
});

describe('what is forgotten once nothing needs it', () => {
  test('includes uses of a limit, at the end of the longest window', async () => {
    const { id } = await ours.theFirst();
    await ours.remove(id);
    service.clock.pass(30 * dayMs - 1);
    await service.features.dropOldTemplates();
    expect((await refusalOf(ours.create())).status).toBe(400);
    service.clock.pass(2);
    await service.features.dropOldTemplates();
    const key = limitKeys.name(ours.owner.businessAccountId, 'order_ready');
    expect(await service.stores.templateLimits.lastUse(key)).toBeNull();
  });

  test('includes the deletion of a template, after an hour: until then a webhook about it causes no synchronization', async () => {
    const { id } = await ours.theFirst();
    const tomorrow = await ours.dueAt();
    await ours.remove(id);
    const dueAfterFact = async () => {
      await service.features.dropOldTemplates();
      const of = { businessAccountId: ours.owner.businessAccountId, templateId: '10', at: 5 };
      await receivePost(service, [{ kind: 'template', ...of, change: { quality: 'RED' } }]);
      return ours.dueAt();
    };
    service.clock.pass(hourMs);
    expect(await dueAfterFact()).toBe(tomorrow);
    service.clock.pass(1);
    expect(await dueAfterFact()).toBe(service.clock.now());
  });
});
