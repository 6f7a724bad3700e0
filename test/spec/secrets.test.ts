/** [faults I10, 53; operator-interface §2 LOG_LEVEL] No secret and no message content in logs and errors, whatever fails. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { allowRedirect, codeIn, exchange, home, newBusiness, setupUrl, walkSetup } from '../support/setup.ts';
import { adminToken, bootSimulator, environment, spawnHookMs, spawnService } from '../support/service.ts';
import type { ServiceProcess } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { follow, newAccount, World } from '../support/world.ts';

let service: ServiceProcess;
let world: World;
const secrets = new Map<string, string>();
const text = 'a sentence that nobody else should read';
const inboundText = 'a question that nobody else should read';
const person = '8800000000444';

beforeAll(async () => {
  const simulator = await bootSimulator(contractWorld);
  service = await spawnService(await environment(simulator.url, { LOG_LEVEL: 'trace' }));
  world = await World.of(service, simulator);
}, spawnHookMs);
afterAll(() => world.close());

const leak = (match: Record<string, string>) =>
  world.simulator.control('faults', { match, act: 'leak_token' });

test(
  'scenario: every call that uses secrets succeeds once and fails once',
  async () => {
    const { key, accountId } = await newAccount(service);
    secrets.set('API key', key).set('admin token', adminToken).set('app secret', 'example-app-secret-0001');
    await allowRedirect(service, key);
    const { pages } = await newBusiness(world.simulator);
    const asset = pages[0]?.id ?? '';

    // Upstream puts tokens into its errors: in the callback, at the subscription, at a send.
    await leak({ path: 'oauth/access_token' });
    await walkSetup(world, key, 'pagechat', { assets: [asset] });
    const { body: started } = await setupUrl(service, key, 'pagechat');
    secrets.set('setup token', new URL(started.setup_url).searchParams.get('token') ?? '');
    await world.simulator.control('dialog', { auto: 'allow', assets: [asset], times: 1 });
    const dialog = (await call('GET', started.setup_url)).headers.get('location') ?? '';
    const callback = (await call('GET', dialog)).headers.get('location') ?? '';
    secrets.set('code of the platform', new URL(callback).searchParams.get('code') ?? '');
    const code = codeIn(await follow(callback, home));
    secrets.set('exchange code', code);
    await leak({ path: 'subscribed_apps', method: 'POST' });
    const webhook = {
      webhook_url: `${world.inbox.url}?token=secret-of-the-receiver`,
      webhook_events: ['message.received'],
    };
    const failed = await exchange(service, key, code, webhook);
    expect([failed.status, /EAA\w/.test(failed.text)]).toEqual([400, false]);
    const { body: channel } = await exchange(service, key, code, webhook);
    secrets
      .set('webhook secret', channel.webhook_secret)
      .set('token of the receiver', 'secret-of-the-receiver');

    await leak({ recipient: person });
    const send = { channel_id: channel.channel_id, recipient: person, text };
    const refused = await service.call('POST', '/api/v1/messages/send', { key, body: send });
    expect([refused.body.success, /EAA\w/.test(refused.text)]).toEqual([false, false]);
    await service.call('POST', '/api/v1/messages/send', { key, body: { ...send, text: 7, [text]: text } });
    await service.call('POST', '/api/v1/messages/send', { key, raw: `{"text":"${text}"` });

    // An unreachable receiver, until its delivery fails for good.
    world.inbox.answerAlways(500);
    await world.simulator.control('people/write', { channel: asset, from: person, text: inboundText });
    const mails = await until('the alert about the receiver', async () => {
      const { body } = await service.admin('GET', `/mails?account_id=${accountId}`);
      return body.mails.some(({ kind }: { kind: string }) => kind === 'webhook-alert') ? body : null;
    });
    secrets.set('text', text).set('inbound text', inboundText);
    expect([...secrets.values()].filter((secret) => JSON.stringify(mails).includes(secret))).toEqual([]);
  },
  spawnHookMs,
);

test('the log reports these events and contains none of the secrets', async () => {
  const { tokens } = await world.simulator.control('world');
  for (const token of tokens) secrets.set(`token of the platform for ${token.subject}`, token.text);
  const log = service.lines.join('\n');
  expect([...secrets].filter(([, secret]) => log.includes(secret)).map(([name]) => name)).toEqual([]);
  for (const told of ['node.ready', 'setup.failed', 'setup.finished', 'exchange.subscribe-failed'])
    expect(log).toContain(told);
});

test('each line of the log is JSON', () => {
  const broken = service.lines.filter((line) => !line.startsWith('{') || !line.endsWith('}'));
  expect(broken).toEqual([]);
});
