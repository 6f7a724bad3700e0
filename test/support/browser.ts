import { afterAll, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { browserPath, openBrowser } from './open-browser.ts';
import { areServicesRequired } from './required.ts';

/** A `test` that needs a real browser. Without one (install `chromium`) it is skipped; with REQUIRE_SERVICES=1 it fails. */
export const browserTest = browserPath === undefined && !areServicesRequired ? test.skip : test;

/** Returns a getter of the one browser that the tests of a file share. The first call opens it; it closes after the last test. */
export function sharedBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => (await browser)?.close());
  return () => (browser ??= openBrowser());
}
