/** [operator-interface §3] Joining an account, submitting a template and sending one: by keyboard only, in a browser without scripts. */
import { beforeAll, expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../support/browser.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { browsedWorld, connect, password, tabTo } from './browsing.ts';
import { invitationLink, newVisitor } from './visitor.ts';

const portal = browsedWorld();
const plain = { javaScriptEnabled: false };

/** The accessible name of the element with the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const at = document.activeElement;
    return (at?.labels?.[0]?.innerText ?? at?.innerText ?? '').trim();
  })()`);
}

async function fill(page: Page, label: string | RegExp, text: string): Promise<void> {
  await tabTo(page, label);
  await page.keyboard.type(text);
}

async function press(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

browserTest(
  'an invited person joins: a password that is too short is reported at its field, which has the focus',
  async () => {
    const owner = await newVisitor(portal.world);
    await owner.post('/portal/people', { email: 'keys-alone@example.com', role: 'developer' });
    const page = await portal.newPage(plain);
    await page.goto(portal.at(await invitationLink(portal.world, owner)));
    await fill(page, 'Password', 'short');
    await page.keyboard.press('Enter');
    await page.getByText('Please look at what is marked.').waitFor();
    expect(await focused(page)).toBe('Password');
    await page.keyboard.type(password);
    await press(page, 'Join');
    await page.waitForURL(portal.at('/portal'));
    await press(page, 'People');
    await page.getByText('keys-alone@example.com').first().waitFor();
    await page.getByText(owner.email).waitFor();
  },
  60_000,
);

let page: Page;
beforeAll(async () => {
  const signedUp = await portal.signUp(plain);
  page = signedUp.page;
  await connect(portal.world, page, 'chatapp');
}, 60_000);

browserTest(
  'a template is submitted: errors are shown at their fields, and what was typed stays',
  async () => {
    await page.goto(portal.at('/portal'));
    await press(page, 'Templates');
    await page.waitForURL(/\/templates/);
    await press(page, 'New template');
    await page.waitForURL(/\/templates\/new/);
    await fill(page, 'Name', 'Keys Alone');
    await fill(page, 'Body', 'Dear {{1}}, it is ready.');
    await fill(page, 'Examples', 'Mia');
    await press(page, 'Submit for review');
    await page.locator('[aria-invalid]').waitFor();
    expect(await focused(page)).toBe('Name');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('keys_alone');
    await press(page, 'Submit for review');
    await page.getByText('Submitted. Its state changes here').waitFor();
    await page.getByText('keys_alone').first().waitFor();
  },
  60_000,
);

browserTest(
  "a template is sent: the focus is on the API's answer, and the message was sent once",
  async () => {
    const recipient = newPerson('chatapp');
    await page.goto(portal.at('/portal/templates'));
    await press(page, /^Send\s+order_ready/);
    await page.waitForURL(/\/send$/);
    await fill(page, 'Recipient', recipient);
    await fill(page, /^Header: /, 'Harbour Bakery');
    await fill(page, 'Body: {{1}}', 'Mia');
    await fill(page, 'Body: {{2}}', 'A-1007');
    await fill(page, /^Button 1/, 'A-1007');
    await press(page, 'Send');
    await page.getByText('The answer:').waitFor();
    expect(await focused(page)).toMatch(/^The answer:\s+200[^]*"status": "sent"/);
    expect(await ledger(portal.world.simulator, { recipient })).toHaveLength(1);
    await press(page, 'What became of it');
    await page.waitForURL(/\/messages\//);
  },
  60_000,
);
