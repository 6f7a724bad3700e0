/** [portal: Messages; portal: Templates] */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { asset, person } from '../../support/world.ts';
import { browsedWorld, connect, expectWellMade, openTab, setWebhook } from '../../pages/browsing.ts';

let page: Page;
let channelId: string;
const portal = browsedWorld();
const { at } = portal;

browserTest(
  'a manually sent message can be followed from its answer to its webhooks',
  async () => {
    ({ page } = await portal.signUp());
    channelId = await connect(portal.world, page, 'chatapp');
    await setWebhook(page, portal.world.inbox.url);
    await openTab(page, 'Send a message');
    await page.getByLabel('Recipient').fill(person.chatapp);
    await page.getByLabel('Text').fill('a text that nobody may see here');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The answer: 200').waitFor();
    await portal.world.inbox.event('message.delivered');
    await page.getByRole('link', { name: 'What became of it' }).click();
    await until('the whole way', async () => {
      await page.reload();
      return (await page.locator('.timeline li', { hasText: 'Your receiver answered 200' }).count()) === 2;
    });
    const lines = await page.locator('.timeline .badge').allTextContents();
    expect(lines.slice(0, 2)).toEqual(['accepted', 'call 1 to the platform']);
    expect(lines).toEqual(
      expect.arrayContaining(['sent', 'delivered', 'webhook message.sent', 'webhook message.delivered']),
    );
    // For questions to the platform's support.
    await page.locator('.facts code', { hasText: /^wamid\./ }).waitFor();
    await expectWellMade(page, 'message');
    expect(await page.content()).not.toContain('a text that nobody may see here');
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await page.getByRole('link', { name: 'All messages' }).click();
    const find = async (text: string): Promise<void> => {
      await page.goto(at('/portal/messages'));
      await page.getByLabel('Find').fill(text);
      await page.getByRole('button', { name: 'Find' }).click();
    };
    for (const text of [id, ` ${id.toUpperCase()} `, `"${id}",`]) {
      await find(text);
      await page.locator('.timeline').waitFor();
    }
    const { headers } = await portal.world.inbox.event('message.delivered');
    const deliveryId = String(headers['x-webhook-id']);
    await find(deliveryId);
    await page.waitForURL(at(`/portal/channels/${channelId}/deliveries/${deliveryId}`));
  },
  120_000,
);

browserTest(
  "the list leads to a person's messages in both directions, in order; a received one has its history too",
  async () => {
    await portal.world.write(
      { upstream: asset.chatapp, type: 'chatapp' },
      { text: 'a text that nobody may see here' },
    );
    await portal.world.inbox.event('message.received');
    await page.goto(at('/portal/messages'));
    await expectWellMade(page, 'messages');
    const link = page.getByRole('link', { name: 'What happened' }).first();
    expect(await link.evaluate((element) => element.getClientRects().length)).toBe(1);
    const directions = page.locator('tbody td:nth-child(2)');
    expect(await directions.allTextContents()).toEqual(['received', 'sent']);
    await page.getByLabel('Find').fill(`+${person.chatapp}`);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('heading', { name: `Messages with +${person.chatapp}` }).waitFor();
    expect(await directions.allTextContents()).toEqual(['received', 'sent']);
    await expectWellMade(page, 'messages-person');
    await page.getByLabel('State').selectOption('received');
    await page.getByRole('button', { name: 'Show' }).click();
    await until('one message', async () => (await directions.count()) === 1);
    await page.getByRole('link', { name: /^What happened/ }).click();
    await page.locator('.timeline li', { hasText: 'Your receiver answered 200' }).waitFor();
    expect(await page.locator('.timeline .badge').allTextContents()).toEqual([
      'received',
      'webhook message.received',
    ]);
    await expectWellMade(page, 'message-received');
    expect(await page.content()).not.toContain('a text that nobody may see here');
  },
  120_000,
);

browserTest(
  'a span without messages, and an invalid one',
  async () => {
    await page.goto(at('/portal/messages?to=2001-01-01T09:30'));
    await page.getByText('No messages match').waitFor();
    await page.getByText('What is older than 7 days is not kept.').waitFor();
    await expectWellMade(page, 'messages-none');
    await page.goto(at('/portal/deliveries?to=2001-01-01T09:30'));
    await page.getByText('What is older than 7 days is not kept.').waitFor();
    await page.goto(at('/portal/messages?from=yesterday&channel=&state='));
    await page.locator('tbody tr').first().waitFor();
  },
  60_000,
);

browserTest(
  'a message that was never sent, and an invalid id, say so',
  async () => {
    const unknown = 'b4b7d9f2-e785-8cc7-9cc8-5d0685caf7ba';
    await page.goto(at('/portal/messages'));
    await page.getByLabel('Find').fill(unknown);
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('nothing of this account has this id').waitFor();
    await page.goto(at(`/portal/channels/${channelId}/messages/${unknown}`));
    await page.getByText('Nothing was sent or delivered under this id').waitFor();
    await expectWellMade(page, 'message-unknown');
    await page.goto(at('/portal/messages?find=%3Cscript%3E'));
    await page.getByRole('heading', { name: 'Messages with <script>' }).waitFor();
  },
  60_000,
);

browserTest(
  'a template is written with a preview, submitted, reviewed, and deleted',
  async () => {
    await page.goto(at('/portal/templates'));
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('order_ready').first().waitFor();
    await expectWellMade(page, 'templates');
    await page.getByRole('link', { name: 'New template' }).click();
    await page.getByLabel('Name').fill('Not A Name');
    await page.getByLabel('Body').fill('Hello {{1}}, your order {{2}} is ready.');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Use lowercase letters, digits and _.').waitFor();
    await page.getByLabel('Name').fill('parcel_here');
    await page.getByLabel('Examples').fill('Mia');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.locator('#examples-wrong').waitFor();
    await page.getByLabel('Examples').fill('Mia\n42');
    await page.getByText('Hello Mia, your order 42 is ready.').waitFor();
    await expectWellMade(page, 'template-new');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Submitted.').waitFor();
    const row = page.locator('tr', { hasText: 'parcel_here' });
    await row.getByText('pending').waitFor();
    await row.getByRole('link', { name: /^Delete/ }).click();
    await expectWellMade(page, 'template-delete');
    await page.getByRole('button', { name: 'Delete the template' }).click();
    await page.getByText('The template is deleted.').waitFor();
    expect(await row.count()).toBe(0);
  },
  120_000,
);

browserTest(
  'the preview has buttons and named variables; a template is sent with a field for each variable',
  async () => {
    await page.goto(at(`/portal/channels/${channelId}/templates/new`));
    await page.getByLabel('Body').fill('Hello {{first_name}}.');
    await page.getByLabel('Examples').fill('Mia');
    await page.getByText('Buttons (optional)').click();
    await page.getByLabel('Kind').first().selectOption('QUICK_REPLY');
    await page.getByLabel('Text', { exact: true }).first().fill('Yes, please');
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByText('Hello Mia.').waitFor();
    await preview.getByText('Yes, please').waitFor();
    await expectWellMade(page, 'template-buttons');
    const body = page.getByLabel('Body');
    await body.fill('שלום {{first_name}}, yes.');
    const said = preview.getByText('שלום');
    for (const each of [body, said])
      expect(await each.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
    await page.goto(at(`/portal/templates?channel=${channelId}`));
    await page.getByRole('link', { name: 'Send order_ready en_US' }).click();
    await expectWellMade(page, 'template-send');
    await page.getByLabel('Recipient').fill('4915900000777');
    await page.getByLabel('Header: {{1}}').fill('Harbour Bakery');
    await page.getByLabel('Body: {{1}}').fill('Mia');
    await page.getByLabel('Body: {{2}}').fill('A-1007');
    await page.getByLabel('Button 1 (url)').fill('A-1007');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('"success": true').waitFor();
    await expectWellMade(page, 'template-sent');
    await page.getByRole('link', { name: 'What became of it' }).click();
    await page.waitForURL(/messages/);
  },
  60_000,
);

browserTest(
  'a rejected template shows the reason',
  async () => {
    await portal.world.simulator.control('templates/reviews', {
      name: 'too_loud',
      event: 'REJECTED',
      reason: 'PROMOTIONAL',
      after_ms: 5,
    });
    await page.goto(at(`/portal/channels/${channelId}/templates/new`));
    await page.getByLabel('Name').fill('too_loud');
    await page.getByLabel('Body').fill('Buy now and be glad of it.');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Submitted.').waitFor();
    await until('the reason', async () => {
      await page.goto(at('/portal/templates'));
      return (await page.locator('tr', { hasText: 'too_loud' }).getByText('PROMOTIONAL').count()) === 1;
    });
    await expectWellMade(page, 'templates-rejected');
    await page.locator('tr', { hasText: 'too_loud' }).getByRole('link', { name: /^Edit/ }).click();
    await page.getByLabel('Body').fill('Buy when you like.');
    await page.locator('#preview').getByText('Buy when you like.').waitFor();
    await expectWellMade(page, 'template-edit');
    await page.getByRole('button', { name: 'Submit for review' }).click();
    await page.getByText('Submitted.').waitFor();
  },
  60_000,
);
