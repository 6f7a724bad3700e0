/** [portal: Deliveries] Whether an endpoint got an event, and why not: the list over all channels, and one delivery. */
import http from 'node:http';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { listening } from '../../support/ports.ts';
import { newPerson } from '../../support/sends.ts';
import { newBusiness } from '../../support/setup.ts';
import { until } from '../../support/until.ts';
import { asset, person } from '../../support/world.ts';
import {
  browsedWorld,
  connect,
  connectAsset,
  expectWellMade,
  setWebhook,
  widths,
} from '../../pages/browsing.ts';

let page: Page;
let channelId: string;
// No automatic retry happens during a test.
const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '600000,600000', WEBHOOK_DEADLINE_MS: '1200000' });
const { at } = portal;
const write = (from: string = person.pagechat) =>
  portal.world.simulator.control('people/write', {
    channel: asset.pagechat,
    from,
    text: 'a text that nobody may see here',
    wait: true,
  });

/** A receiver that answers as a test sets it. */
const hostile = http.createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
});
let answer: { status: number; headers: http.OutgoingHttpHeaders; body: string | Buffer } = {
  status: 200,
  headers: {},
  body: '',
};
let receiver = '';
beforeAll(async () => {
  receiver = `http://127.0.0.1:${await listening(hostile)}/in?token=s3cr3t`;
});
afterAll(() => {
  hostile.closeAllConnections();
  hostile.close();
});

const rows = () => page.locator('tbody tr');
const row = (text: string) => page.locator('tbody tr', { hasText: text });

/** Reloads the list until it has `count` deliveries with this state. */
async function showing(count: number, text: string): Promise<void> {
  await until(`${count} ${text}`, async () => {
    await page.goto(at('/portal/deliveries'));
    return (await row(text).count()) === count;
  });
}

async function openFirstRetrying(): Promise<void> {
  await row('retrying').first().getByRole('link', { name: 'message.received' }).click();
  await page.getByRole('heading', { name: 'Attempts' }).waitFor();
}

browserTest(
  'a failed attempt is explained: request, answer, next step; none of it is interpreted as markup',
  async () => {
    ({ page } = await portal.signUp());
    channelId = await connect(portal.world, page, 'pagechat');
    await page.goto(at('/portal/deliveries'));
    await page.getByText('No delivery yet').waitFor();
    await page.goto(at(`/portal/channels/${channelId}`));
    await setWebhook(page, receiver);
    const html = '<img src=x onerror="document.title=1"><script>document.title="hacked"</script>';
    answer = {
      status: 503,
      headers: { 'x-why': 'busy <b>now</b>', 'set-cookie': 'session=abc' },
      body: `${html}\u0007\u202e${'x'.repeat(5_000)}`,
    };
    await write();
    await showing(1, 'retrying');
    await expectWellMade(page, 'deliveries');
    const filter = page.locator('form.filter').first().locator('select, input, button');
    const ends = await filter.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().bottom));
    expect([ends.length, new Set(ends).size]).toEqual([6, 1]);
    const numbers = row('retrying').locator('td.p2 a, td.p3 bdi:last-child');
    const linesOfEach = await numbers.evaluateAll((all) => all.map((each) => each.getClientRects().length));
    expect(linesOfEach).toEqual([1, 1]);
    const cells = await row('retrying').locator('td').allTextContents();
    expect(cells.slice(2)).toEqual([
      'message.received',
      person.pagechat,
      expect.stringContaining('Harbour'),
      'retrying · 1 of 3',
      '',
    ]);
    await openFirstRetrying();
    await page.getByText('It answered 503; only 2xx counts as delivered.').waitFor();
    await page.getByText('1 of 3 attempts failed; the next comes').waitFor();
    const [request = '', came = ''] = await page.locator('li .wire').allTextContents();
    expect(request).toContain(`POST ${receiver.replace('s3cr3t', '…')}\n`);
    expect(request).toMatch(/^X-Webhook-Signature: sha256=[0-9a-f]{64}$/m);
    expect(came).toMatch(/^503\n(.*\n)*x-why: busy <b>now<\/b>\nset-cookie: \(not kept\)\n/);
    expect(came).toContain(`${html}\\x07\\u{202e}xxx`);
    expect(came.length).toBeLessThan(2_700);
    await page.getByText('The answer was longer').waitFor();
    expect(await page.locator('#body ~ .wire').textContent()).toContain(
      '"text": "(31 characters, not shown)"',
    );
    await expectWellMade(page, 'delivery');
    const source = await page.content();
    for (const secret of ['a text that nobody may see here', 's3cr3t', 'session=abc'])
      expect(source).not.toContain(secret);
    expect(await page.title()).toBe('Delivery · Trunkline');
  },
  120_000,
);

browserTest(
  'the result of a manual attempt appears without a reload',
  async () => {
    answer = { status: 500, headers: {}, body: Buffer.from([0x1f, 0x8b, 0x00, 0xff]) };
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.getByText('Another attempt is running').waitFor();
    await page.getByText('\\x1f\\x8b\\x00\\xff').waitFor();
    await page.reload();
    answer = { status: 204, headers: {}, body: '' };
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.locator('dd .badge', { hasText: 'delivered' }).waitFor();
    await page.getByText('The request and the answer of a successful attempt are kept only if').waitFor();
    await page.getByText('Not kept: the content is erased when the delivery ends').waitFor();
    await page.goto(at('/portal/deliveries'));
    expect(await row('delivered').locator('.bars').getAttribute('title')).toBe('3 attempts');
    await row('delivered').getByRole('link', { name: 'message.received' }).click();
    await page.getByRole('link', { name: 'What became of it' }).click();
    await page.locator('.timeline').waitFor();
  },
  60_000,
);

browserTest(
  'a test event is in the log with its answer, also a 2xx of a channel that keeps none',
  async () => {
    await page.goto(at(`/portal/channels/${channelId}/webhook`));
    answer = { status: 500, headers: {}, body: 'no thanks' };
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('It answered 500; only 2xx counts as delivered.').waitFor();
    await expectWellMade(page, 'channel-tested');
    await page.getByRole('link', { name: 'What was sent and answered' }).click();
    await page.getByText('no thanks').waitFor();
    await page.getByText('a test event is not retried').waitFor();
    await expectWellMade(page, 'delivery-test');

    await page.goto(at(`/portal/channels/${channelId}/webhook`));
    answer = { status: 200, headers: {}, body: 'with pleasure' };
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('Your receiver took the test event').waitFor();
    await page.getByRole('link', { name: 'What was sent and answered' }).click();
    await page.getByText('with pleasure').waitFor();
    await page.goto(at('/portal/deliveries?event=webhook.test'));
    expect(await rows().locator('.badge').allTextContents()).toEqual(['delivered · 200', 'failed · 500']);
  },
  60_000,
);

browserTest(
  'the list is filtered by channel, event, state and time',
  async () => {
    await page.goto(at('/portal/deliveries?event=message.received'));
    const time = await rows().locator('time').first().getAttribute('datetime');
    await page.goto(at('/portal/deliveries'));
    await page.getByLabel('State').selectOption('pending');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No deliveries match').waitFor();
    await page.getByLabel('State').selectOption('delivered');
    await page.getByLabel('Event').selectOption('message.received');
    await page.getByLabel('Channel').fill('harb');
    await page.getByLabel('From', { exact: true }).fill(time?.slice(0, 16) ?? '');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/state=delivered/);
    expect(await rows().count()).toBe(1);
    await page.getByLabel('From', { exact: true }).fill('');
    await page.getByLabel('To', { exact: true }).fill('2001-01-01T09:30');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No deliveries match').waitFor();
  },
  60_000,
);

browserTest(
  'checkboxes exist for deliveries that can be replayed; they appear and disappear while the list is not in use',
  async () => {
    const heads = page.getByRole('columnheader', { name: 'Select' });
    const again = page.getByRole('button', { name: 'Send the selected ones again' });
    await page.goto(at('/portal/deliveries?event=message.received'));
    expect([await heads.count(), await again.count()]).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Copy the ids' }).waitFor();
    await rows().first().hover();
    answer = { status: 503, headers: {}, body: '' };
    await write();
    const news = page.getByRole('button', { name: 'Show the one that is new' });
    await news.waitFor();
    const columns = await page.getByRole('columnheader').count();
    expect([await heads.count(), await rows().first().locator('td').count()]).toEqual([0, columns]);
    await page.mouse.move(0, 0);
    await heads.waitFor();
    expect(await rows().getByRole('checkbox').count()).toBe(1);
    await again.waitFor();
    answer = { status: 200, headers: {}, body: '' };
    await rows().getByRole('link', { name: 'message.received' }).first().click();
    await page.getByRole('button', { name: 'Try again now' }).click();
    await page.locator('dd .badge', { hasText: 'delivered' }).waitFor();
  },
  60_000,
);

browserTest(
  'the list updates itself; while a row is selected, new rows wait for a click',
  async () => {
    await page.goto(at('/portal/deliveries?event=message.received'));
    expect(await rows().count()).toBe(2);
    answer = { status: 503, headers: {}, body: '' };
    await write();
    await rows().nth(2).waitFor();
    const tick = rows().first().getByRole('checkbox');
    await tick.check();
    const ticked = await rows().first().getAttribute('id');
    await write();
    await page.getByRole('button', { name: 'Show the one that is new' }).waitFor();
    expect([await rows().count(), await tick.isChecked()]).toEqual([3, true]);
    const copy = page.getByRole('button', { name: 'Copy the ids of 1' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await copy.click();
    await page.locator('#copy-ids', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(`navigator.clipboard.readText().then((id) => 'row-' + id)`)).toBe(ticked);
    await page.getByRole('button', { name: 'Show the one that is new' }).click();
    await rows().nth(3).waitFor();
    answer = { status: 200, headers: {}, body: '' };
    await rows().first().getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Send the selected ones again' }).click();
    await page.getByText('1 delivery is on the way again.').waitFor();
    await until('it to be delivered', async () => (await row('delivered').count()) === 3);
  },
  60_000,
);

browserTest(
  'a page that can no longer update says so until it can again, and when its session has ended in another tab',
  async () => {
    const state = page.locator('#fresh-state');
    for (const open of [() => page.goto(at('/portal/deliveries')), () => openFirstRetrying()]) {
      await open();
      await page.context().setOffline(true);
      await state.getByText('Not up to date: the service does not answer.').waitFor();
      await expectWellMade(page, 'not-up-to-date');
      await page.context().setOffline(false);
      await state.filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
    }
    const { context, page: own } = await portal.signUp();
    await connectAsset(
      portal.world,
      own,
      'pagechat',
      (await newBusiness(portal.world.simulator)).pages[0]?.id ?? '',
    );
    await own.goto(at('/portal/deliveries'));
    const other = await context.newPage();
    await other.goto(at('/portal'));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await own.getByText('You are signed out.').waitFor();
    await own.getByRole('button', { name: 'Load the page again' }).click();
    await own.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(new URL(own.url()).search).toBe(`?next=${encodeURIComponent('/portal/deliveries')}`);
  },
  120_000,
);

browserTest(
  'a page does not take the rows of another person who has signed in in another tab',
  async () => {
    const { context, page: own } = await portal.signUp();
    const [ownPage] = (await newBusiness(portal.world.simulator)).pages;
    await connectAsset(portal.world, own, 'pagechat', ownPage?.id ?? '');
    await own.goto(at('/portal/deliveries'));
    const other = await portal.signUp();
    await context.addCookies(await other.context.cookies());
    await own.getByText('You are signed out.').waitFor();
    await own.getByRole('button', { name: 'Load the page again' }).click();
    await own.getByRole('link', { name: other.email }).waitFor();
  },
  60_000,
);

browserTest(
  'pages are turned in both directions',
  async () => {
    for (let n = 0; n < 37; n += 1) await write(newPerson('pagechat'));
    await page.goto(at('/portal/deliveries'));
    expect(await rows().count()).toBe(35);
    const first = await rows().first().getAttribute('id');
    await page.getByRole('link', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'Newer' }).waitFor();
    expect(await row(person.pagechat).count()).toBeGreaterThan(2);
    expect(await page.getByRole('link', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Newer' }).click();
    await page.getByRole('link', { name: 'Older' }).waitFor();
    expect([await rows().count(), await rows().first().getAttribute('id')]).toEqual([35, first]);
  },
  120_000,
);

browserTest(
  'a phone shows each row as a card; a page without scripts has everything except updates',
  async () => {
    const plain = await portal.signUp({ javaScriptEnabled: false });
    await plain.page.goto(at('/portal/deliveries'));
    await plain.page.getByText('Deliveries belong to a channel').waitFor();
    const cookies = await page.context().cookies();
    await plain.context.clearCookies();
    await plain.context.addCookies(cookies);
    await plain.page.goto(at('/portal/deliveries'));
    expect(await plain.page.locator('tbody tr').count()).toBe(35);
    expect(await plain.page.getByRole('button', { name: 'Copy the ids' }).isVisible()).toBe(false);
    await plain.page.locator('tbody tr').first().getByRole('link', { name: 'message.received' }).click();
    await plain.page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await expectWellMade(page, 'deliveries-many');
    await page.setViewportSize({ width: widths.phone, height: 900 });
    expect(
      await page.locator('tbody tr').first().locator('a[href*="/portal/messages?person="]').isVisible(),
    ).toBe(true);
  },
  60_000,
);
