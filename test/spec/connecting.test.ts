/** [spec: Connecting a channel] The successful setup flow of the three channel types. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  endParameters,
  exchange,
  freshCode,
  home,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import type { Business } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { follow, newAccount } from '../support/world.ts';
import type { ChannelType } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld();
let business: Business;
let key: string;
beforeAll(async () => {
  ({ key } = await newAccount(world.service));
  business = await newBusiness(world.simulator);
  await allowRedirect(world.service, key);
});

const newId = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

/** The expected answer of exchange-code for the business's channel of a type, except for its id and webhook settings. */
function connectedAs(type: ChannelType): Record<string, unknown> {
  const { phones, pages, name } = business;
  const [phone, page] = [phones[0], pages[0]];
  const nothing = {
    phone_number_id: null,
    phone_number: null,
    photoapp_account_id: null,
    photoapp_username: null,
    page_id: null,
  };
  const own = {
    chatapp: { name, phone_number_id: phone?.id, phone_number: phone?.display },
    photoapp: {
      name: page?.photoapp_username,
      photoapp_account_id: page?.photoapp_account_id,
      photoapp_username: page?.photoapp_username,
      page_id: page?.id,
    },
    pagechat: { name: page?.name, page_id: page?.id },
  };
  return { channel_id: newId, channel_type: type, ...nothing, ...own[type] };
}

/** The id of the upstream object that has the webhook subscription. */
async function subscriptionsUpstream(): Promise<unknown> {
  const { businesses } = await world.simulator.control('world');
  const { waba_subscribed, pages } = businesses.find(
    ({ waba_id }: { waba_id: string }) => waba_id === business.wabaId,
  );
  return [waba_subscribed, pages[0].subscribed_fields !== null];
}

describe('setup-url', () => {
  test('answers the URL to open, its session and its expiry', async () => {
    const before = Date.now();
    const { status, body } = await setupUrl(world.service, key, 'photoapp');
    expect([status, body]).toEqual([
      200,
      {
        setup_url: `${world.service.url}/setup/${body.session_id}?token=${body.setup_url.split('token=')[1]}`,
        session_id: newId,
        expires_at: isoTime,
      },
    ]);
    expect(body.setup_url).toMatch(/token=[\w-]{43}$/);
    const lifeMs = Date.parse(body.expires_at) - before;
    expect(Math.abs(lifeMs - 1_800_000)).toBeLessThan(5_000);
  });

  const dialogs: [ChannelType, Record<string, string>][] = [
    ['chatapp', { config_id: 'example-signup-0001', override_default_response_type: 'true' }],
    ['photoapp', { auth_type: 'rerequest' }],
    ['pagechat', { auth_type: 'rerequest' }],
  ];
  test.each(dialogs)("the setup URL of %s leads to upstream's dialog", async (type, own) => {
    const { body } = await setupUrl(world.service, key, type);
    const answer = await call('GET', body.setup_url);
    const dialog = new URL(answer.headers.get('location') ?? '');
    const asked = Object.fromEntries(dialog.searchParams);
    expect([answer.status, dialog.origin, dialog.pathname]).toEqual([
      302,
      world.simulator.url,
      '/v25.0/dialog/oauth',
    ]);
    expect(asked).toMatchObject({
      ...own,
      client_id: '700100200300400',
      redirect_uri: `${world.service.url}/setup/callback`,
      response_type: 'code',
    });
    // The address contains the token: it must not be sent as a referrer, and the answer must not be cached.
    expect([answer.headers.get('referrer-policy'), answer.headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
  });
});

describe('the whole flow', () => {
  test.each(['chatapp', 'photoapp', 'pagechat'] as const)(
    '%s: the person returns to redirect_uri with a one-time code, which is exchanged for the channel',
    async (type) => {
      const asset = {
        chatapp: business.wabaId,
        photoapp: business.pages[0]?.id,
        pagechat: business.pages[0]?.id,
      };
      const end = await walkSetup(world, key, type, { assets: [asset[type] ?? ''] });
      expect([end.origin + end.pathname, endParameters(end)]).toEqual([
        home,
        { code: expect.stringMatching(/^[\w.-]+$/) },
      ]);
      const answer = await exchange(world.service, key, codeIn(end));
      expect([answer.status, answer.body]).toEqual([
        200,
        { ...connectedAs(type), webhook_url: null, webhook_secret: null, webhook_events: null },
      ]);
      const { body } = await world.service.call('GET', `/api/v1/channels/${answer.body.channel_id}`, { key });
      expect([body.is_active, body.webhook_events, body.has_webhook_secret]).toEqual([true, null, false]);
    },
  );

  test('upstream sends the events of the connected channels to the service', async () => {
    expect(await subscriptionsUpstream()).toEqual([true, true]);
  });

  test('redirect_uri keeps its own query', async () => {
    const { key: other } = await newAccount(world.service);
    await allowRedirect(world.service, other);
    const { pages } = await newBusiness(world.simulator);
    await world.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
    const mine = `${home}?shop=7&back=%2Fa%20b&state=mine`;
    const { body } = await setupUrl(world.service, other, 'pagechat', mine);
    const end = await follow(body.setup_url, home);
    expect(end.href.replace(codeIn(end), '<code>')).toBe(`${mine}&code=<code>#`);
  });
});

describe('webhook settings of exchange-code', () => {
  const receiver = 'https://hooks.example.com/in';
  const connected = async (settings: Record<string, unknown>): Promise<unknown> => {
    const { key: own, code } = await freshCode(world);
    const { status, body } = await exchange(world.service, own, code, settings);
    return [status, body.webhook_url, body.webhook_secret, body.webhook_events];
  };

  test('without webhook_secret, a webhook_url generates one, which is returned', async () => {
    const made = expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/);
    expect(await connected({ webhook_url: receiver })).toEqual([200, receiver, made, null]);
  });

  test('a given webhook_secret and given events are stored', async () => {
    const settings = {
      webhook_url: receiver,
      webhook_secret: 'sixteen-letters!',
      webhook_events: ['message.received', 'message.read'],
    };
    expect(await connected(settings)).toEqual([200, ...Object.values(settings)]);
  });

  test('null is the same as omitted', async () => {
    const settings = { webhook_url: null, webhook_secret: null, webhook_events: null };
    expect(await connected(settings)).toEqual([200, null, null, null]);
  });

  test('a request that is refused for its settings does not use up the code', async () => {
    const { key: own, code } = await freshCode(world);
    const wrong: [Record<string, unknown>, (string | number)[]][] = [
      [{ webhook_events: ['message.sent'] }, ['body', 'webhook_events', 0]],
      [{ webhook_url: 'ftp://hooks.example.com' }, ['body', 'webhook_url']],
      [{ webhook_secret: 's'.repeat(257) }, ['body', 'webhook_secret']],
    ];
    for (const [settings, loc] of wrong) {
      const { status, body } = await exchange(world.service, own, code, settings);
      expect([status, body]).toEqual([
        422,
        {
          detail: [
            { loc, msg: expect.any(String), type: expect.stringMatching(/^(value_error|string_too_long)$/) },
          ],
        },
      ]);
    }
    expect((await exchange(world.service, own, code)).status).toBe(200);
  });
});
