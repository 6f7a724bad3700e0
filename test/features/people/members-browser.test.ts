/** [operator-interface §4, people of an account] The pages of an account's people in a browser: at two widths, by keyboard, without scripts. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, expectWellMade, password, tabTo } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest(
  'inviting, joining, changing and removing without scripts, by keyboard',
  async () => {
    const { url } = portal.world.service;
    const { page, context } = await portal.signUp({ javaScriptEnabled: false });
    const { page: looking, context: other } = await portal.signUp();
    await page.getByRole('link', { name: 'People' }).click();
    await tabTo(page, 'E-mail address');
    await page.keyboard.type('mia@example.com');
    await tabTo(page, 'Invite');
    await page.keyboard.press('Enter');
    await page.getByText('invited', { exact: true }).waitFor();
    const change = page.getByRole('link', { name: 'Change mia@example.com' });
    const id = (await change.getAttribute('href'))?.split('/').at(-1) ?? '';
    const { body } = await portal.world.service.admin('POST', `/people/${id}/invitation-link`);
    await looking.goto(body.link);
    await expectWellMade(looking, 'invitation');
    await looking.getByLabel('Password').fill(password);
    await looking.getByRole('button', { name: 'Join' }).click();
    await looking.getByText('Signed in as').or(looking.getByText('mia@example.com')).first().waitFor();
    await page.goto(`${url}/portal/people`);
    await change.click();
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('viewer', { exact: true }).waitFor();
    await looking.goto(`${url}/portal/people`);
    await expectWellMade(looking, 'people-viewer');
    const refused = await looking.goto(`${url}/portal/people/${id}`);
    expect(refused?.status()).toBe(403);
    await expectWellMade(looking, 'not-for-role');
    await looking.goto(`${url}/portal/people/leave`);
    await expectWellMade(looking, 'leave');
    await change.click();
    await page.getByRole('link', { name: 'Remove from the account' }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await change.waitFor({ state: 'detached' });
    expect((await looking.goto(`${url}/portal/people`))?.url()).toContain('/portal/sign-in');
    await Promise.all([context, other].map((each) => each.close()));
  },
  60_000,
);

browserTest(
  "an owner's pages pass the page checks",
  async () => {
    const { url } = portal.world.service;
    const { page, context, email } = await portal.signUp();
    await page.goto(`${url}/portal/people`);
    await page.getByLabel('E-mail address').fill(email);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('among the people of this account').waitFor();
    await expectWellMade(page, 'people-refused');
    await page.getByLabel('E-mail address').fill('noa@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('invited', { exact: true }).waitFor();
    await expectWellMade(page, 'people');
    await page.getByRole('link', { name: 'Who changed what' }).click();
    await page.getByText('person.invited').waitFor();
    await expectWellMade(page, 'audit');
    await page.getByLabel('Who').selectOption('key');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('Nothing fits. Choose another actor, action or time.').waitFor();
    await expectWellMade(page, 'audit-nothing');
    await page.goto(`${url}/portal/people`);
    await page.getByRole('link', { name: 'Change noa@example.com' }).click();
    await expectWellMade(page, 'person');
    await page.getByRole('link', { name: 'Take the invitation back' }).click();
    await expectWellMade(page, 'person-remove');
    await context.close();
  },
  60_000,
);
