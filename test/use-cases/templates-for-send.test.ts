import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { fault } from '../../src/kernel/faults.ts';
import { forgetForSend, templateForSend } from '../../src/use-cases/templates/for-send.ts';
import type { SendTemplates } from '../../src/use-cases/templates/for-send.ts';
import { toTemplateOwner } from '../../src/use-cases/templates/find.ts';
import { TemplateCache } from '../../src/use-cases/templates/template-cache.ts';
import { SharedWork } from '../../src/use-cases/templates/shared-work.ts';
import { silentLog } from '../../src/kernel/log.ts';
import {
  connected,
  connectedChannel,
  newIdentity,
  newTenant,
  openService,
  refusalOf,
} from './support/service.ts';
import type { Service } from './support/service.ts';
import { assetOf } from './support/outside.ts';

let service: Service;
let channel: Channel;
let deps: SendTemplates;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());
beforeEach(async () => {
  service.upstreamTemplates.failure = null;
  service.upstreamTemplates.asked.length = 0;
  ({ channel } = await connected(service, await newTenant(service), assetOf('chatapp', newIdentity())));
  const { stores, clock, upstreamTemplates } = service;
  const templateCache = new TemplateCache(clock);
  const upstreamUnder = () => service;
  const templateSyncs = new SharedWork();
  deps = { stores, clock, upstreamTemplates, upstreamUnder, log: silentLog, templateCache, templateSyncs };
});

const wanted = { name: 'welcome', language: 'de' };
const find = (over: Partial<typeof wanted> = {}) => templateForSend(deps, channel, { ...wanted, ...over });

function upstreamHas(status: string): void {
  const template = {
    ...wanted, upstreamId: '1', category: 'UTILITY', status, components: [], parameterFormat: 'positional',
    quality: null, rejectedReason: null,
  } as const; // prettier-ignore
  service.upstreamTemplates.listed.set(channel.subscribedAsset ?? '', [template]);
}

describe('the template of a send [spec: Template status]', () => {
  test('of a channel that has never listed its templates is read from upstream', async () => {
    upstreamHas('APPROVED');
    expect(await find()).toMatchObject({ ...wanted, status: 'APPROVED' });
    await find();
    service.clock.pass(60_000);
    await find();
    expect(service.upstreamTemplates.asked).toEqual(['list']);
  });

  test('is known at once for a second after it was found, by its exact name and language', async () => {
    upstreamHas('APPROVED');
    const found = await find();
    expect(await find()).toBe(found); // each look-up makes an object of its own
    for (const over of [{ language: 'fr' }, { name: 'welcome de', language: '' }])
      expect(await refusalOf(find(over))).toMatchObject({ status: 404 });
    service.clock.pass(1_000);
    expect(await find()).not.toBe(found);
  });

  test('is looked up once for all sends under way', async () => {
    upstreamHas('APPROVED');
    await find();
    service.clock.pass(1_000);
    const found = await Promise.all(Array.from({ length: 100 }, () => find()));
    expect(new Set(found).size).toBe(1); // each look-up makes an object of its own
  });

  test('that was changed on this node is looked up anew, and not remembered as it was found before', async () => {
    upstreamHas('APPROVED');
    await find();
    service.clock.pass(1_000);
    const before = find();
    forgetForSend(deps, toTemplateOwner(channel), wanted);
    const after = find();
    expect(await before).not.toBe(await after);
    expect(await find()).toBe(await after);
  });

  test('that nobody knows, in that language, is 404; upstream is asked again only once in a while', async () => {
    upstreamHas('APPROVED');
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await refusalOf(find({ language: 'fr' }))).toEqual({
        status: 404,
        detail: 'Template not found',
      });
    }
    expect(service.upstreamTemplates.asked).toEqual(['list']);
    service.clock.pass(30_000);
    await refusalOf(find({ name: 'other' }));
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
  });

  test.each(['PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'A_WORD_OF_TOMORROW'])(
    'with status %s is refused with 400 that names it',
    async (status) => {
      upstreamHas(status);
      expect(await refusalOf(find())).toEqual({ status: 400, detail: expect.stringContaining(status) });
    },
  );

  test('that was approved a moment ago without our hearing of it is found', async () => {
    upstreamHas('PENDING');
    await refusalOf(find());
    upstreamHas('APPROVED');
    service.clock.pass(30_000);
    expect((await find()).status).toBe('APPROVED');
  });

  test('is the stored one while upstream is down; one that is not known is not there to be told', async () => {
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'down' });
    expect((await refusalOf(find())).status).toBe(502);
    service.upstreamTemplates.failure = null;
    upstreamHas('APPROVED');
    await find();
    service.upstreamTemplates.failure = fault('upstream_failed', { why: 'down' });
    service.clock.pass(60_000);
    expect((await find()).status).toBe('APPROVED');
    expect((await refusalOf(find({ name: 'other' }))).status).toBe(502);
  });

  test('of a channel that is no chatapp is refused', async () => {
    const page = await connectedChannel(service, await newTenant(service), 'pagechat');
    expect(await refusalOf(templateForSend(deps, page, wanted))).toMatchObject({
      status: 400,
      detail: { code: 'wrong_channel_type' },
    });
  });
});
