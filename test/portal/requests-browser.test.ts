/** [portal: Requests] */
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserTest, openBrowser } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { World, person } from '../support/world.ts';
import { connect, expectWellMade, setWebhook, signedUp } from './browsing.ts';

let world: World;
let browser: Browser | undefined;
beforeAll(async () => {
  world = await World.open();
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

const at = (path: string): string => `${world.service.url}${path}`;

browserTest(
  'a call that failed is found by its request id, status and route; a message leads to the call that sent it',
  async () => {
    browser ??= await openBrowser();
    const { page } = await signedUp(browser, world.service.url);
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = (await page.locator('code', { hasText: /^mip_/ }).first().textContent()) ?? '';
    const channelId = await connect(world, page, 'chatapp');
    await setWebhook(page, world.inbox.url);
    const send = (recipient: string) =>
      world.service.call('POST', '/api/v1/messages/send', {
        key,
        body: { channel_id: channelId, recipient, text: 'a text that nobody may see here' },
      });
    const refused = (await send('Mia')).headers.get('x-request-id') ?? '';
    const sent = await send(person.chatapp);
    await world.inbox.event('message.sent');
    await page.goto(at('/portal/requests'));
    const rows = page.locator('tbody tr');
    await until('both calls', async () => (await rows.count()) === 2);
    await expectWellMade(page, 'requests');
    await page.getByLabel('Request id', { exact: true }).fill(refused);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Route').fill('/api/v1/messages/send');
    await page.getByRole('button', { name: 'Show' }).click();
    await until('one call', async () => (await rows.count()) === 1);
    expect(await rows.first().textContent()).toContain('invalid_recipient');
    await page.goto(at(`/portal/channels/${channelId}/messages/${sent.body.message_id}`));
    await page.getByRole('link', { name: sent.headers.get('x-request-id') ?? '' }).click();
    await until('the call that sent it', async () => (await rows.count()) === 1);
    expect(await page.content()).not.toContain('a text that nobody may see here');
    await page.goto(at('/portal/requests?status=503'));
    await page.getByText('No requests match').waitFor();
  },
  120_000,
);
