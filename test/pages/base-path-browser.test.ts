/** [operator-interface §2, BASE_URL] A service below a path of its host, behind a proxy that strips the path. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { noteBasePath, publicPage } from '../../src/http/base-path.ts';
import { browserTest, sharedBrowser } from '../support/browser.ts';
import { freePort } from '../support/ports.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { stripPath } from '../support/stripping-proxy.ts';
import { World, asset, newAccount, person } from '../support/world.ts';
import { password, setWebhook } from './browsing.ts';
import { Visitor } from './visitor.ts';

const path = '/trunk/line';
let world: World;
let proxy: Awaited<ReturnType<typeof stripPath>>;
const browser = sharedBrowser();

beforeAll(async () => {
  const port = await freePort();
  proxy = await stripPath(path, port);
  const simulator = await bootSimulator(contractWorld);
  const service = await bootService(simulator.url, { PORT: String(port), BASE_URL: proxy.url });
  world = await World.of(service, simulator);
});
afterAll(async () => {
  await proxy.close();
  await world.close();
});

/** Every link of our own on the page. */
const linksOf = (page: Page): Promise<string[]> =>
  page.evaluate('[...document.querySelectorAll("a[href]")].map(({ href }) => href)');

/** Opens each page that is linked from one that was opened, one of each form of address. */
async function walk(page: Page, from: string): Promise<string[]> {
  const form = (url: string): string => new URL(url).pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '…');
  const seen = new Map([[form(from), from]]);
  for (const url of seen.values()) {
    const answer = await page.request.get(url);
    expect([form(url), answer.status()]).toEqual([form(url), 200]);
    if (!(answer.headers()['content-type'] ?? '').startsWith('text/html')) continue;
    await page.goto(url);
    for (const link of await linksOf(page))
      if (new URL(link).origin === new URL(from).origin && !seen.has(form(link))) seen.set(form(link), link);
  }
  return [...seen.keys()];
}

browserTest(
  'every page is reached from sign-up by links, forms and redirects alone, and nothing outside the path is asked for',
  async () => {
    const page = await (await (await browser()).newContext()).newPage();
    await page.goto(`${proxy.url}/portal`);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await page.getByLabel('E-mail address').fill('below@example.com');
    await page.getByLabel('Name of your business').fill('Nine & Sons');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.waitForURL(`${proxy.url}/portal`);

    await world.simulator.control('dialog', {
      auto: 'allow',
      times: 1,
      assets: [asset.pagechat, '520000000000015'],
    });
    await page.goto(`${proxy.url}/portal/channels`);
    await page.getByRole('button', { name: 'Connect pagechat' }).click();
    await page.waitForURL(/\/trunk\/line\/setup\/choose/);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Connected. Set a webhook next').waitFor();
    await setWebhook(page, world.inbox.url);

    await page.goto(`${proxy.url}/portal/live`);
    await page.locator('#live', { hasText: /^connected$/ }).waitFor();
    await world.write({ upstream: asset.pagechat, type: 'pagechat' }, { text: 'hello' }, person.pagechat);
    await world.inbox.event('message.received');
    await page.locator('#events .event').first().getByRole('link').first().click();
    await page.waitForURL(/\/trunk\/line\/portal\/channels\//);

    const pages = await walk(page, `${proxy.url}/portal`);
    expect(pages).toEqual(
      expect.arrayContaining(
        [
          '/portal/channels/…',
          '/portal/channels/…/messages/…',
          '/portal/deliveries',
          '/portal/people',
          '/docs',
          '/docs/guide',
        ].map((each) => `${path}${each}`),
      ),
    );
    await page.goto(`${proxy.url}/docs`);
    await page.getByText('/api/v1/messages/send', { exact: true }).first().waitFor();
    await page.goto(`${proxy.url}/portal`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${proxy.url}/portal/sign-in`);
    // A browser asks for the icon of a host beside a document that is no page.
    expect(proxy.strays.filter((url) => url !== '/favicon.ico')).toEqual([]);
  },
  120_000,
);

test('cookies are for the path alone, and what a text quotes stays as it is', async () => {
  const visitor = new Visitor({ service: { url: proxy.url } });
  const { set, text } = await visitor.ask('/portal/sign-up');
  expect(set.map((each) => /Path=([^;]*)/.exec(each)?.[1])).toEqual([`${path}/portal`]);
  expect(text).toContain(`action="${path}/portal/sign-up"`);
});

test('what a text or an attribute quotes is no link', () => {
  const quoted = ' href="/portal" ';
  const html = renderToString(
    h('p', { title: quoted }, quoted, h('a', { href: '/portal' }, 'a'), h('a', { href: '//b' })),
  );
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  noteBasePath(answer, path);
  expect(publicPage(answer, html)).toBe(html.replace('<a href="/portal"', `<a href="${path}/portal"`));
  expect(html.split('href=&quot;/portal&quot;')).toHaveLength(3);
});

test('a client gets addresses below the path', async () => {
  const { key } = await newAccount(world.service);
  await world.service.call('POST', '/api/v1/redirects', {
    key,
    body: { uri_pattern: 'https://app.example.com/*' },
  });
  const started = await world.service.call('POST', '/api/v1/channels/setup-url', {
    key,
    body: { channel_type: 'pagechat', redirect_uri: 'https://app.example.com/done' },
  });
  expect(started.body.setup_url).toMatch(new RegExp(`^${proxy.url}/setup/`));
});
