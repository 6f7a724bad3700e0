import { afterEach, beforeEach, expect } from '@jest/globals';
import { browserTest, sharedBrowser } from '../support/browser.ts';
import { appId, Stage } from './support.ts';

// A person uses the dialog in a real browser.
const browser = sharedBrowser();
let stage: Stage;
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

browserTest('a person unticks a page and allows, and the browser is redirected with a code', async () => {
  const tab = await (await browser()).newPage();
  await tab.goto(dialogUrl({ scope: 'pages_show_list,pages_messaging' }));
  await tab.getByLabel('Harbour West').uncheck();
  await tab.getByRole('button', { name: 'Allow' }).click();
  await tab.waitForURL(/\/hooks\/callback\?/);
  expect(new URL(tab.url()).searchParams.get('code')).toMatch(/^AQB/);
});

browserTest('a person switches to another login, then cancels', async () => {
  const tab = await (await browser()).newPage();
  await tab.goto(dialogUrl({ config_id: '77' }));
  await tab.getByRole('link', { name: /Bruno Lantern/ }).click();
  await tab.getByLabel('+44 7700 900152').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.waitForURL(/\/hooks\/callback\?/);
  expect(new URL(tab.url()).searchParams.get('error')).toBe('access_denied');
});
