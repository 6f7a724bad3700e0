/** [portal: how it works] The result of a form is shown on the next page, and not again. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, connect, openTab, setWebhook } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest(
  'a result is shown once: a page that is reloaded, or returned to, does not show it',
  async () => {
    const { page } = await portal.signUp();
    const channelId = await connect(portal.world, page, 'pagechat');
    const news = page.locator('.toast[role=status] > div');
    expect(new URL(page.url()).search).toBe('');
    await page.reload();
    expect(await news.count()).toBe(0);
    await setWebhook(page, portal.world.inbox.url);
    expect([await news.textContent(), new URL(page.url()).search]).toEqual(['Saved.', '']);
    const list = `/portal/deliveries?channel=${channelId}&state=failed`;
    await page.goto(portal.at(`${list}&begun=2&left=1&cut=1`));
    expect(await news.textContent()).toContain('2 deliveries are on the way again');
    expect(page.url()).toBe(portal.at(list));
    await page.goto(portal.at('/portal/people?invited'));
    expect(await news.count()).toBe(1);
    await page.goBack();
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    expect(await news.count()).toBe(0);
    await page.goForward();
    await page.getByRole('heading', { name: 'People' }).waitFor();
    expect(await news.count()).toBe(0);
  },
  120_000,
);

browserTest(
  'that a form came too late is said once, by the sign-in pages of the portal and of the console',
  async () => {
    const page = await portal.newPage();
    for (const path of ['/portal/sign-in', '/operators/enter']) {
      await page.goto(portal.at(`${path}?ended`));
      await page.getByText('what you sent was not done').waitFor();
      await page.waitForURL(portal.at(path));
      await page.reload();
      expect(await page.getByText('what you sent was not done').count()).toBe(0);
    }
  },
  60_000,
);

browserTest(
  'a form that is answered in place: going back to its answer, or loading the answer again, shows the page of the form',
  async () => {
    const { page, email } = await portal.signUp();
    const channelId = await connect(portal.world, page, 'chatapp');
    await openTab(page, 'Send a message');
    await page.getByLabel('Recipient').fill('Mia');
    await page.getByLabel('Text').fill('Hello');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The answer: 400').waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.waitForURL(portal.at('/portal'));
    await page.goBack();
    await page.waitForURL(portal.at(`/portal/channels/${channelId}/send`));
    await page.goto(portal.at('/portal/people'));
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.locator('[aria-invalid]').waitFor();
    await page.reload();
    await page.locator('[aria-invalid]').waitFor({ state: 'detached' });
  },
  60_000,
);

browserTest(
  'a form whose button is pressed again before the answer is posted once, and is busy until then',
  async () => {
    const { page } = await portal.signUp();
    await page.goto(portal.at('/portal/keys'));
    await page.getByLabel('Name').fill('pressed twice');
    const pressed = await page.evaluate(`(() => {
      const button = document.querySelector('form[action="/portal/keys"] button');
      const posted = [];
      addEventListener('submit', (event) => posted.push(!event.defaultPrevented));
      button.click();
      button.click();
      return [...posted, button.form.getAttribute('aria-busy')];
    })()`);
    expect(pressed).toEqual([true, false, 'true']);
    await page.getByText('mip_live_').first().waitFor();
  },
  60_000,
);
