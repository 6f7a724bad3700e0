import { test } from '@jest/globals';
import { browserPath } from './open-browser.ts';

export { openBrowser } from './open-browser.ts';

/** A test in a real browser: skipped where there is none (install `chromium`), failed instead with REQUIRE_SERVICES=1. */
export const browserTest =
  browserPath === undefined && process.env['REQUIRE_SERVICES'] !== '1' ? test.skip : test;
