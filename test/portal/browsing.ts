/** A person at the portal, in a real browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { sharedBrowser } from '../support/browser.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { asset } from '../support/world.ts';
import type { ChannelType, World } from '../support/world.ts';

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const axe = readFileSync(axePath, 'utf8');

export const widths = { desk: 1280, phone: 390 };
/** Between and below those: phones of the least width, tablets, a desk at 125, 150 and 200 %, and the ends of what the styles tell apart. */
const otherWidths = [320, 360, 640, 701, 768, 853, 1024, 1140, 1141, 1239];
export const password = 'correct horse battery';

/** The world and the browser of a file's tests. */
export interface BrowsedWorld {
  readonly world: World;
  /** An address of its service. */
  at: (path: string) => string;
  /** A tab of its own, which knows no other's cookies. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>;
  signUp: (options?: BrowserContextOptions) => ReturnType<typeof signedUp>;
}

/** Opened before the tests of a file, the browser for the first that needs it; closed behind them. */
export function browsedWorld(settings: Record<string, string> = {}): BrowsedWorld {
  const browser = sharedBrowser();
  const world = sharedWorld(settings);
  return {
    world,
    at: (path) => `${world.service.url}${path}`,
    newPage: async (options) => (await (await browser()).newContext(options)).newPage(),
    signUp: async (options) => signedUp(await browser(), world.service.url, options),
  };
}

interface Violation {
  id: string;
  impact: string;
  nodes: { target: string[] }[];
}

/**
 * Nothing serious of axe's at each width, nothing that scrolls sideways at these and others; answers what axe says that is not serious. `PORTAL_SHOTS`
 * names a folder for pictures.
 */
export async function expectWellMade(
  page: Page,
  name: string,
  at: Partial<typeof widths> = widths,
): Promise<string[]> {
  const minor: string[] = [];
  // The policy lets no script in but the service's own; axe comes by the debugger.
  await page.evaluate(axe);
  for (const [kind, width] of Object.entries(at)) {
    await page.setViewportSize({ width, height: 900 });
    const folder = process.env['PORTAL_SHOTS'];
    if (folder !== undefined)
      await page.screenshot({ path: join(folder, `${name}-${kind}.png`), fullPage: true });
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
  expect([name, await sidewaysOf(page, otherWidths)]).toEqual([name, []]);
  expect([name, await findOdd(page)]).toEqual([name, []]);
  await page.setViewportSize({ width: widths.desk, height: 900 });
  return minor;
}

function isSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/**
 * An id or event that is smaller than the heading it stands in, what opens and has a second mark: the browser's beside ours, and what a
 * card would show as columns: a cell that holds several things.
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

/** Those of these widths at which the page scrolls sideways. */
async function sidewaysOf(page: Page, tried: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const width of tried) {
    await page.setViewportSize({ width, height: 900 });
    if (await isSideways(page)) found.push(width);
  }
  return found;
}

/** On a phone every place of the navigation is seen, without scrolling sideways, and large enough for a thumb. */
export async function expectWholeNavigation(page: Page): Promise<void> {
  await page.setViewportSize({ width: widths.phone, height: 900 });
  const links = await page.getByRole('navigation', { name: 'Portal' }).getByRole('link').all();
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) {
    const box = await link.boundingBox();
    const name = await link.textContent();
    const right = (box?.x ?? -1) + (box?.width ?? 0);
    expect([name, (box?.x ?? -1) >= 0 && right <= widths.phone, (box?.height ?? 0) >= 44]).toEqual([
      name,
      true,
      true,
    ]);
  }
  await page.setViewportSize({ width: widths.desk, height: 900 });
}

let people = 0;

/** A browser of its own for somebody who has just signed up. */
async function signedUp(
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

/** Connects the seeded asset of this kind through the platform's dialog; answers the channel's id. */
export function connect(world: World, page: Page, kind: ChannelType): Promise<string> {
  return connectAsset(world, page, kind, asset[kind]);
}

/** As `connect`, of this very asset. */
export async function connectAsset(
  { service, simulator }: World,
  page: Page,
  kind: ChannelType,
  assetId: string,
): Promise<string> {
  await simulator.control('dialog', { auto: 'allow', assets: [assetId], times: 1 });
  await page.goto(`${service.url}/portal/channels`);
  await page.getByRole('button', { name: `Connect ${kind}` }).click();
  await page.getByText('Connected. Set a webhook next').waitFor();
  return new URL(page.url()).pathname.split('/').at(-1) ?? '';
}

/** Its events go to this receiver from now on. */
export async function setWebhook(page: Page, url: string): Promise<void> {
  await page.getByLabel('Address of your receiver').fill(url);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'I have stored it' }).click();
}

/** Goes on with Tab until the focus is on what has this text or label; what a person without a mouse does. */
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
