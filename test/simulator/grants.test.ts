import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appSecret, appToken, at, mia, page, phone, Stage, textAt, waba } from './support.ts';

// Permissions that a person grants or declines in the dialog [upstream §2.1, §2.4].

const redirect = 'http://127.0.0.1:9/back';
const westPage = '520000000000015';
const otherWaba = '311200000000101';
const scopes = 'pages_show_list,pages_messaging,pages_manage_metadata';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

async function tokenOf(asked: string): Promise<string> {
  const common = `client_id=${appId}&redirect_uri=${redirect}&state=s&response_type=code`;
  const dialog = await stage.graph('GET', `/dialog/oauth?${common}&${asked}`);
  const code = new URL(dialog.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = `client_id=${appId}&client_secret=${appSecret}&redirect_uri=${redirect}`;
  return textAt(
    (await stage.graph('GET', `/oauth/access_token?${credentials}&code=${code}`)).body,
    'access_token',
  );
}

async function granularOf(token: string): Promise<unknown> {
  const path = `/debug_token?input_token=${token}`;
  const data = at((await stage.graph('GET', path, { token: appToken })).body, 'data');
  return at(data, 'granular_scopes');
}

describe('pages', () => {
  test('one grant can cover several pages', async () => {
    const token = await tokenOf(`scope=${scopes}&auto=allow&assets=${page},${westPage}`);
    const accounts = await stage.graph('GET', '/me/accounts?fields=id', { token });
    expect(at(accounts.body, 'data')).toEqual([{ id: page }, { id: westPage }]);
  });

  test('a permission granted for one page is missing on the other', async () => {
    const targets = { pages_messaging: [page] };
    await stage.control('dialog', { auto: 'allow', assets: [page, westPage], targets });
    const token = await tokenOf(`scope=${scopes}`);
    const accounts = (await stage.graph('GET', '/me/accounts?fields=access_token', { token })).body;
    expect(await granularOf(token)).toContainEqual({ scope: 'pages_messaging', target_ids: [page] });
    const send = async (id: string, n: number): Promise<number> => {
      const body = { recipient: { id: mia.psid }, message: { text: 'Hello' } };
      const pageToken = textAt(accounts, 'data', n, 'access_token');
      return (await stage.graph('POST', `/${id}/messages`, { token: pageToken, body })).status;
    };
    expect(await send(page, 0)).toBe(200);
    const other = { recipient: { id: '8800000000000011' }, message: { text: 'Hello' } };
    const refused = await stage.graph('POST', `/${westPage}/messages`, {
      token: textAt(accounts, 'data', 1, 'access_token'),
      body: other,
    });
    expect([refused.status, at(refused.body, 'error', 'code')]).toEqual([403, 200]);
  });
});

describe('signup', () => {
  test('business accounts of two owners can be shared together, in the given order', async () => {
    const token = await tokenOf(`config_id=1&auto=allow&assets=${otherWaba},${waba}`);
    expect(await granularOf(token)).toEqual([
      { scope: 'whatsapp_business_management', target_ids: [otherWaba, waba] },
      { scope: 'whatsapp_business_messaging', target_ids: [otherWaba, waba] },
    ]);
    const own = await stage.graph('GET', `/${otherWaba}/phone_numbers?fields=id`, { token });
    expect(at(own.body, 'data')).toHaveLength(2);
  });

  test('a token lacks a declined permission, and calls that require it are refused', async () => {
    const token = await tokenOf('config_id=1&auto=allow&decline=whatsapp_business_messaging');
    expect(await granularOf(token)).toEqual([{ scope: 'whatsapp_business_management', target_ids: [waba] }]);
    const body = { messaging_product: 'whatsapp', to: mia.phone, text: { body: 'Hello' } };
    const refused = await stage.graph('POST', `/${phone}/messages`, { token, body });
    expect([refused.status, at(refused.body, 'error', 'code')]).toEqual([403, 200]);
  });

  test('templates of an account are refused without the management permission for it', async () => {
    const targets = { whatsapp_business_management: [waba] };
    await stage.control('dialog', { auto: 'allow', assets: [waba, otherWaba], targets });
    const token = await tokenOf('config_id=1');
    const statuses = [waba, otherWaba].map(
      async (id) => (await stage.graph('GET', `/${id}/message_templates`, { token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 403]);
  });
});
