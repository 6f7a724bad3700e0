/** The entry points of a whole service: upstream's webhooks, the API, HTTP itself, the payment provider's events. */
import { createHmac } from 'node:crypto';
import net from 'node:net';
import { Stripe } from 'stripe';
import type { Route } from '../../../src/http/route.ts';
import { routeTable } from '../../support/routes.ts';
import { postOf, samples } from '../../upstream/inbound-samples.ts';
import type { Target } from '../target.ts';
import { appSecret, billingSecret, checkStatus, openAttacked, tidied } from './attacked.ts';

/** Inputs have `<channel>` for the channel's id in this run, and so on, so that they work in the next run too. */
function naming(names: Readonly<Record<string, string>>): (input: Buffer) => Buffer {
  return (input) => {
    let text = input.toString('latin1');
    for (const [name, id] of Object.entries(names)) text = text.replaceAll(`<${name}>`, id);
    return Buffer.from(text, 'latin1');
  };
}

/** [upstream §1.5] Signed, as only upstream can. */
export async function openUpstream(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects } = attacked;
  return {
    seeds: samples.map((sample) => JSON.stringify(postOf(sample.type, [sample]))),
    maxBytes: 200_000,
    async run(input) {
      const signature = `sha256=${createHmac('sha256', appSecret).update(input).digest('hex')}`;
      const headers = { 'x-hub-signature-256': signature };
      const { status, text } = await world.service.call('POST', '/upstream/webhooks', {
        raw: input,
        headers,
      });
      checkStatus(status, text);
      defects.check();
      if (status !== 200 && status !== 503)
        throw new Error(`a signed post is answered ${status}: ${text.slice(0, 200)}`);
      return String(status);
    },
    tidy: () => tidied(attacked),
    close: () => attacked.close(),
  };
}

/** Bodies that would succeed, by the route's name; other routes start with an empty object. */
const bodies = (channel: string): Readonly<Record<string, unknown>> => ({
  sendText: { channel_id: channel, recipient: '4915900000777', text: 'hello' },
  sendMedia: {
    channel_id: channel,
    recipient: '4915900000777',
    media_type: 'image',
    media_url: 'https://cdn.example.com/a.jpg',
    caption: 'this one',
  },
  sendTemplate: {
    channel_id: channel,
    recipient: '4915900000777',
    template_name: 'order_ready',
    language: 'en_US',
    variables: { body: ['Mia', 'A-1007'], buttons: [{ index: 0, value: 'x' }] },
  },
  sendInteractive: {
    channel_id: channel,
    recipient: '4915900000777',
    interactive_type: 'list',
    text: 'Shall we?',
    button: 'Choose',
    sections: [{ title: 'Days', rows: [{ id: 'mo', title: 'Monday', description: 'from nine' }] }],
  },
  sendLocation: {
    channel_id: channel,
    recipient: '4915900000777',
    latitude: 53.5,
    longitude: 9.9,
    name: 'Harbour',
  },
  sendContacts: {
    channel_id: channel,
    recipient: '4915900000777',
    contacts: [{ name: 'Ada Harbour', phones: [{ phone: '+4915900000778', type: 'WORK' }] }],
  },
  sendReaction: { channel_id: channel, recipient: '4915900000777', message_id: '<account>', emoji: '👍' },
  addEndpoint: {
    url: 'https://hook.example.com/in',
    events: ['message.received'],
    headers: { 'X-Team': 'a' },
    secret: 'w'.repeat(40),
  },
  updateEndpoint: {
    url: 'https://hook.example.com/in',
    events: ['message.received'],
    headers: { 'X-Team': 'a' },
  },
  updateDefaultWebhook: { webhook_url: 'https://hook.example.com/in', webhook_events: ['message.received'] },
  updateChannel: {
    webhook_url: 'https://hook.example.com/in',
    webhook_events: ['message.received'],
    webhook_secret: 'w'.repeat(40),
    echo_statuses: true,
    failed_retention_days: 3,
  },
  replayDeliveries: { since: '2026-01-01T00:00:00Z', until: '2026-02-01T00:00:00Z' },
  createTemplate: {
    name: 'order_ready',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Dear {{1}}, {{2}}', example: { body_text: [['Mia', 'A']] } }],
  },
  updateTemplate: { components: [{ type: 'BODY', text: 'Ready.' }], category: 'MARKETING' },
  startSetup: { channel_type: 'pagechat', redirect_uri: 'https://app.example.com/done', channel_id: channel },
  exchangeCode: { code: 'a'.repeat(43), webhook_url: 'https://hook.example.com/in', webhook_events: [] },
  addRedirect: { uri_pattern: 'https://app.example.com/*' },
});

/** An input is a line with method, path and query, and a body. */
export async function openApi(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects, account, channels } = attacked;
  const named = naming({ channel: channels[0]?.id ?? '', account: account.accountId });
  const known = bodies('<channel>');
  const api = routeTable.filter((route) => route.audience === 'api' && route.name !== 'deactivateChannel');
  const queryOf = (route: Route): string =>
    (route.audience === 'open' ? [] : (route.parameters ?? [])).map(({ name }) => `${name}=1`).join('&');
  const seeds = api.map((route) => {
    const path = route.path.replaceAll('{channel_id}', '<channel>').replaceAll(/\{\w+\}/g, '<account>');
    return `${route.method.toUpperCase()} ${path}?${queryOf(route)}\n${JSON.stringify(known[route.name] ?? {})}`;
  });
  return {
    seeds,
    maxBytes: 100_000,
    async run(given) {
      const input = named(given);
      const end = input.indexOf('\n');
      const [, method = 'GET', path = '/'] =
        /^(GET|POST|PUT|PATCH|DELETE) (\S+)/.exec(input.subarray(0, end).toString()) ?? [];
      const target = `/${encodeURI(path)
        .replaceAll('%25', '%')
        .replace(/^[/\\]+/, '')}`;
      // Calls that would end the test's own access are left out.
      if (method === 'DELETE' && /^\/api\/v1\/channels\/[\w-]+\/?$/.test(target)) return 'passed over';
      const raw = method === 'GET' || end === -1 ? undefined : input.subarray(end + 1);
      const { status, text } = await world.service.call(method, target, {
        key: account.key,
        ...(raw === undefined ? {} : { raw }),
      });
      checkStatus(status, text);
      defects.check();
      const [, why = ''] = /"type":"(\w+)"|"code":"(\w+)"/.exec(text) ?? [];
      return `${method} ${status} ${why}`;
    },
    tidy: () => tidied(attacked),
    close: () => attacked.close(),
  };
}

/** Raw bytes on a connection: every answer must have an allowed status, and the service logs no error. */
export async function openFraming(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects, account } = attacked;
  const port = Number(new URL(world.service.url).port);
  const named = naming({ key: account.key });
  const body = '{"uri_pattern":"https://app.example.com/*"}';
  const head = (more: string): string =>
    `POST /api/v1/redirects HTTP/1.1\r\nHost: x\r\nX-API-Key: <key>\r\n${more}`;
  const json = 'Content-Type: application/json\r\n';
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
  return {
    seeds: [
      `${get}\r\n`,
      `${get}\r\n${get}\r\n`,
      `${head(json)}Content-Length: ${body.length}\r\n\r\n${body}${get}\r\n`,
      `${head(json)}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${get}\r\n`,
      `${head(json)}Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5;a=b\r\n{"a":\r\n2\r\n1}\r\n0\r\nX: 1\r\n\r\n`,
      `${head(`${json}Expect: 100-continue\r\n`)}Content-Length: 2\r\n\r\n{}`,
      `${get}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      'GET /live/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${'A'.repeat(22)}==\r\n\r\n`,
      'GET /live/socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: a\r\n\r\n',
      `GET /portal?a=1 HTTP/1.1\r\nHost: x\r\nCookie: trunkline_session=${'s'.repeat(43)}\r\nAccept: text/html\r\n\r\n`,
      `POST /portal/sign-in HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6\r\n\r\ncsrf=x`,
      `POST /upstream/webhooks HTTP/1.1\r\nHost: x\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\nContent-Length: 2\r\n\r\n{}`,
      'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
      'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
      'GET http://x/healthz HTTP/1.0\r\n\r\n',
    ],
    maxBytes: 60_000,
    async run(input) {
      const heard = await converse(port, named(input));
      const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      for (const status of statuses) checkStatus(status, heard);
      defects.check();
      return statuses.slice(0, 3).join();
    },
    close: () => attacked.close(),
  };
}

function converse(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => (heard += heard.length < 100_000 ? chunk.toString('latin1') : ''));
    // The connection is either answered, or the service waits for bytes that never arrive.
    socket.setTimeout(250, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
}

/** [operator-interface §3, Billing] Signed, as only the provider can. */
export async function openBilling(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects, account } = attacked;
  const named = naming({ account: account.accountId });
  const second = Math.floor(Date.now() / 1_000);
  const object = {
    id: 'sub_1',
    object: 'subscription',
    status: 'active',
    start_date: second,
    cancel_at_period_end: false,
    cancel_at: null,
    metadata: { account_id: '<account>' },
    items: { data: [{ current_period_end: second + 86_400, price: { lookup_key: 'pro_monthly' } }] },
  };
  const seeds = ['created', 'updated', 'deleted', 'paused'].map((change, n) =>
    JSON.stringify({
      id: `evt_${n}`,
      object: 'event',
      created: second + n,
      type: `customer.subscription.${change}`,
      data: { object },
    }),
  );
  return {
    seeds: [
      ...seeds,
      '{"object":"event","type":"invoice.paid","data":{"object":{}}}',
      '{"object":"v2.core.event"}',
    ],
    maxBytes: 50_000,
    async run(input) {
      const payload = named(input).toString();
      const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: billingSecret });
      const headers = { 'stripe-signature': signature };
      const { status, text } = await world.service.call('POST', '/billing/webhook', {
        raw: payload,
        headers,
      });
      checkStatus(status, text);
      defects.check();
      return String(status);
    },
    close: () => attacked.close(),
  };
}
