/** Helpers for a person at the portal, in a real browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sharedBrowser } from '../support/browser.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { asset, person } from '../support/world.ts';
import type { ChannelType, World } from '../support/world.ts';
import { findCrowded } from './crowded.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axe = readFileSync(axePath, 'utf8');

export const widths = { desk: 1280, phone: 390 };
/** Widths between and below those: the narrowest phones, tablets, a desktop at 125, 150 and 200 %, and the breakpoints of the styles. */
const otherWidths = [320, 360, 640, 701, 768, 853, 1024, 1140, 1141, 1239];
export const password = 'correct horse battery';

/** The world and the browser of a test file. */
interface BrowsedWorld {
  readonly world: World;
  /** The URL of a path of its service. */
  at: (path: string) => string;
  /** A new tab with its own cookies. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>;
  signUp: (options?: BrowserContextOptions) => ReturnType<typeof signedUp>;
  /** A key that the page's person makes at the portal. */
  makeKey: (page: Page) => Promise<string>;
}

/** The world is opened before the tests of a file, the browser by the first test that needs it; both close after the tests. */
export function browsedWorld(settings: Record<string, string> = {}): BrowsedWorld {
  const browser = sharedBrowser();
  const world = sharedWorld(settings);
  const at = (path: string): string => `${world.service.url}${path}`;
  return {
    world,
    at,
    newPage: async (options) => (await (await browser()).newContext(options)).newPage(),
    signUp: async (options) => signedUp(await browser(), world.service.url, options),
    async makeKey(page) {
      await page.goto(at('/portal/keys'));
      await page.getByLabel('Name').fill('shop');
      await page.getByRole('button', { name: 'Make a key' }).click();
      return (await page.locator('.secret code').first().textContent()) ?? '';
    },
  };
}

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

/** What still fades in is as pale as its opacity to axe: a toast just shown. */
const endArrivals = `for (const each of document.getAnimations())
  if (Number.isFinite(each.effect.getComputedTiming().endTime)) each.finish()`;

/**
 * Fails for serious findings of axe at each width, and for pages that scroll sideways at these and other widths; returns axe's other findings. `PORTAL_SHOTS`
 * names a folder for screenshots.
 */
export async function expectWellMade(
  page: Page,
  name: string,
  at: Partial<typeof widths> = widths,
): Promise<string[]> {
  const minor: string[] = [];
  // The page's policy admits only the service's own scripts, so axe is injected by the debugger.
  await page.evaluate(axe);
  for (const [kind, width] of Object.entries(at)) {
    await page.setViewportSize({ width, height: 900 });
    const folder = process.env['PORTAL_SHOTS'];
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `${name}-${kind}.png`), fullPage: true });
    await page.evaluate(endArrivals);
    expect([name, kind, await isSideways(page)]).toEqual([name, kind, false]);
    const found: Violation[] = await page.evaluate(
      'axe.run({ resultTypes: ["violations"] }).then((result) => result.violations)',
    );
    const isSerious = ({ impact }: Violation): boolean => impact === 'serious' || impact === 'critical';
    minor.push(
      ...found.filter((one) => !isSerious(one)).map(({ id, nodes }) => `${kind}: ${id}, ${nodes.length}`),
    );
    const serious = found.filter(isSerious);
    expect([
      name,
      kind,
      serious.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))]),
    ]).toEqual([name, kind, []]);
  }
  expect([name, await tooWideAt(page, otherWidths)]).toEqual([name, []]);
  expect([name, await findOdd(page)]).toEqual([name, []]);
  await page.setViewportSize({ width: widths.desk, height: 900 });
  expect([name, await findCrowded(page)]).toEqual([name, []]);
  return minor;
}

function isSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/**
 * Layout faults: an id or event in smaller type than its heading; a disclosure with two markers, the browser's and ours; a table
 * cell with several elements, which a card would show as columns.
 */
function findOdd(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const style = (each) => getComputedStyle(each);
    const small = [...document.querySelectorAll('h1 :is(code, .mono)')].filter(
      (each) => style(each).fontSize !== style(each.closest('h1')).fontSize,
    );
    const marked = [...document.querySelectorAll('summary')].filter(
      (each) => style(each).listStyleType !== 'none' && style(each).display === 'list-item',
    );
    const split = [...document.querySelectorAll('.rows td')].filter(
      (each) => [...each.childNodes].filter((child) => child.textContent.trim() !== '').length > 1,
    );
    return [...small, ...marked, ...split].map((each) => each.textContent);
  })()`);
}

/** Of these widths: those at which the page scrolls sideways, or breaks a word of a table that has no hyphen or other place to break at. */
async function tooWideAt(page: Page, tried: readonly number[]): Promise<(number | string)[]> {
  const found: (number | string)[] = [];
  for (const width of tried) {
    await page.setViewportSize({ width, height: 900 });
    if (await isSideways(page)) found.push(width);
    found.push(...(await brokenWords(page)).map((word) => `${width}: ${word}`));
  }
  return found;
}

/** Words of buttons, badges and short cells whose letters stand on two lines. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const lines = (node, { 0: word, index }) => {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    };
    const texts = (each) => [...each.childNodes].filter((child) => child instanceof Text);
    const whole = [...document.querySelectorAll('.rows :is(.nowrap, .badge, time, button, .button)')];
    return whole
      .filter((each) => each.checkVisibility())
      .flatMap(texts)
      .flatMap((node) => [...node.data.matchAll(/[\\p{L}\\p{N}]+/gu)].filter((word) => lines(node, word) > 1))
      .map(([word]) => word);
  })()`);
}

/** The first row of a list begins above this line of a phone's screen. */
const firstScreen = 844;

/**
 * On a phone the navigation is a menu: closed at first, and then every item is visible without scrolling sideways and large enough for a
 * thumb. A list begins within the first screen.
 */
export async function expectWholeNavigation(page: Page): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Portal' });
  const links = await navigation.getByRole('link').all();
  expect(links.length).toBeGreaterThan(10);
  for (const width of [widths.phone, 320]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await navigation.isVisible()]).toEqual([width, false]);
    const row = page.locator('.rows tbody tr, .empty').first();
    if (await row.isVisible()) expect((await row.boundingBox())?.y).toBeLessThan(firstScreen);
    await page.locator('summary', { hasText: 'Menu' }).click();
    for (const link of links) {
      const box = (await link.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
      const isWhole = box.x >= 0 && box.x + box.width <= width && box.height >= 44;
      const name = await link.textContent();
      expect([width, name, isWhole]).toEqual([width, name, true]);
    }
    await page.locator('summary', { hasText: 'Menu' }).click();
  }
  await page.setViewportSize({ width: widths.desk, height: 900 });
}

let people = 0;

/** A browser of its own for a person who has just signed up. */
export async function signedUp(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; page: Page; email: string }> {
  people += 1;
  const email = `browsing-${people}@example.com`;
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(`${url}/portal/sign-up`);
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.waitForURL(`${url}/portal`);
  return { context, page, email };
}

/** Connects the simulator's asset of this channel type through upstream's dialog; returns the channel's id. */
export function connect(world: World, page: Page, kind: ChannelType): Promise<string> {
  return connectAsset(world, page, kind, asset[kind]);
}

/** Like `connect`, for this asset. */
export async function connectAsset(
  { service, simulator }: World,
  page: Page,
  kind: ChannelType,
  assetId: string,
): Promise<string> {
  await simulator.control('dialog', { auto: 'allow', assets: [assetId], times: 1 });
  await page.goto(`${service.url}/portal/channels`);
  await page.getByRole('button', { name: `Connect ${kind}` }).click();
  const connected = page.getByText('Connected. Set a webhook next');
  const asks = page.getByRole('heading', { name: /^Which .* connect\?$/ });
  await connected.or(asks).waitFor();
  if (await asks.isVisible()) {
    await page.locator(`input[name="asset"][value="${assetId}"]`).check({ force: true });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
  }
  await connected.waitFor();
  return channelIn(page);
}

/** The channel whose page this is. */
function channelIn(page: Page): string {
  return /^\/portal\/channels\/([^/]+)/.exec(new URL(page.url()).pathname)?.[1] ?? '';
}

/** Opens a tab of the channel's page. */
export function openTab(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Channel' }).getByRole('link', { name }).click();
}

/** Makes this receiver the webhook URL of the channel whose page this is; then its tab is open. */
export async function setWebhook(page: Page, url: string): Promise<void> {
  await openTab(page, 'Webhook');
  await page.getByLabel('Address of your receiver').fill(url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'I have stored it' }).click();
}

/** Signs up a person whose channel has an event that was given up; the receiver takes later ones. Wants few and short retries. */
export async function accountWithGivenUp(
  { world, at, signUp }: BrowsedWorld,
  { width, number }: { width: number; number: string },
): Promise<{ page: Page; email: string }> {
  const { page, email } = await signUp({ viewport: { width, height: 800 } });
  await connectAsset(world, page, 'chatapp', number);
  await setWebhook(page, world.inbox.url);
  world.inbox.answerAlways(503);
  const written = { channel: number, from: person.chatapp, text: 'hello', wait: true };
  await world.simulator.control('people/write', written);
  await until('the event to be given up', async () => {
    await page.goto(at('/portal/deliveries?state=failed'));
    return (await page.getByText('Failed · 503').count()) > 0;
  });
  world.inbox.answerAlways(200);
  return { page, email };
}

/** Presses Tab until the focus is on the element with this text or label, as a person without a mouse does. */
export async function tabTo(page: Page, name: RegExp | string): Promise<void> {
  for (let step = 0; step < 80; step += 1) {
    await page.keyboard.press('Tab');
    const focused: string = await page.evaluate(`(() => {
      const at = document.activeElement;
      return (at?.labels?.[0]?.innerText ?? at?.innerText ?? '').trim();
    })()`);
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
  }
  throw new Error(`Tab never came to ${String(name)}`);
}
