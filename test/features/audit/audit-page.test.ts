/** [operator-interface §4, people of an account; faults: 164] The history of changes in an account, for its owners only. */
import { beforeEach, expect, test } from '@jest/globals';
import { sharedWorld } from '../../support/shared-world.ts';
import { accountIdOf, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';
import { perPage } from '../../../src/pages/list/paging.tsx';

const world = sharedWorld();

let owner: Visitor & { email: string };
beforeEach(async () => {
  owner = await newVisitor(world);
});

const entriesIn = async (path: string) =>
  (await owner.ask(path)).text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

test('an owner sees who did what in the account, and nothing of another account, whatever the filter', async () => {
  await owner.post('/portal/keys', { name: 'of mine', scope: 'admin' });
  const other = await newVisitor(world);
  await other.post('/portal/keys', { name: 'of theirs', scope: 'admin' });
  const { text } = await owner.ask('/portal/audit');
  expect([text.includes('key.created'), text.includes('of mine'), text.includes(owner.email)]).toEqual([
    true,
    true,
    true,
  ]);
  const theirs = await accountIdOf(world, other);
  for (const query of ['', `?account_id=${theirs}`, `?account_id=${theirs}&actor=person`]) {
    const page = await owner.ask(`/portal/audit${query}`);
    expect([query, page.status, page.text.includes('of theirs')]).toEqual([query, 200, false]);
    expect(page.text).not.toContain(other.email);
    const exported = await entriesIn(`/portal/audit/export?format=jsonl&${query.slice(1)}`);
    expect(new Set(exported.map(({ account_id }) => account_id))).toEqual(
      new Set([await accountIdOf(world, owner)]),
    );
  }
});

test("an operator's changes are listed, without their address", async () => {
  const accountId = await accountIdOf(world, owner);
  await world.service.admin('PATCH', `/accounts/${accountId}`, { suspended: true });
  const [entry] = await entriesIn('/portal/audit/export?format=jsonl&actor=operator');
  expect(entry).toMatchObject({
    action: 'account.suspended-or-resumed',
    after: { suspended: true },
    address: null,
    request_id: null,
  });
  const [ours] = await entriesIn('/portal/audit/export?format=jsonl&actor=person');
  expect(ours.address).toMatch(/127\.0\.0\.1/);
  expect((await owner.ask('/portal/audit')).text).toContain('an operator of the service');
});

test('is filtered, and exported as CSV too', async () => {
  await owner.post('/portal/keys', { name: 'shop', scope: 'admin' });
  const filtered = await owner.ask('/portal/audit?action=key.created&actor=&since=&until=');
  expect([filtered.text.includes('key.created'), filtered.text.includes('account.created')]).toEqual([
    true,
    false,
  ]);
  const csv = await owner.ask('/portal/audit/export?format=csv&action=key.created');
  const [head, ...rows] = csv.text.trim().split('\n');
  expect(head).toBe('at,actor,actor_name,action,account_id,subject,before,after,address');
  expect(rows).toEqual([expect.stringContaining(`,person,${owner.email},key.created,`)]);
  const wrong = await owner.ask('/portal/audit?since=yesterday');
  expect([wrong.status, wrong.text.includes('(like 2026-11-22T09:30) is not valid')]).toEqual([422, true]);
  expect([filtered, wrong].map(({ text }) => text.includes('/portal/audit/export?'))).toEqual([true, false]);
  expect((await owner.ask('/portal/audit/export?since=yesterday')).status).toBe(422);
});

test('is filtered by the days that its form sends', async () => {
  const asked = async (days: string): Promise<unknown[]> => {
    const page = await owner.ask(`/portal/audit?actor=&action=account.created&${days}`);
    const entries = await entriesIn(`/portal/audit/export?format=jsonl&action=account.created&${days}`);
    const row = page.text.slice(page.text.indexOf('<table'));
    return [page.status, row.includes('account.created'), entries.length];
  };
  expect(await asked('since=2000-01-01&until=2100-01-01')).toEqual([200, true, 1]);
  expect(await asked('since=2100-01-01&until=')).toEqual([200, false, 0]);
  expect(await asked('since=&until=2000-01-01')).toEqual([200, false, 0]);
  const page = await owner.ask('/portal/audit?since=2000-01-01&until=2100-01-01');
  expect(page.text.match(/<input[^>]* type="datetime-local"[^>]*>/g)).toEqual([
    '<input id="since" name="since" type="datetime-local" value="2000-01-01T00:00"/>',
    '<input id="until" name="until" type="datetime-local" value="2100-01-01T00:00"/>',
  ]);
  expect((await owner.ask('/portal/audit?since=2026-02-30')).status).toBe(422);
});

test('has pages to older entries, and back', async () => {
  const made = Array.from({ length: 60 }, (_, n) => `https://app-${n}.example.com/cb`);
  await owner.post('/portal/keys', { name: 'one', scope: 'admin' });
  for (const uri_pattern of made) await owner.post('/portal/redirects', { uri_pattern });
  const linkIn = (text: string, word: string) =>
    new RegExp(`href="([^"]+)">${word}<`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const rowsOf = (text: string) => text.match(/<tr role="row"><td/g)?.length ?? 0;
  const newest = await owner.ask('/portal/audit');
  expect([rowsOf(newest.text), linkIn(newest.text, 'Newer')]).toEqual([perPage, '']);
  const older = await owner.ask(linkIn(newest.text, 'Older'));
  expect([older.text.includes('account.created'), linkIn(older.text, 'Older')]).toEqual([true, '']);
  const back = await owner.ask(linkIn(older.text, 'Newer'));
  const datesOf = (text: string) => text.match(/<time[^>]+datetime="([^"]+)"/g);
  expect(datesOf(back.text)).toEqual(datesOf(newest.text));
  expect(linkIn(back.text, 'Newer')).toBe('');
});
