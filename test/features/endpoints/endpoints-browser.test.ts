/** [spec: Additions, Endpoints] A channel's further endpoints in a real browser, at both widths. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest(
  'one is added from the tab of the webhook, its secret shown once, disabled and removed',
  async () => {
    const { page } = await portal.signUp();
    await page.goto(portal.at('/portal/keys'));
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page
      .getByText(/mip_live_[\w-]{43}/)
      .first()
      .waitFor();
    const [key = ''] = /mip_live_[\w-]{43}/.exec(await page.content()) ?? [];
    const { id } = await portal.world.connect({ key }, 'pagechat');
    await page.goto(portal.at(`/portal/channels/${id}/webhook`));
    await page.getByRole('link', { name: 'Add or change endpoints' }).click();
    await page.getByLabel('Address of its receiver').fill('ftp://crm.example.com');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.locator('#url-wrong').waitFor();
    await expectWellMade(page, 'endpoints-refused');
    await page.getByLabel('Address of its receiver').fill('https://crm.example.com/trunkline');
    await page.getByRole('button', { name: 'Add it' }).click();
    await page.getByText(/whsec_[A-Za-z0-9]{44}/).waitFor();
    await expectWellMade(page, 'endpoints-added');
    await page.getByRole('button', { name: 'Disable https://crm.example.com/trunkline' }).click();
    await page.getByText('disabled since').waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await page.goto(portal.at(`/portal/channels/${id}/webhook`));
    await page.getByText('(disabled)').waitFor();
    await expectWellMade(page, 'webhook-with-endpoints');
    await page.getByRole('link', { name: 'Enable, add or change endpoints' }).click();
    await page.getByRole('button', { name: 'Enable https://crm.example.com/trunkline' }).click();
    await page.getByText('gets events').waitFor();
    await page.getByRole('link', { name: 'Remove https://crm.example.com/trunkline' }).click();
    await page.getByRole('button', { name: 'Remove the endpoint' }).click();
    await page.getByText('There is none yet.').waitFor();
  },
);
