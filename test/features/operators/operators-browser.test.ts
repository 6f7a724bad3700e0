/** [operator-interface §3] The console in a real browser: page checks at both widths, by keyboard, without scripts. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { adminToken } from '../../support/service.ts';
import { newAccount } from '../../support/world.ts';
import { browsedWorld, expectWellMade, password, tabTo } from '../../pages/browsing.ts';
import { accountIdOf } from '../../pages/visitor.ts';

const portal = browsedWorld();

const at = (path: string): string => portal.at(`/operators${path}`);

async function enter(page: Page): Promise<void> {
  await page.goto(at(''));
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor();
}

browserTest(
  'every page passes the page checks at both widths',
  async () => {
    const page = await portal.newPage();
    await page.goto(at('/enter'));
    await expectWellMade(page, 'operators-enter');
    await enter(page);
    await expectWellMade(page, 'operators-now');
    const channel = await portal.world.connected('chatapp');
    const { accountId } = await newAccount(portal.world.service);
    const { page: owner, email } = await portal.signUp();
    await owner.goto(portal.at('/portal/people'));
    await owner.getByLabel('E-mail address').fill('invited.with.a.long.address@subdomain.example.com');
    await owner.getByRole('button', { name: 'Invite' }).click();
    await owner.getByText('its operators make the link').waitFor();
    const way = await owner.getByRole('link', { name: /^Change/ }).getAttribute('href');
    const { body: made } = await portal.world.service.admin(
      'POST',
      `${way?.slice('/portal'.length)}/invitation-link`,
    );
    const second = await portal.newPage();
    await second.goto(made.link);
    await second.getByLabel('Password').fill(password);
    await second.getByRole('button', { name: 'Join' }).click();
    await second.waitForURL(portal.at('/portal'));
    const peopled = await accountIdOf(portal.world, { email });
    const { body } = await portal.world.service.admin('GET', '/nodes');
    const node = body.nodes[0].node_id;
    await page.goto(at(`/accounts/${accountId}`));
    const change = page.getByRole('link', { name: 'Change this licence' });
    const licence = (await change.getAttribute('href'))?.slice('/operators'.length) ?? '';
    const places = [
      `/nodes/${node}/drain`,
      '/accounts',
      '/accounts?q=nobody',
      `/accounts/${accountId}`,
      `/accounts/${peopled}`,
      `/accounts/${peopled}${way?.slice('/portal'.length)}/role`,
      `/accounts/${accountId}/suspend`,
      `/accounts/${accountId}/given-up`,
      `/channels/${channel.id}`,
      '/aside',
      licence,
      '/mails',
      '/platform',
      '/audit',
      '/audit?since=yesterday',
    ];
    for (const place of places) {
      await page.goto(at(place));
      await expectWellMade(page, `operators${place.replaceAll(/[/?=]/g, '-').slice(0, 40)}`);
    }
  },
  300_000,
);

browserTest(
  'the licence of a channel is whole in its field, to its last word',
  async () => {
    const page = await portal.newPage();
    await enter(page);
    const { id } = await portal.world.connected('chatapp');
    await page.goto(at(`/channels/${id}`));
    const [shown, whole]: number[] = await page.getByLabel('Licence', { exact: true }).evaluate((field) => {
      const { width } = field.getBoundingClientRect();
      field.style.maxWidth = 'none';
      return [width, field.getBoundingClientRect().width];
    });
    expect(shown).toBe(whole);
  },
  60_000,
);

browserTest(
  'by keyboard only and without scripts: sign in, find an account, suspend it, see who did it',
  async () => {
    const { accountId } = await newAccount(portal.world.service);
    const page = await portal.newPage();
    // The pages use no scripts here, but the check of the focus needs the page's engine.
    await page.route('**/*.js', (route) => route.abort());
    await page.goto(at(''));
    await tabTo(page, 'Admin token');
    await page.keyboard.type(adminToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    await tabTo(page, 'Accounts');
    await page.keyboard.press('Enter');
    await page.waitForURL(at('/accounts'));
    await tabTo(page, /^Address, name/);
    await page.keyboard.type(accountId);
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=/);
    await tabTo(page, /@example\.com$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(at(`/accounts/${accountId}`)); // the search form's URL ends in the id too
    await tabTo(page, 'Suspend');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Suspend .+\?$/ }).waitFor();
    await tabTo(page, 'Suspend it');
    await page.keyboard.press('Enter');
    await page.getByText('sends answer 402, events are').waitFor();
    await tabTo(page, 'Who changed what');
    await page.keyboard.press('Enter');
    await page.getByText('account.suspended-or-resumed').waitFor();
    expect(await page.getByText('suspended: false → true').count()).toBe(1);
  },
  300_000,
);
