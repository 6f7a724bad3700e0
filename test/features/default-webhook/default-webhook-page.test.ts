/** [spec: Additions, A default webhook] The portal's form of the default webhook, saved by several people. */
import { beforeEach, expect, test } from '@jest/globals';
import { newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { sharedWorld } from '../../support/shared-world.ts';

const world = sharedWorld();
const path = '/portal/default-webhook';

let visitor: Visitor;
beforeEach(async () => {
  visitor = await newVisitor(world);
});

const fieldIn = (text: string, name: string) => {
  const [input = ''] = new RegExp(`<input[^>]* name="${name}"[^>]*>`).exec(text) ?? [];
  return / value="([^"]*)"/.exec(input)?.[1];
};
const stored = async (name: string) => fieldIn((await visitor.ask(path)).text, name);
const save = async (webhook_url: string, over: object = {}) =>
  visitor.post(path, { version: '0', webhook_url, failed_retention_days: '', ...over });

test('of people who save at once, one is stored and the others are told', async () => {
  const urls = Array.from({ length: 8 }, (_, at) => `https://${at}.example.com/in`);
  const answers = await Promise.all(urls.map((url) => save(url)));
  const told = answers.filter(({ status }) => status === 409);
  expect(told).toHaveLength(urls.length - 1);
  for (const { text } of told) expect(text).toContain('Changed elsewhere since you opened this page');
  expect(await stored('webhook_url')).toBe(urls[answers.findIndex(({ status }) => status === 302)]);
});

test('a form that is posted twice is saved', async () => {
  const answers = await Promise.all([1, 2].map(() => save('https://twice.example.com/in')));
  expect(answers.map(({ status }) => status)).toEqual([302, 302]);
});

test('a form that was refused for another reason still notices', async () => {
  const refused = await save('https://second.example.com/in', { failed_retention_days: '31' });
  expect(refused.status).toBe(422);
  await save('https://first.example.com/in');
  const late = await save('https://second.example.com/in', { failed_retention_days: '31' });
  expect(late.status).toBe(422);
  const again = await save('https://second.example.com/in', { version: fieldIn(late.text, 'version') });
  expect([again.status, await stored('webhook_url')]).toEqual([409, 'https://first.example.com/in']);
  const anyway = await save('https://second.example.com/in', { version: fieldIn(again.text, 'version') });
  expect([anyway.status, await stored('webhook_url')]).toEqual([302, 'https://second.example.com/in']);
});
