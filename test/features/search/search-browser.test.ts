/** [portal: Search] The field that searches everywhere, by keyboard, and its page at two widths. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, connect, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest(
  'a slash and Ctrl-K lead into the field, but a slash in a text is a slash; one hit is opened',
  async () => {
    const { page } = await portal.signUp();
    await page.goto(portal.at('/portal/billing'));
    await page.keyboard.press('/');
    await page.keyboard.type('a/deliv');
    expect(await page.getByLabel('Search everywhere').inputValue()).toBe('a/deliv');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('deliv');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/portal\/deliveries$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.keyboard.press('/');
    expect(await page.getByLabel('Search everywhere').isVisible()).toBe(true);
  },
  60_000,
);

browserTest(
  'several hits are links, in groups',
  async () => {
    const { page } = await portal.signUp();
    await connect(portal.world, page, 'pagechat');
    await page.goto(portal.at('/portal/search?q=e'));
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await expectWellMade(page, 'search');
    await page.getByRole('link', { name: 'Harbour Bakery' }).click();
    await page.waitForURL(/\/portal\/channels\/[\da-f-]+/);
  },
  60_000,
);
