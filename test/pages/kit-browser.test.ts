/** [portal: how it looks] The kit in a browser: the drawer, the menu, the zone, and what a page costs. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { until } from '../support/until.ts';
import { browsedWorld, connect, expectWellMade, openTab, password, setWebhook, widths } from './browsing.ts';

const portal = browsedWorld();
const { at } = portal;
const mostBytes = 60 * 1024;
const mostRequests = 10;

let known: Page | null = null;

/** A person with a channel and a delivery. */
async function withDelivery(): Promise<Page> {
  known ??= await signedUpWithDelivery();
  return known;
}

async function signedUpWithDelivery(): Promise<Page> {
  const { page } = await portal.signUp({ timezoneId: 'Asia/Tokyo' });
  await connect(portal.world, page, 'pagechat');
  await setWebhook(page, portal.world.inbox.url);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('Your receiver took the test event').waitFor();
  return page;
}

/** Links that the button to close the drawer lies on. */
const underClose = `(() => {
  const { left, bottom } = document.querySelector('.drawer > .shut').getBoundingClientRect();
  const isUnder = (box) => box.right > left && box.top < bottom;
  const links = [...document.querySelectorAll('.drawer a')];
  return links.filter((each) => [...each.getClientRects()].some(isUnder)).map((each) => each.textContent);
})()`;

browserTest(
  'a row opens beside the list, with the address of its page; back and Escape lead to the list',
  async () => {
    const page = await withDelivery();
    await page.goto(at('/portal/deliveries'));
    const list = page.url();
    const link = page.locator('a[data-drawer]').first();
    const own = at((await link.getAttribute('href')) ?? '');
    const drawer = page.getByRole('dialog');
    await link.click();
    await drawer.getByRole('heading', { name: 'Attempts' }).waitFor();
    expect([page.url(), await page.title()]).toEqual([own, 'Delivery · Trunkline']);
    await expectWellMade(page, 'drawer');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(underClose)).toEqual([]);
    await page.setViewportSize({ width: widths.desk, height: 900 });
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect([page.url(), await page.title()]).toEqual([list, 'Deliveries · Trunkline']);
    await page.goForward();
    await drawer.getByRole('heading', { name: 'Attempts' }).waitFor();
    await drawer.getByRole('button', { name: 'Close' }).click();
    await drawer.waitFor({ state: 'detached' });
    await link.click();
    await drawer.waitFor();
    await page.reload();
    expect(await drawer.count()).toBe(0);
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
  },
  60_000,
);

browserTest(
  'a page that was loaded where a drawer was open leads back to the list [faults: 581]',
  async () => {
    const page = await withDelivery();
    await page.goto(at('/portal/deliveries'));
    const drawer = page.getByRole('dialog');
    const attempts = page.getByRole('heading', { name: 'Attempts' });
    const list = page.getByRole('heading', { name: 'Deliveries', exact: true });
    await page.locator('a[data-drawer]').first().click();
    await drawer.getByRole('link', { name: 'Those of its channel' }).click();
    await page.waitForURL(/channel=/);
    await page.goBack(); // the page of the delivery, because nothing was kept of the list
    await attempts.waitFor();
    await page.goBack();
    await list.waitFor();
    expect(page.url()).toBe(at('/portal/deliveries'));
    await page.goForward();
    await attempts.waitFor();
    await page.reload();
    await page.goBack();
    await list.waitFor();
    await page.evaluate('location.hash = "main"');
    await page.goBack();
    expect([page.url(), await list.count()]).toEqual([at('/portal/deliveries'), 1]);
  },
  60_000,
);

/** As a browser that kept a page shows it again: the one of the tests keeps none. */
const restored = `dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`;

browserTest(
  'a page that the browser kept is not shown after its person has signed out; while signed in, what was typed stays [faults: 582]',
  async () => {
    const cookies = await (await withDelivery()).context().cookies();
    const page = await portal.newPage();
    await page.context().addCookies(cookies);
    await page.goto(at('/portal/channels'));
    await page.locator('main a[href^="/portal/channels/"]').first().click();
    await openTab(page, 'Webhook');
    const typed = page.getByLabel('Address of your receiver');
    await typed.fill(`${portal.world.inbox.url}/typed`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('Your receiver took the test event').waitFor(); // at the address of a form
    const asked = page.waitForEvent('requestfinished', (request) => request.resourceType() === 'fetch');
    await page.evaluate(restored);
    await asked;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect(await typed.inputValue()).toBe(`${portal.world.inbox.url}/typed`);
    await page.context().clearCookies({ name: 'trunkline_session' });
    await page.evaluate(restored);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  },
  60_000,
);

/** Lines that the controls of the filter take; -1: one of them is cut off. */
const filterLines = `(() => {
  const controls = [...document.querySelectorAll('.filter-toggle + form :is(input, select, button):not([type=hidden])')];
  const boxes = controls.map((each) => each.getBoundingClientRect());
  const end = document.querySelector('main').getBoundingClientRect().right;
  return boxes.some(({ right }) => right > end) ? -1 : new Set(boxes.map(({ top }) => Math.round(top))).size;
})()`;

browserTest(
  'a filter with a span of time is one line from 1024 px on',
  async () => {
    const page = await withDelivery();
    const lines: unknown[] = [];
    const paths = ['deliveries', 'messages', 'requests', 'audit'].map((name) => `/portal/${name}`);
    for (const path of paths) {
      await page.goto(at(path));
      for (const width of [1024, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        lines.push([path, width, await page.evaluate(filterLines)]);
      }
    }
    expect(lines).toEqual(paths.flatMap((path) => [1024, 1280].map((width) => [path, width, 1])));
  },
  60_000,
);

browserTest(
  'the field of a channel shows its whole name and number, and on a phone both ends of a span are on one line',
  async () => {
    const page = await withDelivery();
    await page.goto(at('/portal/deliveries'));
    await page.getByLabel('Channel').fill('Lantern Books (+1 555-010-0042)');
    for (const width of [1280, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate('document.querySelector(".filter-toggle").open = true');
      const cut = await page.evaluate(
        '(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector("[name=channel]"))',
      );
      expect([width, cut]).toEqual([width, 0]);
    }
    await page.setViewportSize({ width: 390, height: 900 });
    const ends = await Promise.all(
      ['From', 'To'].map((name) => page.getByLabel(name, { exact: true }).boundingBox()),
    );
    expect(ends[0]?.y).toBe(ends[1]?.y);
  },
  60_000,
);

browserTest(
  'times are in the zone of the browser from the first page after signing in',
  async () => {
    const { page } = await portal.signUp({ timezoneId: 'Asia/Tokyo' });
    expect(await page.locator('.zone').textContent()).toBe('Times in Asia/Tokyo');
  },
  60_000,
);

browserTest(
  'a form shows that it is sent, in the pressed button; a toast can be put away',
  async () => {
    const { page } = await portal.signUp();
    await connect(portal.world, page, 'photoapp');
    await page.getByLabel('Address of your receiver').fill(portal.world.inbox.url);
    await page.evaluate(`addEventListener('submit', ({ target }) => {
      const { textContent } = target.querySelector('[data-pressed]');
      sessionStorage.setItem('shown', [target.ariaBusy, textContent, 'loads' in document.body.dataset]);
    })`);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'I have stored it' }).click();
    const toast = page.locator('.toast');
    await toast.getByText('Saved.').waitFor();
    expect(await page.evaluate(`sessionStorage.getItem('shown')`)).toBe('true,Save,true');
    await toast.getByRole('button', { name: 'Close' }).click();
    expect(await toast.count()).toBe(0);
  },
  60_000,
);

browserTest(
  'a page costs at most ten requests and 60 KB when nothing is cached',
  async () => {
    const signedIn = await withDelivery();
    const cookies = await signedIn.context().cookies();
    for (const path of ['/portal', '/portal/deliveries', '/portal/messages', '/portal/channels']) {
      const page = await portal.newPage({ viewport: { width: widths.desk, height: 900 } });
      await page.context().addCookies(cookies);
      const sizes: Promise<number>[] = [];
      page.on('requestfinished', (request) =>
        sizes.push(request.sizes().then((size) => size.responseBodySize)),
      );
      await page.goto(at(path));
      await until('the page to be loaded', async () => page.evaluate('document.readyState === "complete"'));
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect([path, sizes.length <= mostRequests, bytes <= mostBytes]).toEqual([path, true, true]);
    }
  },
  60_000,
);

browserTest(
  'what was typed is found by going back: from a form that was refused, and after a sign-in when the session had ended [faults: 564]',
  async () => {
    const { page, context, email } = await portal.signUp();
    const typed = page.getByLabel('Name', { exact: true });
    const send = () => page.getByRole('button', { name: 'Make a key' }).click();
    await page.goto(at('/portal/keys'));
    await typed.fill('of the shop');
    await page.evaluate(`document.querySelector('main [name=csrf]').value = 'old'`);
    await send();
    await page.getByText('look whose account it is').waitFor();
    await page.goBack();
    expect(await typed.inputValue()).toBe('of the shop');
    await context.clearCookies({ name: 'trunkline_session' });
    await send();
    const toast = page.locator('.toast', { hasText: 'going back finds what you typed' });
    await toast.getByRole('button', { name: 'Close' }).waitFor();
    expect((await toast.boundingBox())?.height).toBeLessThan(120); // a few lines, not a letter on each
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(at('/portal/keys'));
    await page.goBack();
    await page.goBack();
    expect(await typed.inputValue()).toBe('of the shop');
    await send();
    await page.getByText('Copy it now').waitFor();
  },
  60_000,
);
