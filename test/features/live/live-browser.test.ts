/** [portal: Live] Present events, by the session only, and the events during a lost connection. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { newBusiness } from '../../support/setup.ts';
import { newPerson } from '../../support/sends.ts';
import { asset, person } from '../../support/world.ts';
import { browsedWorld, connect, connectAsset, expectWellMade, setWebhook } from '../../pages/browsing.ts';

const portal = browsedWorld({ WEBHOOK_RETRY_DELAYS_MS: '600000,600000', WEBHOOK_DEADLINE_MS: '1200000' });

const secretWords = 'a text that nobody may see here';
const write = () =>
  portal.world.simulator.control('people/write', {
    channel: asset.pagechat,
    from: person.pagechat,
    text: secretWords,
    wait: true,
  });

/** Lets a test cut the page's connection as a network does; `away` prevents its return. */
const connectionByHand = `{
  const Real = EventSource;
  window.streams = [];
  window.EventSource = class extends Real {
    constructor(url) {
      super(window.away ? String(url).replace('/live/', '/nowhere/') : url);
      window.streams.push(this);
    }
  };
  window.cut = () => {
    const stream = streams.at(-1);
    stream.close();
    stream.dispatchEvent(new Event('error'));
  };
}`;

const rows = (page: Page) => page.locator('#events .event');

browserTest(
  'events appear as they happen; after a lost connection the missed ones appear once each',
  async () => {
    const { context, page } = await portal.signUp();
    await page.addInitScript(connectionByHand);
    await connect(portal.world, page, 'pagechat');
    await setWebhook(page, portal.world.inbox.url);
    await page.goto(portal.at('/portal/live'));
    await page.locator('#live', { hasText: /^connected$/ }).waitFor();
    await write();
    await rows(page).first().waitFor();
    await expectWellMade(page, 'live');

    await page.evaluate('away = true; cut()');
    await page.getByText('connection lost, trying again').waitFor();
    await write();
    portal.world.inbox.answerNext(503);
    await write();
    await portal.world.inbox.next(3);
    await page.evaluate('away = false');
    await page.getByText('2 events came meanwhile').waitFor({ timeout: 30_000 });
    expect(await rows(page).count()).toBe(3);
    await expectWellMade(page, 'live-back');

    await write();
    await rows(page).nth(3).waitFor();
    await page.evaluate('cut()');
    await page.getByText('nothing was missed').waitFor();
    expect(await rows(page).count()).toBe(4);
    expect(await page.content()).not.toContain(secretWords);

    await page.getByRole('button', { name: 'Pause' }).click();
    await write();
    await page.getByRole('button', { name: 'Resume (paused, 1 new)' }).click();
    await rows(page).nth(4).waitFor();
    await page.reload();
    await rows(page).nth(4).waitFor();
    expect(await page.getByText('connection was lost').count()).toBe(0);
    const ended = rows(page).filter({ has: page.locator('.badge', { hasText: 'delivered' }) });
    await ended.first().locator('a.mono').click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    await page.goBack();
    await rows(page).nth(4).waitFor();

    await page.getByLabel('Only').selectOption('message.failed');
    expect(await rows(page).locator('visible=true').count()).toBe(0);
    const other = await context.newPage();
    await other.goto(portal.at('/portal'));
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('signed out: load the page again').waitFor({ timeout: 60_000 });
  },
  180_000,
);

browserTest(
  'after a lost connection the page does not show the events of another person who has signed in in another tab',
  async () => {
    const { context, page } = await portal.signUp();
    await page.addInitScript(connectionByHand);
    await page.goto(portal.at('/portal/live'));
    await page.locator('#live', { hasText: /^connected$/ }).waitFor();
    const other = await portal.signUp();
    await context.addCookies(await other.context.cookies());
    await page.evaluate('cut()');
    await page.getByText('signed out: load the page again').waitFor();
    expect(await page.evaluate('streams.length')).toBe(1);
  },
  60_000,
);

browserTest(
  'a paused page keeps the newest 200, and says how many more there were',
  async () => {
    const { page } = await portal.signUp();
    await page.addInitScript(connectionByHand);
    await page.goto(portal.at('/portal/live'));
    await page.locator('#live', { hasText: /^connected$/ }).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.evaluate(`for (let n = 1; n <= 203; n += 1) {
      const at = new Date(Date.UTC(2027, 8, 5, 12) + n).toISOString();
      const line = { id: 'w-' + n, since: at, at, event: 'message.sent', type: 'chatapp', channelId: 'c', messageId: 'm-' + n, words: '' };
      streams.at(-1).dispatchEvent(new MessageEvent('line', { data: JSON.stringify(line) }));
    }`);
    await page.getByRole('button', { name: 'Resume (paused, 203 new)' }).click();
    await page.getByText('3 earlier lines of the pause are not shown.').waitFor();
    expect(await rows(page).first().textContent()).toMatch(/^\d Sep, \d\d:\d\d:00.*m-203/);
    expect(await page.getByText('m-3', { exact: true }).count()).toBe(0);
  },
  60_000,
);

browserTest(
  'earlier events are listed in their order over all channels, each with its time in the zone of the page',
  async () => {
    const { page } = await portal.signUp({ timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
    const { phones, pages } = await newBusiness(portal.world.simulator, { phone_numbers: 1, pages: 1 });
    const friend = newPerson('pagechat');
    const [phone, pageId] = [phones[0]?.id ?? '', pages[0]?.id ?? ''];
    for (const [kind, id] of [
      ['chatapp', phone],
      ['pagechat', pageId],
    ] as const) {
      await connectAsset(portal.world, page, kind, id);
      await setWebhook(page, portal.world.inbox.url);
    }
    for (const channel of [phone, pageId, phone, pageId, phone]) {
      const from = channel === phone ? person.chatapp : friend;
      await portal.world.simulator.control('people/write', { channel, from, text: secretWords, wait: true });
    }
    await page.goto(portal.at('/portal/live'));
    await rows(page).nth(4).waitFor();
    const kinds = await rows(page).locator('a:first-of-type').allTextContents();
    expect(kinds).toEqual(['chatapp', 'pagechat', 'chatapp', 'pagechat', 'chatapp']);
    const time = await rows(page).first().locator('time').textContent();
    expect(time).toMatch(/^\d{1,2} \w{3}, \d\d:\d\d:\d\d$/);
    expect(await page.locator('.zone').textContent()).toMatch(/^Times in Asia\/(Kolkata|Calcutta)$/);
  },
  60_000,
);
