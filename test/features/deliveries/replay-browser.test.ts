/** [portal: Deliveries] Failed deliveries are kept if a channel asks for it, and replayed: selected ones, or all since a time. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { until } from '../../support/until.ts';
import { asset, person } from '../../support/world.ts';
import { browsedWorld, connect, expectWellMade, setWebhook, tabTo } from '../../pages/browsing.ts';

const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_DEADLINE_MS: '60000' });
const { at } = portal;
let page: Page;
let channelId: string;

const rows = (text: string) => page.locator('tbody tr', { hasText: text });
const posted = (): string[] =>
  portal.world.inbox.arrivals.map(({ headers }) => String(headers['x-webhook-id']));

/** Makes this many events whose deliveries fail; returns their ids, the oldest first. */
async function givenUp(count: number): Promise<string[]> {
  await page.goto(at('/portal/deliveries?state=failed'));
  const before = await rows('failed').count();
  portal.world.inbox.answerAlways(503);
  for (let n = 0; n < count; n += 1)
    await portal.world.simulator.control('people/write', {
      channel: asset.pagechat,
      from: person.pagechat,
      text: 'hello',
      wait: true,
    });
  await until('all to be given up', async () => {
    await page.goto(at('/portal/deliveries?state=failed'));
    return (await rows('failed').count()) === before + count;
  });
  portal.world.inbox.answerAlways(200);
  const newest = (await rows('failed').all()).slice(0, count);
  const ids = await Promise.all(
    newest.map(async (row) => (await row.getAttribute('id'))?.slice('row-'.length) ?? ''),
  );
  return ids.toReversed();
}

browserTest(
  'without a retention nothing can be replayed, and the page says so',
  async () => {
    ({ page } = await portal.signUp());
    channelId = await connect(portal.world, page, 'pagechat');
    await setWebhook(page, portal.world.inbox.url);
    // Channels that are connected here keep them for three days.
    await page.getByLabel('Days that a failed event can be sent again').fill('0');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await givenUp(1);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await rows('failed').getByRole('link', { name: 'message.received' }).click();
    await page.getByText('Its content is erased: it can’t be sent again.').waitFor();
    await page.goto(at('/portal/deliveries'));
    await page.getByRole('button', { name: 'Replay all that failed since' }).click();
    await page.getByRole('heading', { name: 'Nothing to replay' }).waitFor();
    await expectWellMade(page, 'replay-nothing');
  },
  120_000,
);

browserTest(
  "the retention is set on the channel's page, which refuses an invalid one",
  async () => {
    const days = page.getByLabel('Days that a failed event can be sent again');
    await page.goto(at(`/portal/channels/${channelId}/webhook`));
    await page.evaluate('for (const form of document.forms) form.noValidate = true');
    await days.fill('31');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Must be at most 30').waitFor();
    await expectWellMade(page, 'channel-days');
    await days.fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await days.inputValue()).toBe('7');
  },
  60_000,
);

browserTest(
  'deliveries of an event that the channel has disabled are not replayed, and the page says why',
  async () => {
    const [kept = ''] = await givenUp(1);
    await page.goto(at(`/portal/channels/${channelId}/webhook`));
    const event = page.getByLabel(/^message\.received/);
    await event.uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(at(`/portal/channels/${channelId}/deliveries/${kept}`));
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText('this event is no longer selected there').waitFor();
    expect(posted().filter((id) => id === kept)).toHaveLength(3);
    await page.goto(at(`/portal/channels/${channelId}/webhook`));
    await event.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.goto(at(`/portal/channels/${channelId}/deliveries/${kept}`));
    await page.getByRole('button', { name: 'Send it again' }).click();
    await page.getByText('Another attempt is running').waitFor();
    await until('it to arrive', () => posted().filter((id) => id === kept).length === 4);
  },
  120_000,
);

browserTest(
  'by keyboard only: selected deliveries are replayed, in the order of the events, with their ids',
  async () => {
    const [first, , third] = await givenUp(3);
    const before = posted().length;
    // The newest first: the third, and the first.
    for (const n of [0, 2]) {
      await rows('failed').nth(n).getByRole('checkbox').focus();
      await page.keyboard.press('Space');
    }
    await tabTo(page, 'Send the selected ones again');
    await page.keyboard.press('Enter');
    await page.getByText('2 deliveries are on the way again.').waitFor();
    await until('both to arrive', () => posted().length === before + 2);
    expect(posted().slice(before)).toEqual([first, third]);
  },
  120_000,
);

browserTest(
  'all that failed since a time are replayed, after a confirmation with their number, and with progress',
  async () => {
    await page.goto(at('/portal/deliveries?state=failed'));
    // One that is kept, and the earlier ones.
    await until('what is left', async () => {
      await page.reload();
      return (await rows('failed').count()) === 2;
    });
    const before = posted().length;
    await page.getByRole('button', { name: 'Replay all that failed since' }).click();
    await page.getByRole('heading', { name: 'Send it again?' }).waitFor();
    await expectWellMade(page, 'replay-ask');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('1 delivery is on the way again.').waitFor();
    await page.getByRole('progressbar').waitFor();
    await expectWellMade(page, 'replay-progress');
    await page.getByText('1 of 1 are on their way again; the replay has ended.').waitFor();
    await until('it to arrive, and to be on record', async () => {
      await page.goto(at('/portal/deliveries?state=failed'));
      return (await rows('failed').count()) === 1;
    });
    expect(posted()).toHaveLength(before + 1);
  },
  120_000,
);

browserTest(
  'the same works without scripts',
  async () => {
    await givenUp(3);
    const plain = await portal.signUp({ javaScriptEnabled: false });
    await plain.context.clearCookies();
    await plain.context.addCookies(await page.context().cookies());
    const before = posted().length;
    await plain.page.goto(at('/portal/deliveries'));
    await plain.page.getByRole('button', { name: 'Replay all that failed since' }).click();
    await plain.page.getByRole('button', { name: 'Replay', exact: true }).click();
    await plain.page.getByText('on the way again').first().waitFor();
    await until('them to arrive', () => posted().length > before);
  },
  60_000,
);
