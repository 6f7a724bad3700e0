import { existsSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';
import { appId, Stage } from './support.ts';

// A person's way through the dialog, in a real browser. Without one the tests are named as skipped, or fail in CI.
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
const isNeeded = process.env.REQUIRE_SERVICES === '1';
const browserTest = executablePath === undefined && !isNeeded ? test.skip : test;

let browser: Browser | undefined;
let stage: Stage;
beforeAll(async () => {
  if (executablePath !== undefined)
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(() => browser?.close());
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function dialogUrl(more: Record<string, string>): string {
  const asked = {
    client_id: appId,
    redirect_uri: `${stage.inbox.url}/callback`,
    state: 's1',
    response_type: 'code',
    ...more,
  };
  return `${stage.url}/v25.0/dialog/oauth?${new URLSearchParams(asked).toString()}`;
}

browserTest('a person unticks a page and allows: the browser comes back with a code', async () => {
  const tab = await browser?.newPage();
  await tab?.goto(dialogUrl({ scope: 'pages_show_list,pages_messaging' }));
  await tab?.getByLabel('Harbour West').uncheck();
  await tab?.getByRole('button', { name: 'Allow' }).click();
  await tab?.waitForURL(/\/hooks\/callback\?/);
  expect(new URL(tab?.url() ?? 'nowhere:').searchParams.get('code')).toMatch(/^AQB/);
});

browserTest('a person who is somebody else changes the login, then cancels', async () => {
  const tab = await browser?.newPage();
  await tab?.goto(dialogUrl({ config_id: '77' }));
  await tab?.getByRole('link', { name: /Bruno Lantern/ }).click();
  await tab?.getByLabel('+44 7700 900152').waitFor();
  await tab?.getByRole('button', { name: 'Cancel' }).click();
  await tab?.waitForURL(/\/hooks\/callback\?/);
  expect(new URL(tab?.url() ?? 'nowhere:').searchParams.get('error')).toBe('access_denied');
});
