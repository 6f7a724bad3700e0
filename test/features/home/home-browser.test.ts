/** [portal: Home] Whether everything works, what to do next, and what needs attention. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { newPerson } from '../../support/sends.ts';
import { until } from '../../support/until.ts';
import { asset, person } from '../../support/world.ts';
import {
  browsedWorld,
  connect,
  connectAsset,
  expectWellMade,
  openTab,
  password,
  setWebhook,
  tabTo,
  widths,
} from '../../pages/browsing.ts';

let page: Page;
let email: string;
let channelId: string;
// Two attempts, then the delivery fails; channels are probed often.
const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '1', HEALTH_CHECK_INTERVAL_MS: '200' });
const { at } = portal;

const write = () =>
  portal.world.simulator.control('people/write', {
    channel: asset.pagechat,
    from: person.pagechat,
    text: 'a text that nobody may see here',
    wait: true,
  });
const states = () => page.locator('.steps .badge').allTextContents();
const dayNow = () => new Date().toISOString().slice(0, 10);
/** Reloads Home until it counts this many ended deliveries; returns its day (UTC). */
async function showing(legend: string[]): Promise<string> {
  let day = '';
  await until(legend.join(', '), async () => {
    day = dayNow();
    await page.goto(at('/portal'));
    return (await page.locator('.legend li').allTextContents()).join() === legend.join() && day === dayNow();
  });
  return day;
}
/** The rows of the table of the last 24 hours: the hour and the counts. */
async function readHours(): Promise<{ hour: string; counts: number[] }[]> {
  const rows = await page
    .locator('section', { has: page.locator('.chart') })
    .locator('tbody tr')
    .all();
  return Promise.all(
    rows.map(async (row) => ({
      hour: (await row.locator('time').getAttribute('datetime')) ?? '',
      counts: (await row.locator('.number').allTextContents()).map(Number),
    })),
  );
}
async function tile(name: string): Promise<string> {
  return (await page.locator('.tiles div', { hasText: name }).locator('b').textContent()) ?? '';
}

browserTest(
  'the first visit shows three steps with their states, until they are done',
  async () => {
    ({ page, email } = await portal.signUp());
    expect(await states()).toEqual(['to do', 'to do', 'to do']);
    expect([await page.locator('.tiles').count(), await page.locator('.chart').count()]).toEqual([0, 0]);
    await expectWellMade(page, 'home-first');
    await page.getByRole('link', { name: 'Make a key' }).click();
    await page.getByLabel('Name').fill('mine');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('mip_live_').waitFor();
    await page.goto(at('/portal'));
    expect(await states()).toEqual(['done', 'to do', 'to do']);
    channelId = await connect(portal.world, page, 'pagechat');
    await page.goto(at('/portal'));
    expect(await states()).toEqual(['done', 'done', 'to do']);
    await page.getByRole('link', { name: 'Set a webhook' }).click();
    await setWebhook(page, portal.world.inbox.url);
    await page.goto(at('/portal'));
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.locator('.steps').count()).toBe(0);
    await page.getByText('Nothing needs you.').waitFor();
    expect(await tile('Success rate')).toBe('–');
    await expectWellMade(page, 'home-quiet');
  },
  120_000,
);

browserTest(
  'then it shows the deliveries of 24 hours, as figures, bars and a table',
  async () => {
    await write();
    await showing(['1 delivered', '0 delivered by a retry', '0 given up']);
    portal.world.inbox.answerNext(503);
    await write();
    await showing(['1 delivered', '1 delivered by a retry', '0 given up']);
    portal.world.inbox.answerNext(503, 500);
    await write();
    const day = await showing(['1 delivered', '1 delivered by a retry', '1 given up']);
    expect([await tile('Success rate'), await tile('Waiting')]).toEqual(['66.6 %', '0']);
    expect(await tile('p95 latency')).toMatch(/^\d+ (ms|s|min)$/);
    const chart = page.getByRole('img', { name: /^Of the last 24 hours/ });
    expect(await chart.getAttribute('aria-label')).toBe(
      'Of the last 24 hours: 1 delivered, 1 delivered by a retry, 1 given up',
    );
    await page.getByText('The same as a table').click();
    // The three may have ended on both sides of an hour, and of midnight.
    const hours = await readHours();
    const sumOf = (column: number) => hours.reduce((sum, { counts }) => sum + (counts[column] ?? NaN), 0);
    expect([sumOf(0), sumOf(1), sumOf(2)]).toEqual([1, 1, 1]);
    const taken = hours
      .filter(({ hour }) => hour.startsWith(day))
      .flatMap(({ counts }) => counts.slice(0, 2));
    expect(await tile('Delivered today')).toBe(String(taken.reduce((sum, count) => sum + count, 0)));
    await expectWellMade(page, 'home-figures');
    expect(await page.content()).not.toContain('a text that nobody may see here');
    await page.goto(at(`/portal/channels/${channelId}`));
    await page.getByText('66.6 % taken, of its newest 3 that ended').waitFor();
  },
  120_000,
);

browserTest(
  'a failed delivery is news with a link to it, by keyboard only and at both widths',
  async () => {
    for (const width of Object.values(widths)) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(at('/portal'));
      await tabTo(page, /^1 event of .+ given up$/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
      expect(new URL(page.url()).search).toBe(`?channel=${channelId}&state=failed`);
      expect(await page.locator('tbody tr').count()).toBe(1);
      await page.goto(at('/portal'));
      await tabTo(page, 'The same as a table');
      await page.keyboard.press('Enter');
      await page.getByRole('columnheader', { name: 'By a retry' }).waitFor({ state: 'attached' });
      expect(await page.locator('main details').getAttribute('open')).not.toBeNull();
    }
  },
  60_000,
);

browserTest(
  'a failing receiver, a refused token and an ending licence are shown, each with a link to its remedy',
  async () => {
    await page.setViewportSize({ width: widths.desk, height: 900 });
    const attention = page.locator('.attention li');
    await page.goto(at('/portal'));
    await attention.filter({ hasText: 'not delivered' }).waitFor();
    const refused = page.locator('.attention li', { hasText: 'reconnect' });
    await portal.world.simulator.control('tokens/revoke', { asset: asset.pagechat });
    const { body } = await portal.world.service.admin('GET', `/accounts?limit=1000`);
    const found = body.accounts.find((account: { email: string }) => account.email === email);
    const { body: account } = await portal.world.service.admin('GET', `/accounts/${found.account_id}`);
    const expiresAt = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const [trial] = account.subscriptions;
    await portal.world.service.admin('PATCH', `/subscriptions/${trial.id}`, { expires_at: expiresAt });
    await until('the refused token to be told', async () => {
      await page.goto(at('/portal'));
      return (await refused.count()) === 1;
    });
    const leads = await attention.locator('a').evaluateAll((links) => links.map((link) => link.outerHTML));
    const paths = leads.map((html) => /href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&'));
    expect(paths).toEqual([
      `/portal/deliveries?channel=${channelId}&state=failed`,
      `/portal/channels/${channelId}/connection`,
      '/portal/billing',
    ]);
    await attention.filter({ hasText: 'Your trial (pro) ends in 3 d' }).waitFor();
    await expectWellMade(page, 'home-attention');
  },
  60_000,
);

browserTest(
  'the link repairs it: a channel whose token is refused is reconnected unchanged, although no slot is free',
  async () => {
    await page.goto(at('/portal/channels'));
    const why = page.getByText('The platform refuses its access token: connect it again.');
    await why.waitFor();
    await page.getByText('No free slot for pagechat').waitFor();
    await page.goto(at('/portal'));
    await page.locator('.attention li', { hasText: 'reconnect' }).getByRole('link').click();
    expect(page.url()).toBe(at(`/portal/channels/${channelId}/connection`));
    await expectWellMade(page, 'channel-refused');
    await portal.world.simulator.control('dialog', { auto: 'allow', assets: [asset.pagechat], times: 1 });
    await page.getByRole('button', { name: 'Connect it again' }).click();
    await page.getByText('Connected. Its id, webhook and settings are unchanged.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/portal/channels/${channelId}`);
    await openTab(page, 'Webhook');
    expect(await page.getByLabel('Address of your receiver').inputValue()).toBe(portal.world.inbox.url);
    await until('the refused token to be forgotten', async () => {
      await page.goto(at('/portal/channels'));
      return (await why.count()) === 0;
    });
  },
  60_000,
);

browserTest(
  'without scripts all of it is there',
  async () => {
    const plain = await portal.newPage({ javaScriptEnabled: false });
    await plain.goto(at('/portal'));
    await plain.getByLabel('E-mail address').fill(email);
    await plain.getByLabel('Password').fill(password);
    await plain.getByRole('button', { name: 'Sign in' }).click();
    await plain.waitForURL(at('/portal'));
    await plain.locator('.attention').waitFor();
    await plain.getByText('The same as a table').click();
    await plain.getByRole('columnheader', { name: 'Given up' }).waitFor();
    expect(await plain.locator('.chart rect.given-up').count()).toBe(1);
    expect(await plain.content()).not.toMatch(/ style=/);
  },
  60_000,
);

browserTest(
  'a long name without a space does not stretch any page that shows it',
  async () => {
    const { page: own } = await portal.signUp();
    const name = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
    const plan = { name, subscribed: true, pages: [{ name, username: 'donau' }] };
    const { businesses } = await portal.world.simulator.control('businesses', plan);
    const pageId = String(businesses[0].pages[0].id);
    const channel = `/portal/channels/${await connectAsset(portal.world, own, 'pagechat', pageId)}`;
    await setWebhook(own, portal.world.inbox.url);
    portal.world.inbox.answerNext(503, 503);
    const writes = { channel: pageId, from: newPerson('pagechat'), text: 'hello', wait: true };
    await portal.world.simulator.control('people/write', writes);
    await until('it to be given up', async () => {
      await own.goto(at('/portal/mails'));
      return (
        (await own.getByText(name).count()) > 0 &&
        (await own.getByRole('heading', { name: /^Events of / }).count()) === 1
      );
    });
    await own.goto(at('/portal/deliveries'));
    const delivery = await own.getByRole('link', { name: 'message.received' }).getAttribute('href');
    await own.goto(at('/portal/messages'));
    const message = await own.getByRole('link', { name: 'What happened' }).getAttribute('href');
    const lists = ['', '/channels', '/deliveries', '/messages', '/mails'].map((each) => `/portal${each}`);
    for (const path of [...lists, channel, delivery ?? '', message ?? '']) {
      await own.goto(at(path));
      await own.getByText(name).first().waitFor({ state: 'attached' });
      await expectWellMade(own, `long${path.replaceAll('/', '-').slice(0, 60)}`);
    }
  },
  180_000,
);
