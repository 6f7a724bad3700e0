/** [operator-interface §3] From sign-up to a message, as people do it: with a mouse, by keyboard only, without scripts. */
import { expect } from '@jest/globals';
import { featurePages } from '../../src/features/pages.ts';
import { browserTest } from '../support/browser.ts';
import { asset, person } from '../support/world.ts';
import {
  browsedWorld,
  connect,
  expectWellMade,
  expectWholeNavigation,
  openTab,
  password,
  tabTo,
  widths,
} from './browsing.ts';

const portal = browsedWorld();
const { at } = portal;
/** Every page with the navigation that needs no id. */
const addresses = featurePages.flatMap(({ place, samples = [] }) => [
  ...(place?.path.startsWith('/portal') === true ? [place.path] : []),
  ...samples,
]);
const allowing = (...assets: string[]) =>
  portal.world.simulator.control('dialog', { auto: 'allow', assets, times: 1 });

browserTest(
  'every page passes the page checks at both widths, empty and filled',
  async () => {
    const outside = await portal.newPage();
    for (const path of ['sign-in', 'sign-up', 'forgot', 'reset?token=x', 'confirm?token=x']) {
      await outside.goto(at(`/portal/${path}`));
      await expectWellMade(outside, path.replace(/\?.*/, ''));
    }
    const { page } = await portal.signUp();
    const errors: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    for (const address of addresses) {
      await page.goto(at(address));
      await expectWholeNavigation(page);
      await expectWellMade(page, `empty-${address.replaceAll(/\W+/g, '-')}`);
    }
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('shop_'.repeat(12));
    await page.getByRole('button', { name: 'Make a key' }).click();
    await expectWellMade(page, 'new-key');
    await page.goto(at('/portal/keys'));
    await expectWellMade(page, 'keys');
    const shown = page.locator('td[data-head="Key"] code');
    expect(await shown.evaluate((element) => element.getClientRects().length)).toBe(1);
    await page.goto(at('/portal/keys/older?until=99999999999999'));
    await page.getByRole('button', { name: 'Revoke all of them' }).waitFor();
    await expectWellMade(page, 'older-keys');
    await page.goto(at('/portal/keys'));
    await page.getByRole('link', { name: /^Revoke/ }).click();
    await expectWellMade(page, 'revoke');
    await page.goto(at('/portal/redirects'));
    await page.getByLabel('Pattern', { exact: true }).fill('https://*.example.com/*');
    await page.getByRole('button', { name: 'Allow it' }).click();
    await page.getByLabel('Address').fill('https://app.example.com/done?state=1');
    await page.getByRole('button', { name: 'Test it' }).click();
    await page.getByText('Yes, by https://*.example.com/*').waitFor();
    await expectWellMade(page, 'redirects');
    await connect(portal.world, page, 'pagechat');
    for (const tab of ['Overview', 'Send a message', 'Connection', 'Webhook']) {
      await openTab(page, tab);
      await expectWellMade(page, `channel-${tab.replaceAll(' ', '-')}`);
    }
    await page.getByLabel('Address of your receiver').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectWellMade(page, 'channel-wrong');
    await page.getByLabel('Address of your receiver').fill(portal.world.inbox.url);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('whsec_').waitFor();
    await expectWellMade(page, 'secret');
    await page.goto(at('/portal/channels'));
    await expectWellMade(page, 'channels');
    await page.goto(at('/portal'));
    await page.getByText('Your channels').waitFor();
    await expectWellMade(page, 'home');
    await page.goto(at('/portal/billing'));
    await expectWellMade(page, 'billing');
    expect(errors.filter((text) => !text.includes('422'))).toEqual([]);
  },
  300_000,
);

browserTest(
  'a name of maximal length does not shrink the buttons next to it',
  async () => {
    const { page } = await portal.signUp();
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('W'.repeat(60));
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.goto(at('/portal/keys'));
    for (const width of [320, 768, 1100, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      const box = await page.getByRole('link', { name: /^Revoke/ }).boundingBox();
      expect([width, (box?.height ?? 0) < 50]).toEqual([width, true]);
      const maker = await page.locator('td[data-head="By"] .address').boundingBox();
      expect([width, (maker?.height ?? 0) < 60]).toEqual([width, true]);
    }
    await expectWellMade(page, 'keys-long-name');
  },
  60_000,
);

browserTest(
  "text has the size that the browser's settings give it: twice as large, no page scrolls sideways",
  async () => {
    const { page, context } = await portal.signUp();
    await connect(portal.world, page, 'photoapp');
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('shop');
    await page.getByRole('button', { name: 'Make a key' }).click();
    await page.getByText('mip_live_').first().waitFor();
    const debugging = await context.newCDPSession(page);
    await debugging.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    for (const place of addresses) {
      await page.goto(at(place));
      const size = await page.evaluate('getComputedStyle(document.body).fontSize');
      const isSideways = await page.evaluate(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      );
      expect([place, size, isSideways]).toEqual([place, '27px', false]);
    }
  },
  60_000,
);

browserTest(
  'a date field shows that it has the focus, whichever of its parts has it',
  async () => {
    const { page } = await portal.signUp();
    await page.goto(at('/portal/audit'));
    await tabTo(page, 'From');
    const stop = () =>
      page.evaluate(
        '[document.activeElement.id, getComputedStyle(document.activeElement).outlineStyle].join(" ")',
      );
    // Month, day, year, hour, minute, half of the day, and the button that opens the calendar.
    for (let part = 0; part < 7; part += 1) {
      expect([part, await stop()]).toEqual([part, 'since solid']);
      await page.keyboard.press('Tab');
    }
    expect(await stop()).toBe('until solid');
  },
  60_000,
);

browserTest(
  'a copy button also works on plain http, and announces that it has copied',
  async () => {
    const { page } = await portal.signUp();
    // Browsers offer pages on plain http no clipboard.
    await page.addInitScript('Object.defineProperty(navigator, "clipboard", { value: undefined })');
    await page.clock.install();
    await page.goto(at('/portal/live'));
    const copy = page.getByRole('button', { name: 'Copy the line' });
    await copy.click();
    await page.getByRole('status').getByText('Copied').waitFor({ state: 'attached' });
    expect(await copy.textContent()).toBe('Copied');
    await page.clock.fastForward(5_000);
    expect(await copy.textContent()).toBe('Copy');
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').press('ControlOrMeta+V');
    expect(await page.getByLabel('Name').inputValue()).toContain('npm run listen');
  },
  60_000,
);

/** A phone number for each person who connects one. */
const numbers = { desk: asset.chatapp, phone: '422300000000102' };

browserTest.each(['desk', 'phone'] as const)(
  'by keyboard only, %s wide: sign up, make a key, connect a channel, receive a webhook, find it again',
  async (kind) => {
    const viewport = { width: widths[kind], height: 900 };
    const page = await portal.newPage({ viewport });
    const type = async (label: string, text: string): Promise<void> => {
      await tabTo(page, label);
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.type(text);
    };
    const press = async (name: RegExp | string): Promise<void> => {
      await tabTo(page, name);
      await page.keyboard.press('Enter');
    };
    await page.goto(at('/portal'));
    await press('Sign up');
    await page.getByRole('heading', { name: 'Sign up' }).waitFor();
    await type('E-mail address', `keyboard-${kind}@example.com`);
    await type('Password', password);
    await press('Sign up');
    await page.getByText('Three steps').waitFor();
    await press('Make a key');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await type('Name', 'mine');
    await press('Make a key');
    await page.getByText('mip_live_').waitFor();
    await press('I have stored it. Connect a channel');
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await allowing(numbers[kind]);
    await press(/Connect chatapp/);
    // The account has two numbers; the dialog does not say which was meant.
    await page.getByRole('heading', { name: 'Which number do you want to connect?' }).waitFor();
    await press('Connect');
    await page.getByText('Connected. Set a webhook next').waitFor();
    await type('Address of your receiver', portal.world.inbox.url);
    await press('Save');
    await page.getByText('whsec_').waitFor();
    await press('I have stored it');
    await page.getByText('Saved.').waitFor();
    await press('Send a test event');
    await page.getByText('Your receiver took the test event').waitFor();
    await press('Send a message');
    await page.getByLabel('Recipient').waitFor();
    await type('Recipient', person.chatapp);
    await type('Text', 'Hello from the keyboard');
    await press('Send');
    await page.getByText('The answer: 200').waitFor();
    const channelId = new URL(page.url()).pathname.split('/')[3];
    await portal.world.inbox.next(
      1,
      ({ event }) => event.event === 'message.sent' && event.channel_id === channelId,
    );
    if (kind === 'phone') await press('Menu');
    await press('Deliveries');
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
    await press('message.sent');
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await press('What became of it');
    await page.getByText('The platform accepted the call').waitFor();
    // Input is repeated only in the answer to the form itself.
    expect(await page.content()).not.toContain('Hello from the keyboard');
  },
  120_000,
);

browserTest(
  'without scripts a person signs up, makes and revokes a key, signs out and in',
  async () => {
    const { page, email } = await portal.signUp({ javaScriptEnabled: false });
    await page.goto(at('/portal/keys'));
    await page.getByLabel('Name').fill('first');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const key = (await page.locator('.secret code').textContent()) ?? '';
    expect((await portal.world.service.call('GET', '/api/v1/channels', { key })).status).toBe(200);
    await page.goto(at('/portal/keys'));
    expect(await page.content()).not.toContain(key);
    await page.getByRole('link', { name: /^Revoke/ }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('No key yet').waitFor();
    expect((await portal.world.service.call('GET', '/api/v1/channels', { key })).status).toBe(401);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(at('/portal/keys'));
    expect(page.url()).toBe(at('/portal/sign-in?next=%2Fportal%2Fkeys'));
    await page.getByLabel('E-mail address').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(at('/portal/keys'));
  },
  60_000,
);
