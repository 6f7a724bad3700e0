/** [spec: Sending messages] What a channel's owner is asked for files and templates, and what is refused before that. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { SendAnswer } from '../../../src/features/messages/types.ts';
import type { UpstreamTemplate } from '../../../src/upstream/template-calls.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  service.upstreamTemplates.failure = null;
});

type Media = Parameters<Service['features']['sendMedia']>[1];
type Template = Parameters<Service['features']['sendTemplate']>[1];

const to = (of: Channel) => ({ channelId: of.id, recipient: '4915900000777', idempotencyKey: null });
const source = { url: 'https://files.example.com/a.pdf' };
const shown = { mediaType: 'document', caption: 'Yours', filename: 'a.pdf' } as const;
const file = { ...shown, ...source };
const sendMedia = (over: Partial<Media> = {}, of = channel): Promise<SendAnswer> =>
  service.features.sendMedia(tenant, { ...to(of), ...shown, source, ...over });
const sendTemplate = (over: Partial<Template> = {}, of = channel): Promise<SendAnswer> =>
  service.features.sendTemplate(tenant, {
    ...to(of),
    name: 'order_ready',
    language: 'de',
    variables: { body: ['Ada'] },
    ...over,
  });

/** The sends that the owners of these channels were asked for. */
const asksOf = ({ id }: Channel = channel) =>
  service.router.asked.flatMap(({ channelId, ask }) =>
    channelId === id && ask.type === 'send' ? [ask] : [],
  );

function upstreamHas(over: Partial<UpstreamTemplate> = {}): void {
  const template: UpstreamTemplate = {
    upstreamId: '1',
    name: 'order_ready',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Hello {{1}}.' }],
    parameterFormat: 'positional',
    quality: null,
    rejectedReason: null,
    ...over,
  };
  service.upstreamTemplates.listed.set(channel.subscribedAsset ?? '', [template]);
}

describe('every send', () => {
  test('of a suspended account is 402, and no owner is asked', async () => {
    await sendMedia();
    await service.features.suspendAccount(tenant.accountId, { suspended: true });
    expect(await refusalOf(sendMedia())).toEqual({
      status: 402,
      detail:
        'The account is suspended and cannot send messages. Events are still delivered. Ask the operator of this service',
    });
    await service.features.suspendAccount(tenant.accountId, { suspended: false });
    expect((await sendMedia()).status).toBe('sent');
    expect(asksOf()).toHaveLength(2);
  });

  test('still works while the store is down, for an account that sent a moment ago', async () => {
    await sendMedia();
    const { accounts } = service.stores;
    const byId = accounts.byId.bind(accounts);
    accounts.byId = () => Promise.reject(new StoreUnavailable('away'));
    try {
      expect((await sendMedia()).status).toBe('sent');
    } finally {
      accounts.byId = byId;
    }
  });

  test('has the id of its request', async () => {
    await sendMedia({ requestId: 'r-1' });
    expect(asksOf().map(({ requestId }) => requestId)).toEqual(['r-1']);
  });
});

describe('a file', () => {
  test('is passed on as given', async () => {
    const { messageId } = await sendMedia();
    expect(asksOf()).toEqual([
      { type: 'send', messageId, recipient: '4915900000777', content: { type: 'media', ...file } },
    ]);
  });

  test('has no caption if the channel type has none', async () => {
    const page = await connectedChannel(service, tenant, 'pagechat');
    await sendMedia({ recipient: '24681357' }, page);
    expect(asksOf(page).map(({ content }) => content)).toEqual([
      { type: 'media', ...file, caption: null, filename: null },
    ]);
  });

  test('needs the pro tier, while a text does not', async () => {
    await service.features.updateSubscription(tenant.subscriptionId, { tier: 'starter' });
    expect(await refusalOf(sendMedia())).toEqual({
      status: 402,
      detail: "This operation needs the pro tier; the channel's licence is starter",
    });
    expect((await service.features.sendText(tenant, { ...to(channel), text: 'hello' })).status).toBe('sent');
  });

  test.each<Partial<Media>>([
    { mediaType: 'image' },
    { source: { url: 'https://files.example.com/b.pdf' } },
    { caption: null },
    { filename: 'b.pdf' },
  ])('with a used Idempotency-Key is another body if it differs in %j', async (other) => {
    const first = await sendMedia({ idempotencyKey: 'a' });
    expect(await sendMedia({ idempotencyKey: 'a' })).toEqual(first);
    expect((await refusalOf(sendMedia({ ...other, idempotencyKey: 'a' }))).status).toBe(409);
  });
});

describe('a template', () => {
  test('is passed on with its variables filled in', async () => {
    upstreamHas();
    await sendTemplate();
    const body = [{ type: 'text', name: null, text: 'Ada' }];
    expect(asksOf().map(({ content }) => content)).toStrictEqual([
      { type: 'template', template: { name: 'order_ready', language: 'de', header: [], body, buttons: [] } },
    ]);
  });

  test.each(['upstream_failed', 'upstream_refused', 'upstream_busy'] as const)(
    'that upstream does not return (%s) is passed to the owner, which looks it up',
    async (code) => {
      service.upstreamTemplates.failure = fault(code);
      await sendTemplate();
      await sendTemplate({ variables: null });
      const asked = { name: 'order_ready', language: 'de' };
      expect(asksOf().map(({ content }) => content)).toEqual([
        { type: 'template', template: { ...asked, variables: { body: ['Ada'] } } },
        { type: 'template', template: { ...asked, variables: null } },
      ]);
    },
  );

  test('unknown upstream is 404; one that is not approved, or not filled in, is refused', async () => {
    upstreamHas({ name: 'another' });
    expect((await refusalOf(sendTemplate())).status).toBe(404);
    service.clock.pass(30_000);
    upstreamHas({ status: 'PAUSED' });
    expect((await refusalOf(sendTemplate())).status).toBe(400);
    service.clock.pass(30_000);
    upstreamHas();
    expect(await refusalOf(sendTemplate({ variables: null }))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'variables', 'body', 0] }],
    });
    expect(asksOf()).toEqual([]);
  });

  test('is 503 while the store is down', async () => {
    const { templates } = service.stores;
    const gone = new StoreUnavailable('away');
    service.stores.templates = { ...templates, byName: () => Promise.reject(gone) };
    try {
      await expect(sendTemplate()).rejects.toBe(gone);
    } finally {
      service.stores.templates = templates;
    }
  });

  test('whose header is a file that upstream could not fetch is refused', async () => {
    const components = [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Ready.' },
    ] as const;
    upstreamHas({ components: [...components] });
    const header = ['https://trunkline.example/api/v1/media/1'];
    expect(await refusalOf(sendTemplate({ variables: { header } }))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'variables', 'header', 0], msg: expect.stringMatching(/^Value error, ./) }],
    });
    await sendTemplate({ variables: { header: ['https://files.example.com/a.png'] } });
    expect(asksOf().map(({ content }) => content)).toMatchObject([
      { template: { header: [{ type: 'image', link: 'https://files.example.com/a.png' }], body: [] } },
    ]);
  });

  test('can be sent through chatapp only, whatever the licence', async () => {
    const page = await connectedChannel(service, tenant, 'pagechat');
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'expired' });
    await service.features.deactivateChannel(tenant, page.id);
    expect(await refusalOf(sendTemplate({}, page))).toMatchObject({
      status: 400,
      detail: { code: 'wrong_channel_type', channel_type: 'pagechat' },
    });
  });

  test.each<Partial<Template>>([
    { name: 'order_late' },
    { language: 'fr' },
    { variables: { body: ['Eve'] } },
    { variables: null },
  ])('with a used Idempotency-Key is another body if it differs in %j', async (other) => {
    upstreamHas();
    const first = await sendTemplate({ idempotencyKey: 'a' });
    expect(await sendTemplate({ idempotencyKey: 'a' })).toEqual(first);
    expect((await refusalOf(sendTemplate({ ...other, idempotencyKey: 'a' }))).status).toBe(409);
  });
});
