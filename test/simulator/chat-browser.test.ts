import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { browserTest, sharedBrowser } from '../support/browser.ts';
import { at, call, mia, page, phone, Stage } from './support.ts';

// A tester plays the customer on the simulator's chat page.
const browser = sharedBrowser();
let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
  await stage.subscribe();
});
afterEach(() => stage.close());

const chat = (query: string): string => `${stage.url}/control/chat${query}`;

browserTest(
  'the tester writes as a person and sees the answer of the business without reloading',
  async () => {
    const tab = await (await browser()).newPage();
    await tab.goto(chat(`?channel=${phone}&person=${mia.phone}`));
    await tab.getByLabel('Message').fill('Are you <open>?');
    await tab.getByRole('button', { name: 'Send', exact: true }).click();
    await tab.getByText('Are you <open>?').waitFor();
    const [post] = await stage.inbox.first(1);
    expect(at(post?.body, 'entry', 0, 'changes', 0, 'value', 'messages', 0, 'text', 'body')).toBe(
      'Are you <open>?',
    );
    await stage.sendChatapp('Until six.');
    await tab.getByText('Until six.').waitFor();
  },
);

test('reading and blocking work without scripts', async () => {
  await stage.sendPage(mia.psid, { text: 'Hello Mia' });
  const url = chat(`?channel=${page}&person=${mia.psid}`);
  const read = await call('POST', url, { form: { do: 'read' } });
  expect([read.status, read.headers.get('location')]).toEqual([303, `?channel=${page}&person=${mia.psid}`]);
  expect((await call('GET', url)).text).toContain('Hello Mia');
  await call('POST', url, { form: { do: 'block' } });
  expect((await stage.sendPage(mia.psid, { text: 'Again' })).status).toBe(400);
});

test('an unknown business is 404; without a business the page offers a choice', async () => {
  expect((await call('GET', chat('?channel=1'))).status).toBe(404);
  expect((await call('GET', chat(''))).text).toContain('Jonas Brandt');
});
