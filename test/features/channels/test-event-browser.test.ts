/** [portal: Channel] A test event of any type in a real browser, at both widths and without scripts. */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { browsedWorld, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();

browserTest('an event is chosen, its payload changed, and sent, without scripts', async () => {
  const { page } = await portal.signUp({ javaScriptEnabled: false });
  const key = await portal.makeKey(page);
  const { id } = await portal.world.connect({ key }, 'chatapp');
  await page.goto(portal.at(`/portal/channels/${id}/webhook`));
  await page.getByRole('link', { name: 'Send a test event of any type' }).click();
  await page.getByLabel('Event').selectOption('message.failed');
  await page.getByRole('button', { name: 'Show its payload' }).click();
  const typed = await page.getByLabel('Its data').inputValue();
  await page.getByLabel('Its data').fill(typed.replace('"failed"', '"late"'));
  await page.getByRole('button', { name: 'Send it' }).click();
  expect(await page.locator('#data-wrong').textContent()).toContain('status');
  await page.getByLabel('Its data').fill(typed.replace('4915900000777', '4915900000001'));
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.getByText('Your receiver took the test event').waitFor();
  const { event } = await portal.world.inbox.event('message.failed');
  expect(event.data['recipient']).toBe('4915900000001');
});

browserTest('its page is well made, also with what was refused', async () => {
  const { page } = await portal.signUp();
  const key = await portal.makeKey(page);
  const { id } = await portal.world.connect({ key }, 'pagechat');
  await page.goto(portal.at(`/portal/channels/${id}/test-event`));
  await expectWellMade(page, 'test-event');
  await page.getByLabel('Its data').fill('{}');
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.locator('#data-wrong').waitFor();
  await expectWellMade(page, 'test-event-refused');
});
