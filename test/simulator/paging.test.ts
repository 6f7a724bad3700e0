/** [upstream §1.1, §9.1] Paged collections: a client follows `next` and `previous` unchanged and without headers. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appSecret, at, call, page, Stage, textAt, waba, wabaToken, type Reply } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const idsOf = (reply: Reply): unknown => {
  const data = at(reply.body, 'data');
  return Array.isArray(data) ? data.map((one) => at(one, 'id')) : data;
};

/** The ids of each page for a client that follows the links unchanged. */
async function follow(first: Reply, link = 'next'): Promise<unknown[]> {
  const pages: unknown[] = [];
  let reply = first;
  for (;;) {
    expect(reply.status).toBe(200);
    pages.push(idsOf(reply));
    const next = at(reply.body, 'paging', link);
    if (typeof next !== 'string') return pages;
    reply = await call('GET', next);
  }
}

async function userToken(): Promise<string> {
  const redirect = 'http://127.0.0.1:9/back';
  const asked = `client_id=${appId}&redirect_uri=${redirect}&state=s&response_type=code&scope=pages_show_list`;
  const dialog = await stage.graph('GET', `/dialog/oauth?${asked}&auto=allow`);
  const code = new URL(dialog.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = `client_id=${appId}&client_secret=${appSecret}&redirect_uri=${redirect}`;
  const answer = await stage.graph('GET', `/oauth/access_token?${credentials}&code=${code}`);
  return textAt(answer.body, 'access_token');
}

describe('the link to the next page repeats the parameters of the first call', () => {
  test.each([
    ['templates', `/${waba}/message_templates?limit=2&fields=id`, 2],
    ['numbers', `/${waba}/phone_numbers?limit=1&fields=id`, 2],
  ])('%s: the token was in a header', async (_what, path, pages) => {
    const first = await stage.graph('GET', path, { token: wabaToken });
    const seen = await follow(first);
    expect(seen).toHaveLength(pages);
    expect(new Set(seen.flat()).size).toBe(seen.flat().length);
    const { pathname, searchParams } = new URL(textAt(first.body, 'paging', 'next'));
    expect([pathname.split('/')[1], searchParams.get('access_token'), searchParams.get('fields')]).toEqual([
      'v25.0',
      wabaToken,
      'id',
    ]);
  });

  test('pages of a person: another version, the token in the URL', async () => {
    const token = await userToken();
    const address = `${stage.url}/v23.0/me/accounts?limit=1&fields=id&access_token=${token}`;
    const first = await call('GET', address);
    expect(textAt(first.body, 'paging', 'next')).toMatch(/\/v23\.0\/me\/accounts\?/);
    expect(await follow(first)).toEqual([[page], ['520000000000015']]);
  });

  test('it repeats the proof of the app secret if one is required', async () => {
    await stage.control('settings', { require_proof: true });
    const proof = createHmac('sha256', appSecret).update(wabaToken).digest('hex');
    const path = `/${waba}/phone_numbers?limit=1&appsecret_proof=${proof}`;
    expect(await follow(await stage.graph('GET', path, { token: wabaToken }))).toHaveLength(2);
  });
});

test('`previous` leads from the last page back to the first', async () => {
  const first = await stage.graph('GET', `/${waba}/message_templates?limit=3&fields=id`, {
    token: wabaToken,
  });
  const last = await call('GET', textAt(first.body, 'paging', 'next'));
  expect(at(first.body, 'paging', 'previous')).toBeUndefined();
  expect(await follow(last, 'previous')).toEqual([idsOf(last), idsOf(first)]);
});

test('an answer names the requested version', async () => {
  const replies = await Promise.all(
    ['/v23.0', ''].map((version) => call('GET', `${stage.url}${version}/${waba}`, { token: wabaToken })),
  );
  expect(replies.map(({ headers }) => headers.get('facebook-api-version'))).toEqual(['v23.0', 'v25.0']);
});
