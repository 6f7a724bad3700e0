import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, dualPhone, phone, type Reply, Stage, textAt, waba, wabaToken } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict', settings: { callback_subscribes: true } });
});
afterEach(() => stage.close());

function register(pin = '111111'): Promise<Reply> {
  const body = { messaging_product: 'whatsapp', pin };
  return stage.graph('POST', `/${phone}/register`, { token: wabaToken, body });
}

function deregister(): Promise<Reply> {
  return stage.graph('POST', `/${phone}/deregister`, { token: wabaToken });
}

async function read(fields: string, id = phone): Promise<unknown> {
  return (await stage.graph('GET', `/${id}?fields=${fields}`, { token: wabaToken })).body;
}

function set(members: Record<string, unknown>): Promise<unknown> {
  return stage.control('numbers', { phone_number_id: phone, ...members });
}

describe('registration', () => {
  test('the eleventh register call in 72 hours blocks the number for 72 hours; deregister has a count of its own', async () => {
    for (let count = 0; count < 10; count += 1) expect((await register()).status).toBe(200);
    expect((await deregister()).status).toBe(200);
    expect(codesOf(await register())).toEqual([400, 133_016, undefined]);
    expect(codesOf(await deregister())).toEqual([400, 133_016, undefined]);
    await stage.control('clock', { advance_ms: 71 * 3_600_000 });
    expect(codesOf(await register())).toEqual([400, 133_016, undefined]);
    await stage.control('clock', { advance_ms: 3_600_001 });
    expect((await register()).status).toBe(200);
  });

  test('a lax world has no such limit', async () => {
    await stage.control('settings', { registration_limit: 0 });
    for (let count = 0; count < 12; count += 1) expect((await register()).status).toBe(200);
  });

  test('a number that is not verified is 133006', async () => {
    await set({ code_verification_status: 'NOT_VERIFIED' });
    expect(codesOf(await register())).toEqual([400, 133_006, undefined]);
    expect(await read('code_verification_status')).toMatchObject({
      code_verification_status: 'NOT_VERIFIED',
    });
  });

  test('a number whose name is not processed is 100/2388001 with a title for people', async () => {
    await set({ name_ready: false, name_status: 'PENDING_REVIEW' });
    const refused = await register();
    expect(codesOf(refused)).toEqual([400, 100, 2_388_001]);
    expect(at(refused.body, 'error', 'error_user_title')).toBe('Cannot create certificate');
    expect(await read('name_status')).toMatchObject({ name_status: 'PENDING_REVIEW' });
  });

  test('a number that was deleted less than five minutes ago is 133015', async () => {
    await set({ deleted: true });
    expect(codesOf(await register())).toEqual([400, 133_015, undefined]);
    await stage.control('clock', { advance_ms: 300_000 });
    expect((await register()).status).toBe(200);
  });

  test('another PIN than the owner’s is 133005; too soon 133009; too often 133008', async () => {
    await set({ pin: '999999' });
    expect(codesOf(await register())).toEqual([400, 133_005, undefined]);
    expect(codesOf(await register())).toEqual([400, 133_009, undefined]);
    for (let count = 0; count < 4; count += 1) {
      await stage.control('clock', { advance_ms: 1_000 });
      expect(codesOf(await register())).toEqual([400, 133_005, undefined]);
    }
    await stage.control('clock', { advance_ms: 1_000 });
    expect(codesOf(await register())).toEqual([400, 133_008, undefined]);
  });

  test('a number that is not registered is PENDING and sends nothing', async () => {
    await set({ registered: false });
    expect(await read('status')).toMatchObject({ status: 'PENDING' });
    expect(codesOf(await stage.sendChatapp('x'))).toEqual([400, 133_010, undefined]);
  });
});

describe('the node of a number', () => {
  test('after a sign-up the platform of a dual-use number is not known for some seconds', async () => {
    await signUp();
    const members = 'is_on_biz_app,platform_type';
    expect(await read(members, dualPhone)).toMatchObject({
      is_on_biz_app: true,
      platform_type: 'NOT_APPLICABLE',
    });
    await stage.control('clock', { advance_ms: 3_000 });
    expect(await read(members, dualPhone)).toMatchObject({ platform_type: 'CLOUD_API' });
  });

  test('its throughput is STANDARD, or what was set', async () => {
    await stage.control('settings', { rates: false });
    expect(await read('throughput')).toMatchObject({ throughput: { level: 'STANDARD' } });
    await set({ throughput: 'NOT_APPLICABLE', platform_type: 'NOT_APPLICABLE' });
    expect(await read('throughput,platform_type')).toMatchObject({
      throughput: { level: 'NOT_APPLICABLE' },
      platform_type: 'NOT_APPLICABLE',
    });
  });

  test('its health names the four objects and the reason', async () => {
    await set({ can_send_message: 'BLOCKED' });
    expect(await read('health_status')).toMatchObject({
      health_status: {
        can_send_message: 'BLOCKED',
        entities: [
          { entity_type: 'PHONE_NUMBER', id: phone, can_send_message: 'BLOCKED', errors: [{}] },
          { entity_type: 'WABA', id: waba, can_send_message: 'AVAILABLE' },
          { entity_type: 'BUSINESS' },
          { entity_type: 'APP' },
        ],
      },
    });
  });

  test('its callbacks are those of app, account and number', async () => {
    const own = { override_callback_uri: stage.inbox.url, verify_token: 'x' };
    await stage.graph('POST', `/${waba}/subscribed_apps`, { token: wabaToken, body: own });
    expect(await read('webhook_configuration')).toMatchObject({
      webhook_configuration: { application: stage.inbox.url, whatsapp_business_account: stage.inbox.url },
    });
  });
});

async function signUp(): Promise<void> {
  await stage.control('settings', { redirect_uris: ['https://inbox.example/back'] });
  const redirect = encodeURIComponent('https://inbox.example/back');
  const asked = await stage.graph(
    'GET',
    `/dialog/oauth?client_id=700100200300400&redirect_uri=${redirect}&state=s&response_type=code&config_id=example-signup-0001&override_default_response_type=true&extras=${encodeURIComponent('{"version":"v4"}')}&auto=allow&assets=${waba}`,
  );
  const code = new URL(asked.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const body = {
    client_id: '700100200300400',
    client_secret: 'example-app-secret-0001',
    redirect_uri: 'https://inbox.example/back',
    code,
  };
  const token = await stage.graph('POST', '/oauth/access_token', { body });
  expect(textAt(token.body, 'access_token')).toMatch(/^EAA/);
}
