/** [spec: Additions, Endpoints] A channel's further endpoints in a real browser, at both widths. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest(
  'one is added from the tab of the webhook, its secret shown once, changed, tested, disabled and removed',
  async () => {
    const { page } = await portal.signUp();
    const key = await portal.makeKey(page);
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
    await page.getByRole('link', { name: 'https://crm.example.com/trunkline', exact: true }).click();
    await page.getByLabel('Headers').fill('Authorization');
    await page.getByLabel('message.read').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Line 1 is not written as Name: value').waitFor();
    await expectWellMade(page, 'endpoint-refused');
    await page.getByLabel('Headers').fill('Authorization: Bearer 3f0c9a');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.getByLabel('Headers').inputValue()).toBe('Authorization: ••••••••');
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('What was sent and answered').waitFor();
    await expectWellMade(page, 'endpoint-tested');
    const path = new URL(page.url()).pathname.replace(/\/test$/, '');
    await page.getByRole('link', { name: 'Those of this endpoint' }).click();
    await expectWellMade(page, 'deliveries-of-endpoint');
    await page.goto(portal.at('/portal/deliveries'));
    await page.getByRole('columnheader', { name: 'Endpoint' }).waitFor();
    await expectWellMade(page, 'deliveries-with-endpoints');
    await page.getByRole('link', { name: 'webhook.test' }).click();
    await page.getByText('Those of its endpoint').waitFor();
    await expectWellMade(page, 'delivery-of-endpoint');
    await page.goto(portal.at(path));
    await page.getByRole('link', { name: 'Make a new secret' }).click();
    await expectWellMade(page, 'endpoint-secret-asked');
    await page.getByRole('button', { name: 'Make a new secret' }).click();
    await page.getByText(/whsec_[A-Za-z0-9]{44}/).waitFor();
    await expectWellMade(page, 'endpoint-secret');
    await page.getByRole('button', { name: 'Disable it' }).click();
    await page.getByRole('button', { name: 'Enable it' }).waitFor();
    await page.getByRole('link', { name: 'The endpoints of the channel' }).click();
    await page.getByText('disabled since').waitFor();
    expect(await page.content()).not.toContain('whsec_');
    await page.goto(portal.at(`/portal/channels/${id}/webhook`));
    await page.getByText('(disabled)').waitFor();
    await expectWellMade(page, 'webhook-with-endpoints');
    await page.getByRole('link', { name: 'Enable, add or change endpoints' }).click();
    await page.getByRole('link', { name: 'Change https://crm.example.com/trunkline' }).click();
    await page.getByRole('button', { name: 'Enable it' }).click();
    await page.getByText('gets events').waitFor();
    await page.getByRole('link', { name: 'Remove the endpoint' }).click();
    await page.getByRole('button', { name: 'Remove the endpoint' }).click();
    await page.getByText('There is none yet.').waitFor();
  },
);
