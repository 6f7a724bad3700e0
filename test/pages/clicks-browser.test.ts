/** [portal] What people come for takes few clicks, on a desk and on a phone; the platform's own dialog is not counted. */
import { beforeAll, beforeEach, describe, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { adminToken } from '../support/service.ts';
import { browserTest } from '../support/browser.ts';
import { asset, person } from '../support/world.ts';
import { accountWithGivenUp, browsedWorld, password, widths } from './browsing.ts';

const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_DEADLINE_MS: '60000' });
const { at } = portal;
const sizes = [
  ['desk', widths.desk],
  ['phone', widths.phone],
] as const;
/** An asset belongs to one account. */
const pages = { desk: asset.photoapp, phone: asset.pagechat };
const numbers = { desk: asset.chatapp, phone: '422300000000102' };

let page: Page;
let clicks: number;
beforeEach(() => {
  clicks = 0;
});

async function click(what: Locator): Promise<void> {
  clicks += 1;
  await what.click();
}

const link = (name: string | RegExp): Locator => page.getByRole('link', { name }).first();
const button = (name: string | RegExp): Locator => page.getByRole('button', { name }).first();

/** An item of the navigation, which is a menu on a phone. */
async function goTo(name: string): Promise<void> {
  const menu = page.locator('summary', { hasText: 'Menu' });
  if (await menu.isVisible()) await click(menu);
  await click(page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name }));
}

browserTest.each(sizes)(
  '%s: from the sign-in page to the answer to a test event in 9',
  async (size, width) => {
    page = await portal.newPage({ viewport: { width, height: 800 } });
    await page.goto(at('/portal'));
    await click(link('Sign up'));
    await page.getByLabel('E-mail address').fill(`clicks-${size}@example.com`);
    await page.getByLabel('Password').fill(password);
    await click(button('Sign up'));
    await click(link('Make a key'));
    const made = (await button('Make a key').boundingBox()) ?? { y: Infinity, height: 0 };
    if (size === 'desk') expect(made.y + made.height).toBeLessThan(800);
    await page.getByLabel('Name').fill('shop');
    await click(button('Make a key'));
    await click(link('I have stored it'));
    await portal.world.simulator.control('dialog', { auto: 'allow', assets: [pages[size]], times: 1 });
    await click(button(size === 'desk' ? 'Connect photoapp' : 'Connect pagechat'));
    await page.getByText('Connected. Set a webhook next').waitFor();
    const close = await page.locator('.toast').getByRole('button', { name: 'Close' }).boundingBox();
    expect(close?.width).toBeGreaterThan(50); // one line
    await page.getByLabel('Address of your receiver').fill(portal.world.inbox.url);
    await click(button('Save'));
    await click(link('I have stored it'));
    await click(button('Send a test event'));
    await page.getByText('Your receiver took the test event').waitFor();
    expect(clicks).toBe(9);
  },
  60_000,
);

describe.each(sizes)('%s: of an account with an event that was given up', (size, width) => {
  let email: string;
  beforeAll(async () => {
    ({ page, email } = await accountWithGivenUp(portal, { width, number: numbers[size] }));
  }, 60_000);

  browserTest('why it failed: 2', async () => {
    await page.goto(at('/portal'));
    await click(link(/^1 event of .* given up$/));
    await click(link('message.received'));
    await page.getByText('It answered 503; only 2xx counts as delivered.').first().waitFor();
    expect(clicks).toBe(2);
  });

  browserTest('the history of a person, by a part of the number: 1 on a phone, none on a desk', async () => {
    await page.goto(at('/portal'));
    if (size === 'phone') await click(page.locator('summary', { hasText: 'Menu' }));
    else await page.keyboard.press('/');
    await page.getByRole('searchbox', { name: 'Search' }).fill(person.chatapp.slice(-7));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Messages with ${person.chatapp}` }).waitFor();
    await page.locator('tbody tr').first().waitFor();
    expect(clicks).toBe(size === 'phone' ? 1 : 0);
  });

  browserTest('all that failed in a day is replayed: 3', async () => {
    await page.goto(at('/portal'));
    portal.world.inbox.clear();
    await click(link(/^1 event of .* given up$/));
    await click(button('Replay all that failed since'));
    await click(button(/^Replay/));
    await portal.world.inbox.event('message.received');
    expect(clicks).toBe(3);
  });

  browserTest('a person is invited: 2, with the menu of a phone 3', async () => {
    await page.goto(at('/portal'));
    await goTo('People');
    await page.getByLabel('E-mail address').fill(`invited-${size}@example.com`);
    await click(button('Invite'));
    await page.getByText(`invited-${size}@example.com`).first().waitFor();
    expect(clicks).toBe(size === 'phone' ? 3 : 2);
  });

  browserTest('the secret of a channel is rotated: 4', async () => {
    await page.goto(at('/portal'));
    await click(page.locator('main .rows a').first());
    await click(link('Webhook'));
    await click(link('Make a new secret'));
    await click(button('Make a new secret'));
    await page.getByText('whsec_').waitFor();
    expect(clicks).toBe(4);
  });

  browserTest('a key is revoked: 3, with the menu of a phone 4', async () => {
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('old');
    await button('Make a key').click();
    await page.getByText('mip_live_').first().waitFor();
    await page.goto(at('/portal'));
    await goTo('API keys');
    await click(link('Revoke old'));
    await click(button('Revoke the key'));
    await page.getByText('No key yet').waitFor();
    expect(clicks).toBe(size === 'phone' ? 4 : 3);
  });

  browserTest('an operator suspends the account: 4, with the menu of a phone 5', async () => {
    page = await portal.newPage({ viewport: { width, height: 800 } });
    await page.goto(at('/operators/enter'));
    await page.getByLabel('Admin token').fill(adminToken);
    await button('Enter').click();
    const menu = page.locator('summary', { hasText: 'Menu' });
    if (await menu.isVisible()) await click(menu);
    await click(link('Accounts'));
    await page.getByLabel('Address, name').fill(email);
    await page.keyboard.press('Enter');
    await click(page.locator('main').getByRole('link', { name: email }));
    await click(link('Suspend'));
    await click(button('Suspend it'));
    await page.getByText('Suspended').first().waitFor();
    expect(clicks).toBe(size === 'phone' ? 5 : 4);
  });
});
