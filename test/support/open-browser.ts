import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

/** The first without windows: tests cost a third less of the processor with it. */
const browsers = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Undefined: there is none on this machine. */
export const browserPath = browsers.map((name) => `/usr/bin/${name}`).find((path) => existsSync(path));

/**
 * The pages behind the address bar, which nobody sees here: a process of their own for each context, more than half of what one costs.
 * The others are what Playwright turns off and a test may meet: the last list of these is the only one that Chromium reads.
 */
const turnedOff = [
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

/** Headless, and quiet: no look-ups of its own. */
export function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error('no chromium on this machine');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${turnedOff.join(',')}`,
  ];
  return chromium.launch({ executablePath: browserPath, args });
}
