/**
 * What a person and an operator come for, by keyboard alone, at a desk and on a phone: wherever the focus goes, it can be seen; it comes back
 * to where it was. [faults: 431]
 */
import { beforeAll, describe, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { adminToken } from '../support/service.ts';
import { person } from '../support/world.ts';
import { accountWithGivenUp, browsedWorld, widths } from './browsing.ts';
import { focusedOf } from './focus.ts';

const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_DEADLINE_MS: '60000' });
const { at } = portal;
const sizes = [
  ['desk', widths.desk],
  ['phone', widths.phone],
] as const;
/** An asset belongs to one account. */
const numbers = { desk: '422300000000002', phone: '422300000000102' };
const mostSteps = 120;

let page: Page;

/** Presses Tab until the focus is on what has this name; each element on the way can be seen with the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  const unseen: string[] = [];
  for (let step = 0; step < mostSteps; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await focusedOf(page);
    if (!focused.isSeen) unseen.push(focused.name);
    if (typeof name === 'string' ? focused.name === name : name.test(focused.name)) {
      expect([page.url(), unseen]).toEqual([page.url(), []]);
      return;
    }
  }
  throw new Error(`Tab never came to ${String(name)} on ${page.url()}`);
}

async function press(name: string | RegExp): Promise<void> {
  await tabTo(name);
  await page.keyboard.press('Enter');
}

async function fill(name: string | RegExp, text: string): Promise<void> {
  await tabTo(name);
  await page.keyboard.type(text);
}

/** An item of the navigation, which is a menu on a phone. */
async function goTo(name: string): Promise<void> {
  if (await page.locator('summary', { hasText: 'Menu' }).isVisible()) await press('Menu');
  await press(name);
}

describe.each(sizes)('%s', (size, width) => {
  let email: string;
  beforeAll(async () => {
    ({ page, email } = await accountWithGivenUp(portal, { width, number: numbers[size] }));
  }, 60_000);

  browserTest('why an event failed is read beside the list, and Escape leads back to its row', async () => {
    await page.goto(at('/portal'));
    await press(/^1 event of .* given up$/);
    await page.waitForURL(/deliveries\?channel/);
    await press('message.received');
    const drawer = page.getByRole('dialog');
    await drawer.getByText('It answered 503; only 2xx counts as delivered.').first().waitFor();
    expect(await focusedOf(page)).toEqual({ name: 'Close', isSeen: true });
    for (let step = 0; step < 40; step += 1) {
      await page.keyboard.press('Tab');
      const { name, isSeen } = await focusedOf(page);
      expect([name, isSeen]).toEqual([name, true]);
    }
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await focusedOf(page)).toEqual({ name: 'message.received', isSeen: true });
  });

  browserTest('all that failed in a day is replayed', async () => {
    await page.goto(at('/portal'));
    portal.world.inbox.clear();
    await press(/^1 event of .* given up$/);
    await page.waitForURL(/deliveries\?channel/);
    await press(/^Replay all that failed since/);
    await page.waitForURL(/deliveries\/replay/);
    await press(/^Replay/);
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await portal.world.inbox.event('message.received');
  });

  browserTest('a person is found by a part of the number', async () => {
    await page.goto(at('/portal'));
    await page.keyboard.press('/');
    await page.keyboard.type(person.chatapp.slice(-7));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Messages with ${person.chatapp}` }).waitFor();
    await press(/^What happened/);
    await page.waitForURL(/messages\/[\da-f-]+/);
  });

  browserTest('a person is invited', async () => {
    await page.goto(at('/portal'));
    await goTo('People');
    await page.waitForURL(/people/);
    await fill('E-mail address', `keys-${size}@example.com`);
    await press('Invite');
    await page.getByText(`keys-${size}@example.com`).first().waitFor();
  });

  browserTest('the secret of a channel is rotated', async () => {
    await page.goto(at('/portal/channels'));
    await press(await page.locator('main .rows a').first().innerText());
    await page.waitForURL(/channels\/[\da-f-]+/);
    await press('Webhook');
    await page.waitForURL(/webhook/);
    await press('Make a new secret');
    await page.waitForURL(/secret/);
    await press('Make a new secret');
    await page.getByText('whsec_').waitFor();
  });

  browserTest('a key is made and revoked', async () => {
    await page.goto(at('/portal'));
    await goTo('API keys');
    await page.waitForURL(/keys/);
    await fill('Name', 'old');
    await press('Make a key');
    await page.getByText('mip_live_').first().waitFor();
    await page.goto(at('/portal/keys'));
    await press(/^Revoke\s+old$/);
    await page.waitForURL(/revoke/);
    await press('Revoke the key');
    await page.getByText('No key yet').waitFor();
  });

  browserTest('an operator suspends the account', async () => {
    page = await portal.newPage({ viewport: { width, height: 800 } });
    await page.goto(at('/operators/enter'));
    await fill('Admin token', adminToken);
    await page.keyboard.press('Enter');
    await page.waitForURL(/operators$/);
    await goTo('Accounts');
    await page.waitForURL(/accounts/);
    await fill(/^Address, name/, email);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await press(email);
    await page.waitForURL(/accounts\/[\da-f-]+/);
    await press('Suspend');
    await page.waitForURL(/suspend/);
    await press('Suspend it');
    await page.getByText('Suspended').first().waitFor();
  });
});
