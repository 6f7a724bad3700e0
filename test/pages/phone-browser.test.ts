/** [portal: how it looks] What a page says on a desk it says on a phone: why a channel is not well, what a time is of, what to type. */
import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { browsedWorld, connect, expectWellMade, widths } from './browsing.ts';
import { focusedOf } from './focus.ts';

const portal = browsedWorld();
const { at } = portal;
const phones = [widths.phone, 320];
let page: Page;
let channelId: string;
beforeAll(async () => {
  ({ page } = await portal.signUp());
  channelId = await connect(portal.world, page, 'pagechat');
}, 60_000);

browserTest.each([
  ['Channels', '/portal/channels'],
  ['Home', '/portal'],
])(
  '%s: a row says why its channel is not well, below its name, and what its times are of',
  async (_name, path) => {
    await page.goto(at(path));
    const row = page.locator('.rows tbody tr').first();
    for (const width of phones) {
      await page.setViewportSize({ width, height: 900 });
      const why = row.getByText('Its webhook has no address, or no event is selected: it gets no event.');
      expect([width, await why.isVisible()]).toEqual([width, true]);
      const boxes = await Promise.all([row, row.locator('.read-by'), why].map((each) => each.boundingBox()));
      const [whole, name, reason] = boxes.map((box) => box ?? { x: NaN, y: NaN, width: NaN, height: NaN });
      expect(reason?.x).toBe(name?.x);
      expect(reason?.y).toBeGreaterThanOrEqual((name?.y ?? NaN) + (name?.height ?? NaN));
      expect(reason?.width).toBeGreaterThan((whole?.width ?? NaN) * 0.8);
      for (const head of ['Last heard', 'Last delivered']) {
        const time = row.getByRole('cell', { name: new RegExp(String.raw`^${head} (never|\d.*)$`) });
        expect([width, head, await time.count()]).toEqual([width, head, 1]);
      }
    }
    await expectWellMade(page, `phone-${path.replaceAll(/\W+/g, '-')}`);
  },
  60_000,
);

/** Of the fields that one sees: what is cut of the texts that they show until something is typed. */
const cutPlaceholders = `[...document.querySelectorAll('[placeholder]')].filter((each) => each.checkVisibility()).flatMap((each) => {
  each.value = each.placeholder;
  const isCut = each.scrollWidth > each.clientWidth;
  each.value = '';
  return isCut ? [each.placeholder] : [];
})`;

browserTest(
  'the text in an empty field is whole',
  async () => {
    const paths = [
      'messages',
      'deliveries',
      'redirects',
      'default-webhook',
      `channels/${channelId}/endpoints`,
    ];
    for (const path of paths) {
      const answer = await page.goto(at(`/portal/${path}`));
      for (const width of phones) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true');
        const cut = await page.evaluate(cutPlaceholders);
        expect([path, answer?.status(), width, cut]).toEqual([path, 200, width, []]);
      }
    }
  },
  60_000,
);

/** Of the moments that one sees: those whose field is narrower than the longest with its icon and the room around both. */
const cutMoments = `[...document.querySelectorAll('[type=datetime-local]')].filter((each) => each.checkVisibility()).flatMap((each) => {
  const drawing = document.createElement('canvas').getContext('2d');
  drawing.font = getComputedStyle(each).font;
  const room = drawing.measureText('12/29/2026, 12:58 PM').width + 32;
  return each.getBoundingClientRect().width < room ? [each.name] : [];
})`;

browserTest(
  'a moment in a field is whole, on a desk too',
  async () => {
    for (const path of ['messages', 'deliveries', 'requests', 'audit']) {
      await page.goto(at(`/portal/${path}`));
      for (const width of [...phones, 640, 1_024, widths.desk]) {
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate('for (const each of document.querySelectorAll("main details")) each.open = true');
        expect([path, width, await page.evaluate(cutMoments)]).toEqual([path, width, []]);
      }
    }
  },
  60_000,
);

browserTest(
  'a key that may do nothing, or that has ended, is refused at its field, which has the focus',
  async () => {
    await page.setViewportSize({ width: widths.phone, height: 900 });
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('shop');
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Make a key' }).click();
    const box = page.getByRole('checkbox').first();
    await page.getByText('Choose at least one.').waitFor();
    expect(await box.evaluate((each) => each.matches(':focus'))).toBe(true);
    expect(await box.getAttribute('aria-describedby')).toBe('scopes-wrong');
    expect((await focusedOf(page)).isSeen).toBe(true);
    await expectWellMade(page, 'key-without-scope');
    await box.check();
    await page.getByLabel('Last day').fill('2020-01-01');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.locator('#expires_at-wrong').waitFor();
    expect((await focusedOf(page)).name).toContain('Last day');
  },
  60_000,
);
