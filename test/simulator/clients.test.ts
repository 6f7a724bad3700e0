import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  appId,
  appSecret,
  appToken,
  at,
  mia,
  page,
  pageToken,
  phone,
  photo,
  Stage,
  textAt,
  waba,
  wabaToken,
} from './support.ts';

// Calls of third-party clients beyond the plain ones [upstream §9.1]. Some are made only by clients in other languages, so they are raw.

const login = '1010000000000008';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

async function userToken(scopes: string): Promise<string> {
  const redirect = 'http://127.0.0.1:9/back';
  const asked = `client_id=${appId}&redirect_uri=${redirect}&state=s&response_type=code&scope=${scopes}`;
  const dialog = await stage.graph('GET', `/dialog/oauth?${asked}&auto=allow&assets=${page}`);
  const code = new URL(dialog.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = `client_id=${appId}&client_secret=${appSecret}&redirect_uri=${redirect}`;
  return textAt(
    (await stage.graph('GET', `/oauth/access_token?${credentials}&code=${code}`)).body,
    'access_token',
  );
}

describe('tokens', () => {
  test('the access_token parameter wins over the bearer token, as when a client registers its callback', async () => {
    const asked = new URLSearchParams({
      object: 'whatsapp_business_account',
      callback_url: stage.inbox.url,
      verify_token: 'v',
      fields: 'messages',
      access_token: appToken,
    });
    const path = `/${appId}/subscriptions?${asked.toString()}`;
    expect((await stage.graph('POST', path, { token: wabaToken })).body).toEqual({ success: true });
    expect((await stage.graph('GET', `/${appId}/subscriptions`, { token: wabaToken })).status).toBe(400);
  });

  test('the app’s credentials can be sent as HTTP Basic', async () => {
    const authorization = `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`;
    const url = `${stage.url}/oauth/access_token?grant_type=client_credentials`;
    const answer = await fetch(url, { headers: { authorization } });
    expect(await answer.json()).toEqual({ access_token: appToken, token_type: 'bearer' });
  });

  test('a person’s edges are reached by `me` or by the person’s own id only', async () => {
    const token = await userToken('pages_show_list,pages_messaging');
    const byId = await stage.graph('GET', `/${login}/permissions`, { token });
    const byMe = await stage.graph('GET', '/me/permissions', { token });
    const accounts = await stage.graph('GET', `/${login}/accounts?fields=id`, { token });
    const stranger = await stage.graph('GET', '/1010000000000108/permissions', { token });
    expect(byId.body).toEqual(byMe.body);
    expect(at(accounts.body, 'data')).toEqual([{ id: page }]);
    expect([stranger.status, at(stranger.body, 'error', 'error_subcode')]).toEqual([400, 33]);
  });

  test('a page shows its token only to a user token that was granted the page', async () => {
    const token = await userToken('pages_show_list,pages_messaging');
    const asked = await stage.graph('GET', `/${page}?fields=access_token`, { token });
    const unasked = await stage.graph('GET', '/520000000000015?fields=access_token', { token });
    const given = textAt(asked.body, 'access_token');
    expect((await stage.graph('GET', `/${page}?fields=name`, { token: given })).status).toBe(200);
    expect(unasked.status).toBe(400);
  });
});

describe('fields and edges', () => {
  test.each([
    [`/${phone}?fields=id,nosuch`, wabaToken],
    [`/${waba}/phone_numbers?fields=nosuch`, wabaToken],
    [`/${waba}/message_templates?fields=nosuch`, wabaToken],
    [`/${page}?fields=nosuch`, pageToken],
    [`/${page}?fields=instagram_business_account{nosuch}`, pageToken],
    [`/${mia.psid}?fields=username`, pageToken],
    [`/${mia.igsid}?fields=first_name`, pageToken],
  ])('an unknown field is refused: %s', async (path, token) => {
    const reply = await stage.graph('GET', path, { token });
    expect([reply.status, at(reply.body, 'error', 'code')]).toEqual([400, 100]);
    expect(textAt(reply.body, 'error', 'message')).toContain('nonexisting field');
  });

  test.each([
    [`/${page}?fields=cover,description,description_html,display_subtext,engagement,name`, pageToken, page],
    [`/${appId}?fields=description,name`, appToken, appId],
    [`/${login}?fields=middle_name,name_format,short_name,name`, pageToken, login],
  ])('a known field without a value is left out: %s', async (path, token, id) => {
    const reply = await stage.graph('GET', path, { token });
    expect(reply.body).toEqual({ id, name: expect.any(String) });
  });

  test('a field that is another node shows only its id unless its fields are selected', async () => {
    const bare = await stage.graph('GET', `/${page}?fields=instagram_business_account`, { token: pageToken });
    const asked = `/${page}?fields=instagram_business_account{username}`;
    const expanded = await stage.graph('GET', asked, { token: pageToken });
    expect(bare.body).toEqual({ id: page, instagram_business_account: { id: photo } });
    expect(expanded.body).toEqual({
      id: page,
      instagram_business_account: { id: photo, username: 'harbour.bakery' },
    });
  });

  test.each(['GET', 'POST', 'DELETE'])('%s of an unknown edge is refused with 2500', async (method) => {
    const reply = await stage.graph(method, `/${page}/nosuch_edge`, { token: pageToken });
    expect([reply.status, at(reply.body, 'error', 'code')]).toEqual([400, 2500]);
    expect(textAt(reply.body, 'error', 'message')).toBe('Unknown path components: /nosuch_edge');
  });

  test('a refusal carries its trace id in a header too', async () => {
    const reply = await stage.graph('GET', '/424242', { token: wabaToken });
    expect(reply.headers.get('x-fb-trace-id')).toBe(textAt(reply.body, 'error', 'fbtrace_id'));
  });
});

describe('templates', () => {
  test('the list contains counts only when a summary is requested', async () => {
    const names = 'total_count,message_template_count,message_template_limit,are_translations_complete';
    const path = `/${waba}/message_templates?limit=1&status=APPROVED&summary=${names}`;
    const reply = await stage.graph('GET', path, { token: wabaToken });
    expect(at(reply.body, 'summary')).toEqual({
      total_count: 4,
      message_template_count: 4,
      message_template_limit: 250,
      are_translations_complete: true,
    });
    const plain = await stage.graph('GET', `/${waba}/message_templates`, { token: wabaToken });
    expect(at(plain.body, 'summary')).toBeUndefined();
  });

  test('types and sub-types of components are accepted in any case', async () => {
    const components = [
      { type: 'HEADER', parameters: [{ type: 'TEXT', text: 'Harbour Bakery' }] },
      {
        type: 'Body',
        parameters: [
          { type: 'text', text: 'Mia' },
          { type: 'text', text: 'A-1007' },
        ],
      },
      { type: 'BUTTON', sub_type: 'URL', index: 0, parameters: [{ type: 'text', text: 'A-1007' }] },
    ];
    const template = { name: 'order_ready', language: { code: 'en_US' }, components };
    const reply = await stage.sendChatapp('', { type: 'template', template });
    expect([reply.status, at(reply.body, 'messages', 0, 'message_status')]).toEqual([200, 'accepted']);
  });

  test('the answer to an edit contains the id', async () => {
    const body = { components: [{ type: 'body', text: 'Your order is ready.' }] };
    const reply = await stage.graph('POST', '/900000000000091', { token: wabaToken, body });
    expect(reply.body).toMatchObject({ success: true, id: '900000000000091' });
  });
});

describe('files', () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex');

  async function upload(disposition: string): Promise<unknown> {
    const parts = [
      'Content-Disposition: form-data; name=messaging_product\r\n\r\nwhatsapp',
      'content-disposition: form-data; name="type"\r\n\r\nimage/png',
      `Content-Disposition: form-data; ${disposition}\r\nContent-Type: image/png\r\n\r\n${png.toString('latin1')}`,
    ];
    const body = Buffer.from(`${parts.map((part) => `--b-1\r\n${part}\r\n`).join('')}--b-1--\r\n`, 'latin1');
    const answer = await fetch(`${stage.url}/v25.0/${phone}/media`, {
      method: 'POST',
      headers: { authorization: `Bearer ${wabaToken}`, 'content-type': 'multipart/form-data; boundary=b-1' },
      body,
    });
    return answer.json();
  }

  test.each([
    'filename=x.png; name=file',
    'name=file; filename=x.png',
    'name="file"; filename="x \\"1\\".png"',
  ])('an upload with %s is stored byte for byte', async (disposition) => {
    const id = textAt(await upload(disposition), 'id');
    const node = await stage.graph('GET', `/${id}`, { token: wabaToken });
    const headers = { authorization: `Bearer ${wabaToken}` };
    const file = await fetch(textAt(node.body, 'url'), { headers });
    expect(Buffer.from(await file.arrayBuffer())).toEqual(png);
    expect(node.body).toMatchObject({ mime_type: 'image/png', file_size: 8 });
  });

  test('file_size is text if the setting file_size_text is on', async () => {
    await stage.control('settings', { file_size_text: true });
    const id = textAt(await upload('name=file; filename=x.png'), 'id');
    const node = await stage.graph('GET', `/${id}`, { token: wabaToken });
    expect(at(node.body, 'file_size')).toBe('8');
  });

  test('a reusable attachment can be sent again by its id; an unknown id is refused with 2018074', async () => {
    const payload = { url: `${stage.url}/files/cake.jpg`, is_reusable: true };
    const first = await stage.sendPage(mia.psid, { attachment: { type: 'image', payload } });
    const id = textAt(first.body, 'attachment_id');
    const send = (attachmentId: string) =>
      stage.sendPage(mia.psid, { attachment: { type: 'image', payload: { attachment_id: attachmentId } } });
    expect((await send(id)).status).toBe(200);
    const unknown = await send('1999999999999999');
    expect([
      unknown.status,
      at(unknown.body, 'error', 'code'),
      at(unknown.body, 'error', 'error_subcode'),
    ]).toEqual([400, 100, 2018074]);
  });

  test('a send without is_reusable returns no attachment_id', async () => {
    const payload = { url: `${stage.url}/files/cake.jpg` };
    const reply = await stage.sendPage(mia.psid, { attachment: { type: 'image', payload } });
    expect(at(reply.body, 'attachment_id')).toBeUndefined();
  });

  test('message_attachments stores a file from a link or from the body', async () => {
    const payload = { url: `${stage.url}/files/cake.jpg`, is_reusable: true };
    const body = { message: { attachment: { type: 'image', payload } } };
    const byLink = await stage.graph('POST', '/me/message_attachments', { token: pageToken, body });
    const form = new FormData();
    form.set('message', JSON.stringify({ attachment: { type: 'image', payload: { is_reusable: true } } }));
    form.set('filedata', new Blob([png], { type: 'image/png' }), 'x.png');
    const headers = { authorization: `Bearer ${pageToken}` };
    const answer = await fetch(`${stage.url}/v25.0/me/message_attachments`, {
      method: 'POST',
      headers,
      body: form,
    });
    expect(textAt(byLink.body, 'attachment_id')).toMatch(/^\d+$/);
    expect(textAt(await answer.json(), 'attachment_id')).toMatch(/^\d+$/);
  });
});

describe('webhooks', () => {
  test('a webhook also carries the legacy signature, over the same bytes', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'Grüße', wait: true });
    const [post] = stage.inbox.received;
    const sha1 = createHmac('sha1', appSecret)
      .update(Buffer.from(post?.raw ?? '', 'latin1'))
      .digest('hex');
    expect(post?.headers['x-hub-signature']).toBe(`sha1=${sha1}`);
  });

  test.each([
    [false, undefined],
    [true, mia.phone],
  ])('a failed status names the contact only if the setting is on (%s)', async (isSwitched, shown) => {
    await stage.subscribe();
    await stage.control('settings', { failed_contacts: isSwitched });
    const status = {
      channel: phone,
      to: mia.phone,
      id: 'wamid.x',
      status: 'failed',
      code: 131026,
      wait: true,
    };
    await stage.control('statuses', status);
    const value = at(stage.inbox.received[0]?.body, 'entry', 0, 'changes', 0, 'value');
    expect(at(value, 'contacts', 0, 'wa_id')).toBe(shown);
  });
});

test('a number’s business profile can be set and read', async () => {
  const body = {
    messaging_product: 'whatsapp',
    about: 'Bread since 1951',
    websites: ['https://bakery.example/'],
  };
  const path = `/${phone}/whatsapp_business_profile`;
  expect((await stage.graph('POST', path, { token: wabaToken, body })).body).toEqual({ success: true });
  const shown = await stage.graph('GET', `${path}?fields=about,websites,vertical`, { token: wabaToken });
  expect(at(shown.body, 'data', 0)).toEqual({
    messaging_product: 'whatsapp',
    about: 'Bread since 1951',
    websites: ['https://bakery.example/'],
    vertical: 'RETAIL',
  });
});
