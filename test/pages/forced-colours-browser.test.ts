/** [portal: how it looks] Where people choose the colours themselves, and on paper: what is said by a colour is still there. */
import { beforeAll, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { browsedWorld, connect, setWebhook } from './browsing.ts';

const portal = browsedWorld();
const { at } = portal;
let page: Page;
beforeAll(async () => {
  ({ page } = await portal.signUp({ forcedColors: 'active' }));
  await connect(portal.world, page, 'pagechat');
  await setWebhook(page, portal.world.inbox.url);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByText('Your receiver took the test event').waitFor();
}, 60_000);

/** The lines around the element: a browser reports the colours of the page for everything else. */
const linesOf = (selector: string): string => `(() => {
  const style = getComputedStyle(document.querySelector(${JSON.stringify(selector)}));
  return [style.borderBottom, style.outline];
})()`;

/** How many colours a picture of the element has. */
async function coloursOf(element: Locator): Promise<number> {
  const picture = (await element.screenshot()).toString('base64');
  return element.page().evaluate(`(async () => {
    const bytes = Uint8Array.from(atob('${picture}'), (each) => each.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const drawing = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    drawing.drawImage(bitmap, 0, 0);
    return new Set(new Uint32Array(drawing.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer)).size;
  })()`);
}

browserTest.each([
  ['place of the navigation', "[aria-label='Portal'] li"],
  ['tab', '.tabs'],
])('the %s where one is differs from the others', async (_name, list) => {
  await page.goto(at('/portal/keys'));
  const here: unknown = await page.evaluate(linesOf(`${list} a[aria-current]`));
  expect(here).not.toEqual(await page.evaluate(linesOf(`${list} a:not([aria-current])`)));
});

browserTest('the attempts of a delivery are seen', async () => {
  await page.goto(at('/portal/deliveries'));
  expect(await coloursOf(page.locator('.rows .bars').first())).toBeGreaterThan(1);
});

browserTest('paper has the page without the navigation', async () => {
  await page.goto(at('/portal/deliveries'));
  const navigation = page.getByRole('navigation', { name: 'Portal' });
  expect(await navigation.isVisible()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  expect(await navigation.isVisible()).toBe(false);
  expect((await page.getByRole('main').boundingBox())?.x).toBe(0);
  expect(await page.locator('.rows tbody tr').first().isVisible()).toBe(true);
});
