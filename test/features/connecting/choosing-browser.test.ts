/** [portal: Setup] The page on which a client's customers choose an asset, with all of its variants. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { codeIn, exchange, newBusiness, walkSetup } from '../../support/setup.ts';
import { newAccount } from '../../support/world.ts';
import { browsedWorld, expectWellMade, password, tabTo } from '../../pages/browsing.ts';

const portal = browsedWorld();
const { at } = portal;
let people = 0;

/** A business whose owner signed up and has started to connect a page. */
async function choosing(pages: string[]): Promise<Page> {
  people += 1;
  const page = await portal.newPage();
  await page.goto(at('/portal/sign-up'));
  await page.getByLabel('E-mail address').fill(`chooser-${people}@example.com`);
  await page.getByLabel('Name of your business').fill('Nine & Sons');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await portal.world.simulator.control('dialog', { auto: 'allow', times: 1, assets: pages });
  await page.goto(at('/portal/channels'));
  await page.getByRole('button', { name: 'Connect pagechat' }).click();
  await page.waitForURL(/setup\/choose/);
  return page;
}

browserTest(
  'each asset is listed once with its radio button, and a taken one says so',
  async () => {
    const { pages } = await newBusiness(portal.world.simulator, { pages: 3 });
    const ids = pages.map(({ id }) => id);
    await portal.world.connect(await newAccount(portal.world.service), 'pagechat', {
      upstream: ids[2] ?? '',
    });
    const page = await choosing(ids);
    await page.getByText('Nine & Sons asks for one.').waitFor();
    const first = pages[0]?.name ?? '';
    // The simulator gives all pages of a business one name.
    expect((await page.getByRole('main').innerText()).split(first)).toHaveLength(pages.length + 1);
    expect(await page.locator('script').count()).toBe(0);
    const radio = await page.getByRole('radio').first().boundingBox();
    const label = await page.getByText(first).first().boundingBox();
    const [top, bottom] = [radio?.y ?? 0, (radio?.y ?? 0) + (radio?.height ?? 0)];
    const middle = (label?.y ?? 0) + (label?.height ?? 0) / 2;
    expect(top < middle + 12 && middle - 12 < bottom && (radio?.x ?? 0) < (label?.x ?? 0)).toBe(true);
    await page.getByText('Taken: it is connected to another account.').waitFor();
    const colours: string[] = await page.evaluate(
      '[...document.querySelectorAll("button")].map((each) => getComputedStyle(each).backgroundColor)',
    );
    expect(new Set(colours).size).toBe(2);
    await expectWellMade(page, 'choose');
    await tabTo(page, 'Connect none');
    await page.keyboard.press('Enter');
    await page.getByText('You chose to connect none. Nothing was changed.').waitFor();
  },
  60_000,
);

browserTest(
  'when one asset is left because the others were taken meanwhile, the page says why',
  async () => {
    const { pages } = await newBusiness(portal.world.simulator, { pages: 2 });
    const ids = pages.map(({ id }) => id);
    const page = await choosing(ids);
    const { key } = await newAccount(portal.world.service);
    // A person has one grant: a page left out of the later dialog would lose its token.
    const code = codeIn(await walkSetup(portal.world, key, 'pagechat', { assets: ids }));
    expect((await exchange(portal.world.service, key, code)).status).toBe(200);
    await page.reload();
    await page.getByRole('heading', { name: 'Connect this page?' }).waitFor();
    await page.getByText('Taken: it is connected to another account.').waitFor();
    await expectWellMade(page, 'choose-one');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText('Connected. Set a webhook next').waitFor();
  },
  60_000,
);

browserTest(
  'when the last slot was taken meanwhile, nothing can be chosen, and the page leads back',
  async () => {
    const [{ pages }, other] = [
      await newBusiness(portal.world.simulator, { pages: 2 }),
      await newBusiness(portal.world.simulator),
    ];
    const page = await choosing(pages.map(({ id }) => id));
    const second = await page.context().newPage();
    await portal.world.simulator.control('dialog', {
      auto: 'allow',
      times: 1,
      assets: [other.pages[0]?.id ?? ''],
    });
    await second.goto(at('/portal/channels'));
    await second.getByRole('button', { name: 'Connect pagechat' }).click();
    await second.getByText('Connected. Set a webhook next').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'None of these pages can be connected' }).waitFor();
    expect(await page.getByText('Nine & Sons has no free slot for it.').count()).toBe(2);
    await expectWellMade(page, 'choose-none');
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByText('You chose to connect none.').waitFor();
  },
  60_000,
);
