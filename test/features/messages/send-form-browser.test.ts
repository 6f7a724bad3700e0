/** [portal: Channel] A person sends what the API sends: each sort of message, as far as the kind of channel has it. */
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { browserTest } from '../../support/browser.ts';
import { asset, person } from '../../support/world.ts';
import { browsedWorld, connect, expectWellMade } from '../../pages/browsing.ts';

const portal = browsedWorld();
const { at } = portal;
let page: Page;
let chatapp: string;

async function open(channelId: string, sort: string): Promise<void> {
  await page.goto(at(`/portal/channels/${channelId}/send`));
  await page
    .getByRole('navigation', { name: 'What to send' })
    .getByRole('link', { name: sort, exact: true })
    .click();
}

async function send(fields: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The answer: 200').waitFor();
  const [answer = '{}'] = await page.locator('[role=status] pre').allTextContents();
  return JSON.parse(answer);
}

/** What upstream got last, beside a plain text. */
async function arrived(): Promise<{
  type: string;
  text: string | null;
  more: Record<string, unknown> | null;
}> {
  const { sends } = await portal.world.simulator.control('sends');
  return sends.at(-1);
}

const to = { Recipient: person.chatapp };

browserTest(
  'each sort of message of a number is sent, and its form is well made',
  async () => {
    ({ page } = await portal.signUp());
    chatapp = await connect(portal.world, page, 'chatapp');
    await portal.world.write({ upstream: asset.chatapp, type: 'chatapp' }, { text: 'hello' });
    await open(chatapp, 'Text');
    expect(
      await page.getByRole('navigation', { name: 'What to send' }).getByRole('link').allTextContents(),
    ).toEqual(['Text', 'File', 'Buttons', 'List', 'Link', 'Ask for a place', 'Place', 'Contact', 'Reaction']);
    await page.getByLabel('Show a preview of the first link').check();
    const first = await send({ ...to, Text: 'See https://www.example.com' });
    expect(await arrived()).toMatchObject({ type: 'text', more: { preview_url: true } });
    await expectWellMade(page, 'send-text');

    await open(chatapp, 'Buttons');
    await expectWellMade(page, 'send-buttons');
    await send({ ...to, Text: 'When?', Choices: 'am = In the morning\nIn the evening' });
    expect((await arrived()).more).toMatchObject({
      interactive: {
        action: {
          buttons: [
            { reply: { id: 'am', title: 'In the morning' } },
            { reply: { id: '2', title: 'In the evening' } },
          ],
        },
      },
    });

    await open(chatapp, 'List');
    await expectWellMade(page, 'send-list');
    await send({
      ...to,
      Text: 'Which?',
      'Button that opens the list': 'Cakes',
      Rows: '# Sweet\nc = Cherry | with cream\nApple\n# Salty\nq = Quiche',
    });
    expect((await arrived()).more).toMatchObject({
      interactive: {
        action: {
          sections: [
            {
              title: 'Sweet',
              rows: [
                { id: 'c', title: 'Cherry', description: 'with cream' },
                { id: '2', title: 'Apple' },
              ],
            },
            { title: 'Salty', rows: [{ id: 'q', title: 'Quiche' }] },
          ],
        },
      },
    });

    await open(chatapp, 'Place');
    await send({ ...to, Latitude: '53,5461', Longitude: '9.9937', 'Name (optional)': 'Harbour Bakery' });
    expect((await arrived()).more).toMatchObject({ location: { latitude: 53.5461, name: 'Harbour Bakery' } });

    await open(chatapp, 'Contact');
    await send({ ...to, Name: 'Ada Harbour', 'Phone (optional)': '+49 159 00000777' });
    expect((await arrived()).type).toBe('contacts');

    await open(chatapp, 'Reaction');
    await send({ ...to, 'Id of the message': String(first['message_id']), 'Emoji (optional)': '🎂' });
    expect((await arrived()).more).toMatchObject({ reaction: { emoji: '🎂' } });

    await open(chatapp, 'Text');
    await send({
      ...to,
      Text: 'This.',
      'Id of the message that it answers (optional)': String(first['message_id']),
    });
    expect((await arrived()).more).toMatchObject({ context: expect.anything() });
  },
  180_000,
);

const jpeg = { name: 'cake "1".jpg', mimeType: 'image/jpeg', buffer: Buffer.from('not really a picture') };

browserTest(
  'a file is sent by its address, or from the computer; what is wrong is said at its field, and nothing is sent',
  async () => {
    await open(chatapp, 'File');
    await expectWellMade(page, 'send-file');
    await page.getByLabel('Recipient').fill(person.chatapp);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Field required').waitFor();
    await send({
      ...to,
      'Public address of the file': 'https://files.example/cake.jpg',
      'Caption (optional)': 'Cake',
    });
    expect(await arrived()).toMatchObject({ type: 'image', text: 'Cake', more: null });

    await open(chatapp, 'File');
    await page.getByLabel('File', { exact: true }).setInputFiles(jpeg);
    await send({ ...to, 'Caption (optional)': 'Another' });
    expect(await arrived()).toMatchObject({
      type: 'image',
      text: 'Another',
      more: { id: expect.any(String) },
    });
    expect(await page.locator('pre', { hasText: '/api/v1/media' }).textContent()).toContain(
      'file=@cake "1".jpg',
    );
    await expectWellMade(page, 'send-file-sent');

    await open(chatapp, 'File');
    await page.getByLabel('File', { exact: true }).setInputFiles(jpeg);
    await page.getByLabel('Recipient').fill(person.chatapp);
    await page.getByLabel('Public address of the file').fill('https://files.example/cake.jpg');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.locator('#file-wrong', { hasText: 'Give an address or a file, not both.' }).waitFor();
    expect(await page.locator('#file:focus').count()).toBe(1);

    await open(chatapp, 'File');
    await page
      .getByLabel('File', { exact: true })
      .setInputFiles({ ...jpeg, name: 'a.gif', mimeType: 'image/gif' });
    await page.getByLabel('Recipient').fill(person.chatapp);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('image/gif as image cannot be sent').waitFor();
    expect((await arrived()).text).toBe('Another');
  },
  120_000,
);

browserTest(
  'a page offers what a page has, and its forms work without scripts',
  async () => {
    const pagechat = await connect(portal.world, page, 'pagechat');
    await portal.world.write({ upstream: asset.pagechat, type: 'pagechat' }, { text: 'hello' });
    const cookies = await page.context().cookies();
    page = await portal.newPage({ javaScriptEnabled: false });
    await page.context().addCookies(cookies);
    await open(pagechat, 'Quick replies');
    expect(
      await page.getByRole('navigation', { name: 'What to send' }).getByRole('link').allTextContents(),
    ).toEqual(['Text', 'File', 'Buttons', 'Quick replies', 'Link']);
    await page.getByLabel('A person answers').check();
    await send({ Recipient: person.pagechat, Text: 'Which?', Choices: 'One\nTwo' });
    expect((await arrived()).more).toMatchObject({
      quick_replies: [{ title: 'One' }, { title: 'Two' }],
      tag: 'HUMAN_AGENT',
    });
    await open(pagechat, 'File');
    expect(await page.getByLabel('Caption').count()).toBe(0);
    await page.getByLabel('File', { exact: true }).setInputFiles(jpeg);
    await send({ Recipient: person.pagechat });
    expect((await arrived()).more).toEqual({ attachment_id: expect.any(String) });
  },
  120_000,
);
