/** [spec: ChannelUpdateRequest: HTTPS, not loopback; operator-interface §4; faults 61, 90] Validation of webhook_url, with the settings of production. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { exchange } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, World } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld({ WEBHOOK_ALLOW_INSECURE: '0' });
let account: Account;
let channel: Channel;
beforeAll(async () => {
  account = await newAccount(world.service);
  channel = await world.connect(account, 'pagechat', { webhookUrl: null });
});

const patch = (webhook_url: unknown): Promise<Answer> =>
  world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: account.key, body: { webhook_url } });

const noHttps = 'must be an HTTPS URL';
const local = 'must not target a loopback, private or reserved address';
const noUrl = 'must be a valid absolute URL';
const odd = 'must not have spaces, control characters or backslashes';
const user = 'must not have a user name or password';

const refused: [url: string, why: string][] = [
  ['http://hooks.example.com/', noHttps],
  ['HTTP://hooks.example.com/', noHttps],
  ['ftp://hooks.example.com/', noHttps],
  ['file:///etc/passwd', noHttps],
  ['javascript:alert(1)', noHttps],
  ['ws://hooks.example.com/', noHttps],
  ['https://localhost/', local],
  ['https://LOCALHOST/', local],
  ['https://localhost./', local],
  ['https://hooks.localhost/', local],
  ['https://127.0.0.1/', local],
  ['https://127.0.0.1./', local],
  ['https://127.1/', local],
  ['https://2130706433/', local],
  ['https://0x7f.1/', local],
  ['https://0x7f000001/', local],
  ['https://0177.0.0.1/', local],
  ['https://１２７.０.０.１/', local],
  ['https://①②⑦.0.0.1/', local],
  ['https://127。0。0。1/', local],
  ['https://0/', local],
  ['https://0.0.0.0/', local],
  ['https://[::]/', local],
  ['https://[::1]/', local],
  ['https://[::ffff:127.0.0.1]/', local],
  ['https://[::ffff:7f00:1]/', local],
  ['https://[::7f00:1]/', local],
  ['https://[64:ff9b::7f00:1]/', local],
  ['https://[2002:7f00:1::]/', local],
  ['https://[fe80::1]/', local],
  ['https://[fc00::1]/', local],
  ['https://[ff02::1]/', local],
  ['https://10.0.0.1/', local],
  ['https://172.16.0.1/', local],
  ['https://192.168.1.1/', local],
  ['https://100.64.0.1/', local],
  ['https://169.254.169.254/latest/meta-data/', local],
  ['https://198.18.0.1/', local],
  ['https://224.0.0.1/', local],
  ['https://255.255.255.255/', local],
  ['https://router/', local],
  ['https://printer.local/', local],
  ['https://metadata.google.internal/', local],
  ['https://hooks..example.com/', local],
  ['https://user@hooks.example.com/', user],
  ['https://user:pass@hooks.example.com/', user],
  ['https://hooks.example.com@127.0.0.1/', user],
  ['https://hooks.exam\nple.com/', odd],
  ['https://hooks.example.com/\r\nX-Injected: 1', odd],
  [' https://hooks.example.com/', odd],
  ['https:\\\\hooks.example.com\\', odd],
  ['https://hooks.example.com/a b', odd],
  ['https:hooks.example.com', noUrl],
  ['https://', noUrl],
  ['//hooks.example.com/', noUrl],
  ['hooks.example.com', noUrl],
  ['', noUrl],
  ['https://[::1/', noUrl],
  ['https://999.999.999.999/', noUrl],
  ['https://hooks.example.com:99999/', noUrl],
  [`https://hooks.example.com/${'a'.repeat(2_048)}`, 'must have at most 2048 characters'],
];

const refusal = (why: string) => ({
  detail: [{ loc: ['body', 'webhook_url'], msg: `Value error, webhook_url ${why}`, type: 'value_error' }],
});

describe('a forbidden webhook_url is 422', () => {
  test.each(refused)('%j', async (url, why) => {
    const patched = await patch(url);
    expect([patched.status, patched.body]).toEqual([422, refusal(why)]);
    const exchanged = await exchange(world.service, account.key, 'unknown', { webhook_url: url });
    expect([exchanged.status, exchanged.body]).toEqual([422, refusal(why)]);
  });

  test('the refused URLs are not stored', async () => {
    const { body } = await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key: account.key });
    expect([body.webhook_url, body.has_webhook_secret]).toEqual([null, false]);
  });
});

test.each([
  'https://hooks.example.com',
  'https://hooks.example.com:8443/in?shop=7',
  'https://hooks.example.com:443/',
  'https://bücher.example/haken',
  'https://8.8.8.8/in',
  'https://[2606:4700::1111]/in',
])('%s is accepted and stored unchanged', async (url) => {
  const { status, body } = await patch(url);
  expect([status, body.webhook_url]).toEqual([200, url]);
});

test('a webhook_url that leads back to this service is 422, because events would loop', async () => {
  const own = await World.open({ WEBHOOK_ALLOW_INSECURE: '0', BASE_URL: 'https://api.trunkline.example' });
  const { key } = await newAccount(own.service);
  const statusOf = async (webhook_url: string): Promise<number> =>
    (await exchange(own.service, key, 'unknown', { webhook_url })).status;
  const statuses = [
    await statusOf('https://api.trunkline.example/upstream/webhooks'),
    await statusOf('https://API.trunkline.example:443/api/v1/messages/send'),
    // Only the code is wrong here.
    await statusOf('https://hooks.trunkline.example/'),
  ];
  expect(statuses).toEqual([422, 422, 400]);
  await own.close();
});
