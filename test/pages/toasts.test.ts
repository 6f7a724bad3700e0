/** [portal: how it looks, Feedback] A toast for each change. */
import { expect, test } from '@jest/globals';
import { sharedWorld } from '../support/shared-world.ts';
import { invited, newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

const world = sharedWorld();

/** The toast of the page to which the form leads. */
async function said(visitor: Visitor, path: string, fields: Record<string, string> = {}) {
  const { status, location } = await visitor.post(path, fields);
  expect([path, status]).toEqual([path, 302]);
  return toastIn((await visitor.ask(location ?? '')).text);
}

function toastIn(page: string): string[] {
  const [, kind = '', words = ''] = /<div class="(toast[^"]*)".*?<\/svg><div>(.*?)<\/div>/s.exec(page) ?? [];
  return [kind, words];
}

const idIn = (text: string, place: string): string =>
  new RegExp(`href="/portal/${place}/([0-9a-f-]{36})`).exec(text)?.[1] ?? '';

test('what is changed is said on the page that follows', async () => {
  const owner = await newVisitor(world);
  await invited(world, owner, 'developer');
  const person = `/portal/people/${idIn((await owner.ask('/portal/people')).text, 'people')}`;
  expect(await said(owner, person, { role: 'viewer' })).toEqual(['toast', 'Saved.']);
  expect(await said(owner, `${person}/remove`)).toEqual(['toast', 'Removed.']);
  await owner.post('/portal/keys', { name: 'shop', scope: 'admin' });
  const key = `/portal/keys/${idIn((await owner.ask('/portal/keys')).text, 'keys')}`;
  expect(await said(owner, `${key}/revoke`)).toEqual(['toast', 'Revoked.']);
  const url = { webhook_url: '', failed_retention_days: '2' };
  expect(await said(owner, '/portal/default-webhook', url)).toEqual(['toast', 'Saved.']);
});
