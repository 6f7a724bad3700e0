import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** The first is headless only: tests use a third less CPU with it. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Undefined if this machine has no Chromium. */
export const browserPath = browsers.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

/**
 * The first three are the pages behind the address bar, which nobody sees: each context would start a process for them, more than half
 * of its cost. The others are those of Playwright's defaults that tests may meet: Chromium only reads the last `--disable-features`.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
];

/** Starts a headless Chromium that makes no network requests of its own. Throws if there is none. */
export async function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error('no chromium on this machine');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${disabledFeatures.join(',')}`,
  ];
  const { chromium } = await import('playwright-core'); // many tests import this file and open none
  // The pages show times in the zone of the browser, and tests type them as the API has them.
  const env = { ...process.env, TZ: 'UTC' };
  return chromium.launch({ executablePath: browserPath, args, env });
}
