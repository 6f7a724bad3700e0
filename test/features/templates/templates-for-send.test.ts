import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Upstream } from '../../../src/rules/outside.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import { fillingTemplates } from '../../../src/app/fill-templates.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { templateForSend } from '../../../src/features/templates/for-send.ts';
import type { SendTemplates } from '../../../src/features/templates/for-send.ts';
import { toTemplateOwner } from '../../../src/rules/templates/owner.ts';
import { forgetForSend, TemplateCache } from '../../../src/features/templates/template-cache.ts';
import { CoalescedRuns } from '../../../src/kernel/single-flight.ts';
import { makeLog } from '../../../src/kernel/log.ts';
import { connected, connectedChannel, newIdentity, newTenant, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { assetOf } from '../support/outside.ts';

const service = sharedService();
let channel: Channel;
let deps: SendTemplates;
beforeEach(async () => {
  service.upstreamTemplates.failure = null;
  service.upstreamTemplates.asked.length = 0;
  ({ channel } = await connected(service, await newTenant(service), assetOf('chatapp', newIdentity())));
  const { stores, clock, upstreamTemplates } = service;
  const templateCache = new TemplateCache(clock);
  const upstreamUnder = () => service;
  const templateSyncs = new CoalescedRuns();
  const log = makeLog('info', { write: (line) => void service.told.push(JSON.parse(line)) });
  deps = { stores, clock, upstreamTemplates, upstreamUnder, log, templateCache, templateSyncs };
});

const wanted = { name: 'welcome', language: 'de' };
const find = (over: Partial<typeof wanted> = {}) => templateForSend(deps, channel, { ...wanted, ...over });

function upstreamHas(status: string): void {
  const template = {
    ...wanted, upstreamId: '1', category: 'UTILITY', status, components: [], parameterFormat: 'positional',
    quality: null, rejectedReason: null,
  } as const; // oxfmt-ignore
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

  test('is cached for a second after it was found, by its exact name and language', async () => {
    upstreamHas('APPROVED');
    const found = await find();
    expect(await find()).toBe(found); // each look-up makes an object of its own
    for (const over of [{ language: 'fr' }, { name: 'welcome de', language: '' }])
      expect(await refusalOf(find(over))).toMatchObject({ status: 404 });
    service.clock.pass(1_000);
    expect(await find()).not.toBe(found);
  });

  test('is looked up once for all concurrent sends', async () => {
    upstreamHas('APPROVED');
    await find();
    service.clock.pass(1_000);
    const found = await Promise.all(Array.from({ length: 100 }, () => find()));
    expect(new Set(found).size).toBe(1); // each look-up makes an object of its own
  });

  test('that was changed on this node is looked up again, and its earlier version is not cached', async () => {
    upstreamHas('APPROVED');
    await find();
    service.clock.pass(1_000);
    const before = find();
    forgetForSend(deps, toTemplateOwner(channel), wanted);
    const after = find();
    expect(await before).not.toBe(await after);
    expect(await find()).toBe(await after);
  });

  test('that was changed during a look-up is the new version, also if that look-up ends last', async () => {
    upstreamHas('APPROVED');
    await find();
    service.clock.pass(1_000);
    const { templates } = service.stores;
    const read = await templates.byName(toTemplateOwner(channel), wanted.name);
    let answer = (): void => undefined;
    const slow = new Promise<typeof read>((resolve) => {
      answer = () => resolve(read);
    });
    deps.stores = { ...service.stores, templates: { ...templates, byName: () => slow } };
    const before = find();
    deps.stores = service.stores;
    forgetForSend(deps, toTemplateOwner(channel), wanted);
    const after = await find();
    answer();
    await before;
    expect(await find()).toBe(after);
  });

  test('that does not exist in that language is 404, and upstream is asked for it at most once in 30 seconds', async () => {
    upstreamHas('APPROVED');
    for (let tries = 0; tries < 5; tries += 1) {
      expect(await refusalOf(find({ language: 'fr' }))).toEqual({
        status: 404,
        detail: 'Template not found: there is one of this name in de',
      });
    }
    expect(service.upstreamTemplates.asked).toEqual(['list']);
    service.clock.pass(30_000);
    await refusalOf(find({ name: 'other' }));
    expect(service.upstreamTemplates.asked).toEqual(['list', 'list']);
  });

  test.each(['PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'A_WORD_OF_TOMORROW'])(
    'with status %s is refused with a 400 that names the status',
    async (status) => {
      upstreamHas(status);
      expect(await refusalOf(find())).toEqual({ status: 400, detail: expect.stringContaining(status) });
    },
  );

  test('that upstream has approved without a webhook is found after 30 seconds', async () => {
    upstreamHas('PENDING');
    await refusalOf(find());
    upstreamHas('APPROVED');
    service.clock.pass(30_000);
    expect((await find()).status).toBe('APPROVED');
  });

  test('is the stored one while upstream is down; an unknown one is then 502', async () => {
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

  test('whose stored status is not approved is refused while upstream is down, and the log says why', async () => {
    upstreamHas('PAUSED');
    await refusalOf(find());
    service.clock.pass(30_000);
    service.upstreamTemplates.failure = fault('upstream_busy', { why: 'too many' });
    service.told.length = 0;
    const requestId = 'r-1';
    expect(await refusalOf(templateForSend(deps, channel, { ...wanted, requestId }))).toEqual({
      status: 400,
      detail: expect.stringContaining('PAUSED'),
    });
    expect(service.told).toMatchObject([
      { msg: 'templates.not-synced', channel: channel.id, code: 'upstream_busy', request_id: requestId },
    ]);
    const gone = new StoreUnavailable('away');
    service.upstreamTemplates.failure = gone;
    await expect(find()).rejects.toBe(gone);
  });

  test('of a business account whose list was never read is read from upstream', async () => {
    channel = { ...channel, subscribedAsset: newIdentity() };
    upstreamHas('APPROVED');
    expect((await find()).status).toBe('APPROVED');
  });

  test('of a channel that is not chatapp is refused', async () => {
    const page = await connectedChannel(service, await newTenant(service), 'pagechat');
    expect(await refusalOf(templateForSend(deps, page, wanted))).toMatchObject({
      status: 400,
      detail: { code: 'wrong_channel_type' },
    });
  });
});

describe('a template that was not known when it was sent', () => {
  const content = { type: 'template' as const, template: { ...wanted, variables: null } };
  const accepted = { outcome: 'accepted' as const, upstreamId: 'u-1' };
  const sent: Content[] = [];
  const upstream: Upstream = {
    async send(call) {
      sent.push(call.content);
      return accepted;
    },
  };
  const send = () => {
    const call = { channel, messageId: 'm-1', recipient: '4915900000777', content, timeoutMs: 5_000 };
    return fillingTemplates(upstream, { ...deps, settings: { allowInsecure: false, ownHosts: [] } }).send(
      call,
    );
  };
  beforeEach(() => {
    sent.length = 0;
  });

  test('is filled right before its call', async () => {
    upstreamHas('APPROVED');
    expect(await send()).toEqual(accepted);
    const filled = { ...wanted, header: [], body: [], buttons: [] };
    expect(sent).toEqual([{ type: 'template', template: filled }]);
  });

  test.each([
    ['upstream_failed', {}, { outcome: 'deferred', errorCode: null, pause: 'none' }],
    ['upstream_busy', { upstreamCode: 80008 }, { outcome: 'deferred', errorCode: 80008, pause: 'none' }],
    ['upstream_refused', { upstreamCode: 190 }, { outcome: 'refused', errorCode: 190 }],
    ['upstream_refused', { upstreamCode: '190' }, { outcome: 'refused', errorCode: null }],
  ] as const)(
    'has the outcome of its look-up if upstream refuses that (%s, %j)',
    async (code, details, outcome) => {
      service.upstreamTemplates.failure = fault(code, { why: 'so', ...details });
      expect(await send()).toEqual({ ...outcome, error: expect.any(String) });
      expect(sent).toEqual([]);
    },
  );
});
