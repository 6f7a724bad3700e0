/** What upstream's lists and nodes of pages leave out or refuse [upstream protocol 2.1]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, page, photo, Stage } from './support.ts';

const west = '520000000000015';
const all = 'pages_show_list,business_management,pages_read_engagement,instagram_basic';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

async function listed(token: string): Promise<unknown> {
  return at((await stage.graph('GET', '/me/accounts?fields=id', { token })).body, 'data');
}

describe('portfolio_pages', () => {
  test('pages of a portfolio are left out without business_management, others are listed', async () => {
    await stage.control('pages', { page_id: west, portfolio: false });
    expect(await listed(await stage.grant({ scope: 'pages_show_list' }))).toEqual([{ id: west }]);
    expect(await listed(await stage.grant({ scope: all }))).toEqual([{ id: page }, { id: west }]);
  });
});

describe('portfolios', () => {
  const lists = async (token: string, path: string): Promise<unknown> =>
    at((await stage.graph('GET', `${path}?fields=id,access_token`, { token })).body, 'data');
  const harbour = '610000000000003';
  const lantern = '520000000000105';
  const withToken = (id: string): object => ({ id, access_token: expect.stringMatching(/^EAA/) });

  test('a person has those of the login, and each lists the pages that it owns or was given', async () => {
    await stage.control('pages', { page_id: lantern, client_of: harbour });
    await stage.control('pages', { page_id: page, picker_only: true });
    const token = await stage.grant({ scope: all, assets: page });
    expect(at((await stage.graph('GET', '/me/businesses', { token })).body, 'data')).toEqual([
      { id: harbour, name: 'Harbour Bakery' },
    ]);
    expect(await lists(token, `/${harbour}/owned_pages`)).toEqual([withToken(page), { id: west }]);
    expect(await lists(token, `/${harbour}/client_pages`)).toEqual([{ id: lantern }]);
  });

  test('without business_management they are refused, and those of others do not exist', async () => {
    const token = await stage.grant({ scope: 'pages_show_list' });
    for (const path of ['/me/businesses', `/${harbour}/owned_pages`, `/${harbour}/client_pages`])
      expect(codesOf(await stage.graph('GET', path, { token }))).toEqual([400, 100, undefined]);
    const other = await stage.grant({ scope: all });
    expect(codesOf(await stage.graph('GET', '/610000000000103/owned_pages', { token: other }))).toEqual([
      400, 100, 33,
    ]);
  });
});

test('a page that only the picker knows is in no list of the person, but among the targets and readable', async () => {
  await stage.control('pages', { page_id: page, picker_only: true });
  const token = await stage.grant({ scope: all, assets: page });
  expect(await listed(token)).toEqual([]);
  const node = await stage.graph('GET', `/${page}?fields=name,access_token`, { token });
  expect(node.body).toEqual({
    id: page,
    name: 'Harbour Bakery',
    access_token: expect.stringMatching(/^EAA/),
  });
});

test('a page can be listed without its token', async () => {
  await stage.control('pages', { page_id: page, with_token: false });
  const token = await stage.grant({ scope: all, assets: page });
  const { body } = await stage.graph('GET', '/me/accounts?fields=id,access_token', { token });
  expect(at(body, 'data')).toEqual([{ id: page }]);
});

describe('page_read_rights', () => {
  test('a page by its id needs pages_read_engagement', async () => {
    const token = await stage.grant({ scope: 'pages_show_list', assets: page });
    expect(codesOf(await stage.graph('GET', `/${page}?fields=name`, { token }))).toEqual([
      400,
      100,
      undefined,
    ]);
  });

  test.each([
    ['pages_read_engagement', { id: page }],
    ['pages_read_engagement,instagram_basic', { id: page, instagram_business_account: { id: photo } }],
  ])('with %s the page shows its photo account, or nothing at all', async (scope, shown) => {
    const token = await stage.grant({ scope, assets: page });
    const node = await stage.graph('GET', `/${page}?fields=instagram_business_account`, { token });
    expect([node.status, node.body]).toEqual([200, shown]);
  });
});

test('accounts_limit: a list with an expansion is refused when it is long, and answered by a shorter page', async () => {
  await stage.control('settings', { accounts_limit: 1 });
  const token = await stage.grant({ scope: all });
  const path = '/me/accounts?fields=id,instagram_business_account{id}';
  expect(codesOf(await stage.graph('GET', `${path}&limit=100`, { token }))).toEqual([500, 1, undefined]);
  expect((await stage.graph('GET', `${path}&limit=1`, { token })).status).toBe(200);
});

test.each(['ids=1', 'pretty=1', 'debug=all', 'date_format=U', 'method=delete'])(
  'legacy_features: %s is refused',
  async (parameter) => {
    const token = await stage.grant({ scope: all });
    expect(codesOf(await stage.graph('GET', `/?${parameter}`, { token }))).toEqual([400, 100, undefined]);
    expect(codesOf(await stage.graph('GET', `/me?${parameter}`, { token }))).toEqual([400, 100, undefined]);
  },
);
