/** [portal: how it looks] The styles as files: nothing in them is without effect. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { browserTest, sharedBrowser } from '../support/browser.ts';

const folder = 'src/pages/styles';
const files = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'portal.css');
const styles = files.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n');

test('every token is used', () => {
  const tokens = readFileSync(`${folder}/tokens.css`, 'utf8').match(/^ *--[\w-]+(?=:)/gm) ?? [];
  const names = new Set(tokens.map((token) => token.trim()));
  expect([...names].filter((name) => !styles.includes(`var(${name})`))).toEqual([]);
});

/** The declarations that a browser drops once their variables are in, as it does without a word. */
const dropped = `(() => {
  const ofRoot = getComputedStyle(document.documentElement);
  const filled = (value) => value.replace(/var\\((--[\\w-]+)\\)/g, (all, name) => ofRoot.getPropertyValue(name) || all);
  const rulesIn = (rules) => [...rules].flatMap((rule) => [rule, ...rulesIn(rule.cssRules ?? [])]);
  const texts = [...document.styleSheets].flatMap((sheet) => rulesIn(sheet.cssRules)).flatMap((rule) =>
    (rule.style?.cssText ?? '').split(/;\\s*/).map((declaration) => [rule.selectorText, declaration]));
  return texts.filter(([, declaration]) => {
    const [name, value] = declaration.split(/:(.*)/s);
    return /var\\(/.test(value ?? '') && !name.startsWith('--') && !CSS.supports(name, filled(value));
  }).map((parts) => parts.join(' '));
})()`;

const browser = sharedBrowser();

browserTest('every declaration is valid with the values of its tokens', async () => {
  const page = await (await browser()).newPage();
  await page.setContent(`<style>${styles}</style>`);
  expect(await page.evaluate(dropped)).toEqual([]);
});
