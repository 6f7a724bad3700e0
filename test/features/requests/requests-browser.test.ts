/** [portal: Requests] */
import { expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { person } from '../../support/world.ts';
import { browsedWorld, connect, expectWellMade, setWebhook } from '../../pages/browsing.ts';

const portal = browsedWorld();
const { at } = portal;

browserTest(
  'a failed call is found by its request id, status and route; a message links to the call that sent it, accepted or refused',
  async () => {
    const { page } = await portal.signUp();
    const key = await portal.makeKey(page);
    const channelId = await connect(portal.world, page, 'chatapp');
    await setWebhook(page, portal.world.inbox.url);
    const send = (recipient: string) =>
      portal.world.service.call('POST', '/api/v1/messages/send', {
        key,
        body: { channel_id: channelId, recipient, text: 'a text that nobody may see here' },
      });
    const refused = (await send('Mia')).headers.get('x-request-id') ?? '';
    const sent = await send(person.chatapp);
    await portal.world.inbox.event('message.sent');
    await page.goto(at('/portal/requests'));
    const rows = page.locator('tbody tr');
    // A call is listed within a second, and the page does not refresh by itself.
    const listed = (what: string, count: number) =>
      until(what, async () => (await rows.count()) === count || !(await page.reload()));
    await listed('both calls', 2);
    await expectWellMade(page, 'requests');
    const placeOf = async (part: string) => (await rows.first().locator(part).last().boundingBox())!;
    const [id, copy] = [await placeOf('.copyable code'), await placeOf('.copyable button')];
    expect([copy.x >= id.x + id.width, copy.y < id.y + id.height]).toEqual([true, true]);
    await page.getByLabel('Request id', { exact: true }).fill(refused);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Route').fill('/api/v1/messages/send');
    await page.getByRole('button', { name: 'Show' }).click();
    await listed('one call', 1);
    expect(await rows.first().textContent()).toContain('invalid_recipient');
    await portal.world.simulator.control('faults', {
      match: { recipient: person.chatapp },
      act: 'refuse',
      code: 131026,
      times: 1,
    });
    const failed = await send(person.chatapp);
    expect(failed.body.status).toBe('failed');
    for (const { body, headers } of [sent, failed]) {
      await page.goto(at(`/portal/channels/${channelId}/messages/${body.message_id}`));
      await page.getByRole('link', { name: headers.get('x-request-id') ?? '' }).click();
      await listed('the call that sent it', 1);
    }
    expect(await page.content()).not.toContain('a text that nobody may see here');
    await page.goto(at('/portal/requests?status=503'));
    await page.getByText('No requests match').waitFor();
  },
  120_000,
);
