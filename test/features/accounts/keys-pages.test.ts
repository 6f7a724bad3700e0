/** The page of API keys: what a key may do, its end, its last use. */
import { beforeAll, expect, test } from '@jest/globals';
import { newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { sharedWorld } from '../../support/shared-world.ts';

const world = sharedWorld();
let owner: Visitor;
beforeAll(async () => {
  owner = await newVisitor(world);
});

const keyIn = (page: string): string => /mip_live_[\w-]{43}/.exec(page)?.[0] ?? '';

test('a key with two scopes and a last day is listed with them, and shows where it was used', async () => {
  const csrf = owner.csrf;
  const form = new URLSearchParams([
    ['csrf', csrf],
    ['name', 'sender'],
    ['scope', 'messages:send'],
    ['scope', 'templates:write'],
    ['ends_on', '2999-12-30'],
  ]);
  await owner.ask('/portal/keys', undefined);
  const made = await fetch(`${world.service.url}/portal/keys`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    body: form,
  });
  expect(made.headers.get('location')).toBe('/portal/keys/made');
  const [flash = ''] = made.headers.getSetCookie();
  const [name = '', value = ''] = (flash.split(';')[0] ?? '').split(/=(.*)/s);
  owner.cookies.set(name, value);
  const key = keyIn((await owner.ask('/portal/keys/made')).text);
  const refused = await world.service.call('GET', '/api/v1/channels', { key });
  expect(refused.status).toBe(403);
  const { text } = await owner.ask('/portal/keys');
  expect(text).toContain('messages:send, templates:write');
  expect(text).toContain('datetime="2999-12-31T00:00:00.000Z"');
  expect(text).toContain('from <span class="address">127.0.0.1</span>');
});

test('a form without a scope is refused, and keeps what was typed', async () => {
  const { status, text } = await owner.post('/portal/keys', { name: 'nothing', ends_on: '2999-01-01' });
  expect(status).toBe(422);
  expect(text).toContain('Choose at least one.');
  expect(text).toContain('value="nothing"');
  expect(text).toContain('value="2999-01-01"');
});

test.each(['2020-01-01', 'soon', '2026-13-77', '9'.repeat(10_000)])(
  'the last day %.20s is refused',
  async (day) => {
    const { status } = await owner.post('/portal/keys', { name: 'x', scope: 'admin', ends_on: day });
    expect(status).toBe(422);
  },
);

test('a scope that is none of ours counts for nothing', async () => {
  const { status } = await owner.post('/portal/keys', { name: 'x', scope: 'everything' });
  expect(status).toBe(422);
});
