/** [operator-interface §3] The API reference, in which calls can be tried, and the guide. */
import { describe, expect } from '@jest/globals';
import { browserTest } from '../../support/browser.ts';
import { newAccount } from '../../support/world.ts';
import { browsedWorld, expectWellMade, widths } from '../../pages/browsing.ts';

/** Lines of text under a button that lies over it, by the part that they are of. */
const coveredText = `[...document.querySelectorAll(':is(.highlight-code, .curl-command):has(> .copy-to-clipboard)')].flatMap((box) => {
  const buttons = [...box.querySelectorAll('.copy-to-clipboard, .download-contents')];
  const text = document.createRange();
  text.selectNodeContents(box.querySelector('code') ?? box);
  const isOver = (button, line) => {
    const { top, right, bottom, left } = button.getBoundingClientRect();
    return top < line.bottom && line.top < bottom && left < line.right && line.left < right;
  };
  return [...text.getClientRects()]
    .filter((line) => line.width > 0 && buttons.some((button) => isOver(button, line)))
    .map(() => box.className);
})`;

/** Colours of the name and the arrow of the first schema. */
const schemaColours = `['.json-schema-2020-12__title', '.json-schema-2020-12-accordion svg'].map(
  (part) => getComputedStyle(document.querySelector('.json-schema-2020-12 ' + part)).color,
)`;

/** Words of the tables that are on two lines; a path or name in code may be. */
const brokenWords = `[...document.querySelectorAll('.guide :is(th, td)')].flatMap((cell) => {
  const broken = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.parentElement.closest('code') !== null) continue;
    for (const { index, 0: word } of text.data.matchAll(/[A-Za-z]{2,}/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
    }
  }
  return broken;
})`;

describe('in a browser', () => {
  const portal = browsedWorld();

  browserTest(
    'a call is tried with a key, and no other host is contacted',
    async () => {
      const { key } = await newAccount(portal.world.service);
      const page = await portal.newPage();
      const asked: string[] = [];
      const errors: string[] = [];
      page.on('request', (request) => void asked.push(request.url()));
      page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
      await page.goto(portal.at('/docs'));
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.modal-ux').getByRole('textbox').first().fill(key);
      await page.getByRole('button', { name: 'Apply credentials' }).first().click();
      await page.getByRole('button', { name: 'Close' }).first().click();
      const call = page.locator('#operations-Channels-listChannels');
      await call.locator('.opblock-summary-control').click();
      await call.getByRole('button', { name: 'Execute' }).click();
      await call.locator('.live-responses-table').getByText('"total": 0').waitFor();
      const elsewhere = asked.filter(
        (url) => !url.startsWith(portal.world.service.url) && !url.startsWith('data:'),
      );
      expect(elsewhere).toEqual([]);
      expect(errors).toEqual([]);
    },
    60_000,
  );

  browserTest.each(['light', 'dark'] as const)(
    'the reference passes the page checks in its %s theme, closed and open',
    async (colorScheme) => {
      const page = await portal.newPage({ colorScheme });
      await page.goto(portal.at('/docs'));
      await page.locator('#operations-Channels-listChannels').waitFor();
      // The viewer shows summaries as they are.
      const summaries = await page.locator('.opblock-summary-description').allInnerTexts();
      expect(summaries.length).toBeGreaterThan(20);
      expect(summaries.filter((text) => text.includes('`'))).toEqual([]);
      const isDark = await page.evaluate('document.documentElement.classList.contains("dark-mode")');
      expect(isDark).toBe(colorScheme === 'dark');
      // Long, so everything about one width is checked at once.
      const at = isDark ? { desk: widths.desk } : widths;
      expect(await expectWellMade(page, `docs-${colorScheme}`, at)).toEqual([]);
      await page.locator('#operations-Channels-listChannels .opblock-summary-control').click();
      await page.locator('#operations-Channels-listChannels .execute-wrapper').waitFor();
      await expectWellMade(page, `docs-open-${colorScheme}`, at);
    },
    120_000,
  );

  browserTest(
    'a call has a URL, the key stays for the tab, operators have a page of their own',
    async () => {
      const { key } = await newAccount(portal.world.service);
      const page = await portal.newPage();
      await page.setViewportSize({ width: widths.phone, height: 900 });
      await page.goto(portal.at('/docs#/Channels/listChannels'));
      const call = page.locator('#operations-Channels-listChannels');
      await call.getByRole('button', { name: 'Execute' }).waitFor();
      const tallest: number = await page.evaluate(
        'Math.max(...[...document.querySelectorAll(".opblock-summary")].map((each) => each.offsetHeight))',
      );
      expect(tallest).toBeLessThan(140);
      await page.getByRole('button', { name: 'Authorize' }).first().click();
      await page.locator('.modal-ux').getByRole('textbox').first().fill(key);
      await page.getByRole('button', { name: 'Apply credentials' }).first().click();
      await page.reload();
      await call.getByRole('button', { name: 'Execute' }).click();
      await call.locator('.live-responses-table').getByText('"total": 0').waitFor();
      expect(await page.evaluate('localStorage.length')).toBe(0);
      const other = await portal.newPage();
      await other.goto(portal.at('/docs/operators'));
      await other.locator('[id$=createAccount]').waitFor();
      expect(await other.locator('#operations-Channels-listChannels').count()).toBe(0);
      expect(await page.locator('[id$=createAccount]').count()).toBe(0);
      await page.getByPlaceholder('Filter by tag').fill('Templates');
      await call.waitFor({ state: 'detached' });
    },
    120_000,
  );

  browserTest(
    "on the narrowest phone the viewer's buttons cover no text, and its arrows are as dark as their names",
    async () => {
      const page = await portal.newPage({ viewport: { width: 320, height: 900 } });
      await page.goto(portal.at('/docs'));
      const call = page.locator('#operations-Channels-listChannels');
      await call.locator('.opblock-summary-control').click();
      await call.getByRole('button', { name: 'Execute' }).click();
      await call.locator('.live-responses-table').getByText('Missing or invalid API key').waitFor();
      expect(await page.evaluate(coveredText)).toEqual([]);
      const [ofName, ofArrow]: string[] = await page.evaluate(schemaColours);
      expect(ofArrow).toBe(ofName);
      // A group's name and its arrow are one line.
      const group = page.locator('.opblock-tag', { hasText: 'Connecting a channel' });
      const [of, arrowOf] = [
        await group.locator('a').boundingBox(),
        await group.locator('.expand-operation').boundingBox(),
      ];
      expect((arrowOf?.y ?? 0) < (of?.y ?? 0) + (of?.height ?? 0)).toBe(true);
    },
    60_000,
  );

  browserTest(
    'an open call shows the fields of its answers, also those of referenced schemas',
    async () => {
      const page = await portal.newPage();
      await page.goto(portal.at('/docs#/Channels/listChannels'));
      const answer = page.locator('#operations-Channels-listChannels [data-code="200"]');
      await answer.getByRole('tab', { name: 'Schema' }).click();
      await answer.getByRole('button', { name: 'Expand all' }).first().click();
      const fields = await answer.locator('.json-schema-2020-12__title').allTextContents();
      expect(fields).toEqual(expect.arrayContaining(['ChannelListResponse', 'channels', 'phone_number_id']));
      expect(await answer.getByText('#/components/').count()).toBe(0);
      // Descriptions are Markdown: of fields, parameters and the call.
      expect(await page.locator('#operations-Channels-listChannels').innerText()).not.toContain('`');
    },
    60_000,
  );

  browserTest.each([
    ['verify', 'hash_equals'],
    ['clients', 'class Receiver(BaseHTTPRequestHandler)'],
  ])(
    'the page %s shows its programs and is well made',
    async (name, program) => {
      const page = await portal.newPage();
      await page.goto(portal.at(`/docs/${name}`));
      await page.getByText(program).waitFor();
      await expectWellMade(page, name);
    },
    60_000,
  );

  browserTest(
    'the guide can be read without scripts, by its table of contents, at both widths',
    async () => {
      const page = await portal.newPage({ javaScriptEnabled: false });
      await page.goto(portal.at('/docs/guide'));
      await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Errors' }).click();
      expect(new URL(page.url()).hash).toBe('#errors');
      expect(await page.locator('#errors').isVisible()).toBe(true);
      for (const said of ['"event": "message.received"', 'text_too_long', '"webhook_secret":null'])
        expect(await page.getByText(said).count()).toBeGreaterThan(0);
      expect(await page.getByText(`curl -s ${portal.at('/api/v1/redirects')}`).count()).toBe(1);
      expect(await page.content()).not.toContain('localhost:3000');
      const links = await page
        .locator('main a[href^="/"]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      await page.close();
      for (const path of new Set<string>(links))
        expect([path, (await fetch(portal.at(path))).status]).toEqual([path, 200]);
    },
    60_000,
  );

  browserTest.each(['guide', 'contract', 'decisions', 'error-codes'])(
    '%s: every link leads to a place that is there, and it passes the page checks',
    async (name) => {
      const page = await portal.newPage();
      await page.goto(portal.at(`/docs/${name}`));
      const [, ...links] = await page
        .locator('main a[href^="/docs"], main a[href^="#"]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      expect(links.length).toBeGreaterThan(3);
      for (const link of new Set<string>(links)) {
        await page.goto(portal.at(link.startsWith('#') ? `/docs/${name}${link}` : link));
        const anchor = new URL(page.url()).hash;
        const isThere = await page.evaluate(
          `${JSON.stringify(anchor)} === '' || document.getElementById(${JSON.stringify(anchor.slice(1))}) !== null`,
        );
        expect([link, isThere]).toEqual([link, true]);
      }
      await page.goto(portal.at(`/docs/${name}`));
      expect(await page.locator('main').innerText()).not.toMatch(/`|\*\*|\]\(/);
      await expectWellMade(page, name);
    },
    120_000,
  );

  browserTest.each(['guide', 'contract', 'decisions'])(
    '%s: on a tablet no word of a table is broken, and the page does not scroll sideways',
    async (name) => {
      const page = await portal.newPage();
      await page.goto(portal.at(`/docs/${name}`));
      for (const width of [701, 760, 853]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await page.evaluate(brokenWords)]).toEqual([width, []]);
        const isSideways = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        expect([width, isSideways]).toEqual([width, false]);
      }
    },
    60_000,
  );

  browserTest(
    'who is signed in reads the docs within the navigation, others beside the way to sign in',
    async () => {
      const { page } = await portal.signUp();
      const outside = await portal.newPage();
      for (const path of ['/docs', '/docs/guide', '/docs/clients', '/docs/verify']) {
        await page.goto(portal.at(path));
        await outside.goto(portal.at(path));
        for (const each of [page, outside]) {
          expect(await each.locator('.tabs [aria-current]').getAttribute('href')).toBe(path);
          await each.getByRole('navigation', { name: 'Contents' }).getByRole('link').first().waitFor();
          // The viewer's own heading has a level of its own.
          expect(await each.locator('h1:not([aria-level])').count()).toBe(1);
        }
        const places = (of: typeof page) =>
          of.getByRole('navigation', { name: 'Portal' }).getByRole('link').allTextContents();
        expect(await places(page)).toEqual(expect.arrayContaining(['Home', 'Deliveries', 'Docs']));
        expect(await places(outside)).toEqual(['Docs', 'Sign in', 'Sign up']);
      }
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.goto(portal.at('/docs/guide'));
      await page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Sign in' }).waitFor();
    },
    60_000,
  );

  browserTest(
    'no word of a table is broken where the page has room',
    async () => {
      const page = await portal.newPage();
      await page.setViewportSize({ width: widths.desk, height: 900 });
      for (const name of ['guide', 'contract', 'decisions', 'error-codes', 'clients']) {
        await page.goto(portal.at(`/docs/${name}`));
        // A word in two lines has two boxes.
        const broken: string[] =
          await page.evaluate(`[...document.querySelectorAll('td code.word, #methods ~ * td code')]
          .filter((code) => code.getClientRects().length > 1).map((code) => code.textContent)`);
        expect([name, broken]).toEqual([name, []]);
      }
    },
    60_000,
  );
});
