import { existsSync } from 'node:fs';
import { test } from '@jest/globals';
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);

/** A test in a real browser: skipped where there is none (install `chromium`), failed instead with REQUIRE_SERVICES=1. */
export const browserTest =
  executablePath === undefined && process.env['REQUIRE_SERVICES'] !== '1' ? test.skip : test;

/** Headless, and quiet: no look-ups of its own. */
export function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('no chromium on this machine');
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
  return chromium.launch({ executablePath, args });
}
