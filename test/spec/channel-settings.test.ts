/** Every setting of a channel, from one table: what PATCH sets is shown and recorded, and the rest stays. [spec: ChannelUpdateRequest] */
import { beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { bare, everySetting, settingRows, shownAtFirst } from '../support/settings.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let id: string;
beforeAll(async () => {
  account = await newAccount(world.service);
  ({ id } = await world.connect(account, 'pagechat', { webhookUrl: null, events: [] }));
});

const ask = (method: string, body?: unknown): Promise<Answer> =>
  world.service.call(method, `/api/v1/channels/${id}`, { key: account.key, body });

const byName = settingRows.map((row) => [bare(row.given), row] as const);
/** As a channel shows them after `everySetting`. */
const shownThen = Object.fromEntries(
  settingRows.map(({ shown, next, shownNext = next }) => [bare(shown), shownNext]),
);

test('a new channel has them as they are at first', async () => {
  expect((await ask('GET')).body).toMatchObject({ ...shownAtFirst, webhook_events: [] });
});

test('PATCH with all of them sets all of them, and each is in the audit log', async () => {
  expect(await ask('PATCH', everySetting)).toMatchObject({ status: 200, body: shownThen });
  expect((await ask('GET')).body).toMatchObject(shownThen);
  const { body } = await world.service.admin('GET', `/audit?account_id=${account.accountId}`);
  const { action, after } = body.entries[0];
  const audited = byName.map(([name, { next, auditedNext }]) => [
    name,
    auditedNext === undefined ? next : expect.stringMatching(auditedNext),
  ]);
  expect([action, after]).toEqual(['channel.updated', Object.fromEntries(audited)]);
});

test.each(byName)('PATCH with %s alone leaves the others as they are', async (name, { next }) => {
  expect((await ask('PATCH', { [name]: next })).status).toBe(200);
  expect((await ask('GET')).body).toMatchObject(shownThen);
});

const refused = settingRows.flatMap(({ given, refused: values }) =>
  values.map((value) => [bare(given), JSON.stringify(value).slice(0, 60), value] as const),
);

test.each(refused)('PATCH with %s %s is 422 there, and changes nothing', async (name, _shown, value) => {
  const { status, body } = await ask('PATCH', { ...everySetting, [name]: value });
  expect([status, body.detail]).toEqual([
    422,
    expect.arrayContaining([expect.objectContaining({ loc: expect.arrayContaining(['body', name]) })]),
  ]);
  expect((await ask('GET')).body).toMatchObject(shownThen);
});
