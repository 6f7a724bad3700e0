import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserTest, openBrowser } from '../support/browser.ts';
import type { Channel } from '../support/world.ts';
import { World, person } from '../support/world.ts';

let world: World;
let browser: Browser | undefined;
let channel: Channel;
beforeAll(async () => {
  world = await World.open();
  channel = await world.connected('chatapp');
});
afterAll(async () => {
  await browser?.close();
  await world.close();
});

browserTest('a person opens the portal with a key, sends a text and sees events live', async () => {
  browser = await openBrowser();
  const page = await browser.newPage();
  const errors: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));

  await page.goto(`${world.service.url}/portal`);
  await page.getByLabel('API key').fill(channel.key);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.locator('#channels').getByText('Harbour Bakery').waitFor();
  await page.locator('#live').getByText('connected', { exact: true }).waitFor();
  await page.getByLabel('Channel id').fill(channel.id);
  await page.getByLabel('Recipient').fill(person.chatapp);
  await page.getByLabel('Text', { exact: true }).fill('Hello from the portal');
  await page.getByRole('button', { name: 'Send' }).click();

  await page
    .locator('#sent')
    .getByText(/^sent · /)
    .waitFor();
  await page
    .locator('#events')
    .getByText(/chatapp {2}message\.delivered/)
    .waitFor();
  expect(errors).toEqual([]);
});

browserTest('a wrong key is told so, and nothing of an account is shown', async () => {
  browser ??= await openBrowser();
  const page = await browser.newPage();
  await page.goto(`${world.service.url}/portal`);
  await page.getByLabel('API key').fill('mip_live_wrong');
  await page.getByRole('button', { name: 'Open' }).click();

  await page.getByRole('alert').getByText('Missing or invalid API key').waitFor();
  expect(await page.locator('#account').isHidden()).toBe(true);
});
