/** [portal: Deliveries] Did my endpoint get it, why not, and again. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { asset, person } from '../support/world.ts';
import { browsedWorld, connect, expectWellMade, setWebhook } from './browsing.ts';

let page: Page;
let channelId: string;
// No retry comes by itself while a test looks.
const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '600000,600000', WEBHOOK_DEADLINE_MS: '1200000' });
const { at } = portal;
const write = () =>
  portal.world.simulator.control('people/write', {
    channel: asset.pagechat,
    from: person.pagechat,
    text: 'a text that nobody may see here',
    wait: true,
  });

/** Loads the log until it has `count` deliveries in this state. */
async function showing(count: number, state: string): Promise<void> {
  await until(`${count} ${state}`, async () => {
    await page.goto(at(`/portal/deliveries?channel=${channelId}`));
    return (await page.locator('.entry summary', { hasText: state }).count()) === count;
  });
}

browserTest(
  'a failed attempt is explained, tried again by hand, and seen to be taken',
  async () => {
    ({ page } = await portal.signUp());
    channelId = await connect(portal.world, page, 'pagechat');
    await page.goto(at('/portal/deliveries'));
    await page.getByText('this channel has no webhook yet').waitFor();
    await page.getByRole('link', { name: 'Set a webhook' }).click();
    await setWebhook(page, portal.world.inbox.url);
    await page.goto(at('/portal/deliveries'));
    await page.getByText('No delivery yet').waitFor();

    portal.world.inbox.answerNext(503);
    await write();
    await showing(1, '503');
    await page.locator('.entry summary').first().click();
    await page.getByText('It answered 503; only 2xx counts as taken.').waitFor();
    await expectWellMade(page, 'deliveries');
    expect(await page.content()).not.toContain('a text that nobody may see here');
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.getByText('Another attempt is under way').waitFor();
    await showing(1, 'delivered');
    expect(await page.locator('.dots').first().getAttribute('aria-label')).toBe('2 attempts');
  },
  120_000,
);

browserTest(
  'the log is asked by event and state',
  async () => {
    await page.getByLabel('State').selectOption('failed');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No deliveries match').waitFor();
    await page.getByLabel('State').selectOption('delivered');
    await page.getByLabel('Event').selectOption('message.received');
    await page.getByRole('button', { name: 'Show' }).click();
    expect(await page.locator('.entry').count()).toBe(1);
  },
  60_000,
);

browserTest(
  'a test event is sent at the press of a button, and what the receiver said stands below it',
  async () => {
    await page.goto(at(`/portal/channels/${channelId}`));
    portal.world.inbox.answerNext(500);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('It answered 500; only 2xx counts as taken.').waitFor();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('Your receiver took the test event').waitFor();
    await expectWellMade(page, 'channel-tested');
    const [last] = portal.world.inbox.arrivals.slice(-1);
    expect([last?.event.event, last?.headers['x-webhook-signature']]).toEqual([
      'webhook.test',
      expect.stringMatching(/^sha256=/),
    ]);
  },
  60_000,
);
