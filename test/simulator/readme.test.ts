import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { handshakeRoute } from '../../src/features/messages/upstream-webhooks.ts';
import { defaultSettings } from '../../src/simulator/settings.ts';
import { call, Stage } from './support.ts';

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../src/simulator/${name}`, import.meta.url), 'utf8');
const readme = `${pageOf('README.md')}\n${pageOf('CONTROL.md')}`;

// The examples run in the README's order against one simulator, as a reader would type them.
const examples = [...readme.matchAll(/^C ([a-z0-9/-]+)\s+'(\{.*?\})'(?:\s|$)/gm)].map(
  (match) => [match[1] ?? '', match[2] ?? ''] as const,
);
const looks = [...readme.matchAll(/^curl '?(localhost:3001\/control\/[^\s']+)/gm)].map(
  (match) => match[1] ?? '',
);

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

test('every line that looks like an example is tested', () => {
  expect(examples).toHaveLength([...readme.matchAll(/^C /gm)].length);
  expect(looks).toHaveLength([...readme.matchAll(/^curl '?localhost/gm)].length);
});

test.each(examples)('the README’s example works: %s %s', async (path, json) => {
  const answer = await fetch(`${stage.url}/control/${path}`, { method: 'POST', body: json });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^\{/)]);
});

test.each(looks)('the README’s GET example works: %s', async (address) => {
  const target = address.replace('localhost:3001', stage.url).replace('wait_ms=5000', 'wait_ms=1');
  expect((await call('GET', target)).status).toBe(200);
});

test('the README explains every setting', () => {
  const explained = new Set([...readme.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]));
  expect(Object.keys(defaultSettings).filter((name) => !explained.has(name))).toEqual([]);
});

test('the callback URL in the README is the service’s own', () => {
  const shown = [...readme.matchAll(/(?:CALLBACK_URL=|callbackUrl: ')http:\/\/127\.0\.0\.1:3000([^\s']+)/g)];
  expect(shown.map((match) => match[1])).toEqual([handshakeRoute.path, handshakeRoute.path]);
});
