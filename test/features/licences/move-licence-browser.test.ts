/** [portal: Channel] A channel gets another licence, in a real browser, at both widths and without scripts. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { accountIdOf } from '../../pages/visitor.ts';
import { browsedWorld, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest('a licence with an empty slot is chosen for a channel', async () => {
  const { page, email } = await portal.signUp({ javaScriptEnabled: false });
  const key = await portal.makeKey(page);
  const { id } = await portal.world.connect({ key }, 'photoapp');
  const accountId = await accountIdOf(portal.world, { email });
  const licence = { tier: 'starter', source: 'enterprise' };
  const { body } = await portal.world.service.admin('POST', `/accounts/${accountId}/subscriptions`, licence);
  await page.goto(portal.at(`/portal/channels/${id}/connection`));
  await page.getByRole('link', { name: 'Choose its licence' }).click();
  await page.getByLabel('starter, granted, no end').check();
  await page.getByRole('button', { name: 'Move it' }).click();
  const channel = await portal.world.service.call('GET', `/api/v1/channels/${id}`, { key });
  expect(channel.body.subscription.tier).toBe('starter');
  expect(body.tier).toBe('starter');
  const seen = await portal.newPage();
  await seen.context().addCookies(await page.context().cookies());
  await seen.goto(portal.at(`/portal/channels/${id}/licence`));
  await expectWellMade(seen, 'channel-licence');
  await seen.goto(portal.at(`/portal/channels/${id}/connection`));
  await expectWellMade(seen, 'channel-connection');
});
