import { afterAll, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserPath, openBrowser } from './open-browser.ts';
import { areServicesRequired } from './required.ts';

/** A test in a real browser: skipped where there is none (install `chromium`), failed instead with REQUIRE_SERVICES=1. */
export const browserTest = browserPath === undefined && !areServicesRequired ? test.skip : test;

/** The browser that the tests of a file share: opened for the first of them that needs it. */
export function sharedBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => (await browser)?.close());
  return () => (browser ??= openBrowser());
}
