/**
 * Takes the screenshots of the portal and of the operators' console in `docs/screens`, from a running demo: `npm run demo`, then
 * `npm run screens`, with the same `DEMO_PORT`. Four widths, light and dark; the file names say which.
 */
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './open-browser.ts';

const url = `http://localhost:${process.env['DEMO_PORT'] ?? '3000'}`;
const folder = join(import.meta.dirname, '../../docs/screens');
/** Name in the file, and the window, px. */
const windows = {
  desk: { width: 1_280, height: 800 },
  tablet: { width: 1_024, height: 768 },
  phone: { width: 390, height: 844 },
  narrow: { width: 320, height: 640 },
} as const;
const schemes = ['light', 'dark'] as const;
/** The credentials that the demo prints. */
const person = { email: 'demo@example.com', password: 'harbour bakery demo' };
const adminToken = 'demo-admin-token-of-this-machine';

async function signIn(page: Page): Promise<void> {
  await page.goto(`${url}/portal/sign-in`);
  await page.getByLabel('E-mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Portal' }).waitFor();
}

async function enter(page: Page): Promise<void> {
  await page.goto(`${url}/operators/enter`);
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Enter' }).click();
  await page.getByRole('heading', { name: 'Now' }).waitFor();
}

/** The first link of the page that leads below `path`; null: there is none. */
async function linkBelow(page: Page, path: string): Promise<string | null> {
  const [first] = await page.locator(`main a[href^="${path}/"]`).all();
  return first === undefined ? null : first.getAttribute('href');
}

/** The page of the channel's first endpoint, which is added if there is none. */
async function endpointOf(page: Page, endpoints: string): Promise<string> {
  await page.goto(`${url}${endpoints}`);
  const known = await linkBelow(page, endpoints);
  if (known !== null) return known;
  await page.getByLabel('Address of its receiver').fill('https://crm.example.com/trunkline');
  await page.getByRole('button', { name: 'Add it' }).click();
  await page.getByText('It is shown this once').waitFor();
  return (await linkBelow(page, endpoints)) ?? endpoints;
}

async function pathsOf(page: Page): Promise<Record<string, string>> {
  await page.goto(`${url}/portal/channels`);
  const channel = (await linkBelow(page, '/portal/channels')) ?? '/portal/channels';
  return {
    home: '/portal',
    channel,
    webhook: `${channel}/webhook`,
    endpoints: `${channel}/endpoints`,
    endpoint: await endpointOf(page, `${channel}/endpoints`),
    'send-text': `${channel}/send`,
    'send-buttons': `${channel}/send?what=buttons`,
    'send-file': `${channel}/send?what=media`,
    deliveries: '/portal/deliveries',
    messages: '/portal/messages',
    templates: '/portal/templates',
    guide: '/docs/guide',
    clients: '/docs/clients',
    operators: '/operators',
  };
}

async function take(browser: Browser): Promise<void> {
  for (const colorScheme of schemes) {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    await signIn(page);
    await enter(page);
    for (const [name, path] of Object.entries(await pathsOf(page))) {
      for (const [window, size] of Object.entries(windows)) {
        await page.setViewportSize(size);
        await page.goto(`${url}${path}`);
        await page.screenshot({ path: join(folder, `${name}-${window}-${colorScheme}.png`) });
      }
    }
    await context.close();
  }
}

const browser = await openBrowser();
try {
  await take(browser);
} finally {
  await browser.close();
}
