/** [portal: People] The pages of a person's own account in a real browser, at both widths: second step, address. */
import { expect } from '@jest/globals';
import { TOTP } from 'otpauth';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, expectWellMade, password } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest('the second step is switched on, and signing in asks for its code', async () => {
  const { page, email } = await portal.signUp();
  await page.goto(portal.at('/portal/account'));
  await expectWellMade(page, 'account');
  await page.goto(portal.at('/portal/account/address'));
  await expectWellMade(page, 'account-address');
  await page.goto(portal.at('/portal/account/second-step'));
  await expectWellMade(page, 'second-step-off');
  const secret =
    (await page
      .locator('code')
      .filter({ hasText: /^[A-Z2-7]{32}$/ })
      .textContent()) ?? '';
  const code = new TOTP({ secret }).generate({ timestamp: Date.now() - 30_000 });
  await page.getByLabel('Code', { exact: true }).fill(code);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
  await expectWellMade(page, 'recovery-codes');
  await page.goto(portal.at('/portal/account/second-step'));
  await expectWellMade(page, 'second-step-on');
  await page.goto(portal.at('/portal/people'));
  await expectWellMade(page, 'people-two-steps');

  const other = await portal.newPage();
  await other.goto(portal.at('/portal/sign-in'));
  await other.getByLabel('E-mail address').fill(email);
  await other.getByLabel('Password').fill(password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await expectWellMade(other, 'sign-in-code');
  await other.getByLabel('Code', { exact: true }).fill(new TOTP({ secret }).generate());
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.waitForURL(portal.at('/portal'));
  expect(await other.getByText(email).count()).toBe(1);
});
