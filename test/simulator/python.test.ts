/** Two third-party Python clients, written for the real upstream [upstream §9.1]. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parseJson } from '../../src/simulator/bag.ts';
import { adapterTo, channelOf, sealer } from '../upstream/support.ts';
import {
  appId,
  appSecret,
  at,
  mia,
  page,
  pageToken,
  photo,
  phone,
  redirect,
  Stage,
  textAt,
  waba,
  wabaToken,
} from './support.ts';
import { areServicesRequired } from '../support/required.ts';

const folder = join(import.meta.dirname, 'python');
const madeByCi = join(tmpdir(), 'trunkline-witnesses/bin/python');
const python = process.env['WITNESS_PYTHON'] ?? (existsSync(madeByCi) ? madeByCi : 'python3');
const hasClients =
  spawnSync(python, ['-c', 'import pywa, facebook_business'], { timeout: 60_000 }).status === 0;
if (!hasClients && !areServicesRequired)
  process.stderr.write(
    `pywa, facebook-business: not tested, not installed for ${python} (test/simulator/python)\n`,
  );

const dual = '422300000000012';
const login = '1010000000000008';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.openStrict();
});
afterEach(() => stage.close());

/** Runs a file of the folder `python` with one JSON argument; returns the JSON of its last line. */
function run(file: string, ask: Record<string, string>): Promise<unknown> {
  const child = spawn(python, ['-B', join(folder, file), JSON.stringify(ask)]);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(parseJson(said.out.trim().split('\n').at(-1) ?? ''));
      else reject(new Error(`${file} ended with ${code}:\n${said.err}`));
    });
  });
}

/** The members of a component that both clients report. */
function shownComponent(component: Record<string, unknown>): Record<string, unknown> {
  const { type, text, buttons } = component;
  return {
    type,
    ...(typeof text === 'string' ? { text } : {}),
    ...(Array.isArray(buttons) ? { buttons: buttons.map((button) => Object(button).type) } : {}),
  };
}

async function userToken(): Promise<string> {
  const scopes =
    'pages_show_list,pages_messaging,pages_manage_metadata,pages_read_engagement,business_management,instagram_basic,instagram_manage_messages';
  const asked = `client_id=${appId}&redirect_uri=${redirect}&state=s&response_type=code&scope=${scopes}`;
  const dialog = await stage.graph(
    'GET',
    `/dialog/oauth?${asked}&auto=allow&assets=${page}&decline=instagram_manage_messages`,
  );
  const code = new URL(dialog.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = `client_id=${appId}&client_secret=${appSecret}&redirect_uri=${redirect}`;
  return textAt(
    (await stage.graph('GET', `/oauth/access_token?${credentials}&code=${code}`)).body,
    'access_token',
  );
}

(hasClients || areServicesRequired ? describe : describe.skip)('Python clients', () => {
  const common = () => ({
    url: stage.url,
    callback: stage.inbox.url,
    app_id: appId,
    app_secret: appSecret,
    waba,
  });

  test('pywa registers its callback, sends, uploads, and creates, edits and deletes a template with a URL button', async () => {
    const said = await run('pywa_calls.py', { ...common(), phone, token: wabaToken, to: mia.phone });
    expect(said).toEqual({
      registered: true,
      overridden: true,
      texts: Array(3).fill(expect.stringMatching(/^wamid\./)),
      uploaded: { bytes: '89504e470d0a1a0a', mime: 'image/png', size: 8 },
      created: { id: expect.stringMatching(/^\d{17}$/), status: 'PENDING' },
      listed: [
        'hello_world/en_US/APPROVED',
        'order_ready/en_US/APPROVED',
        'parcel_tracking/en_US/APPROVED',
        'welcome/de/APPROVED',
        'welcome/en_US/APPROVED',
      ],
      summary: { total: 5, limit: 250 },
      edited: { id: at(said, 'created', 'id'), success: true },
      deleted: true,
      account: 'Harbour Bakery',
      numbers: [phone, dual],
      quality: 'GREEN',
      refused: { code: 132001, kind: expect.any(String) },
    });
    const { sends } = Object(await stage.look('sends?outcome=all'));
    expect(sends).toMatchObject([
      { text: 'Hello', tag: 'tag-1' },
      { type: 'image', text: 'Today' },
      { type: 'template', text: 'Dear Mia, your parcel is here.' },
    ]);
  }, 60_000);

  test('pywa and our own adapter read the same templates in every state', async () => {
    const named = {
      name: 'parcel_tracking',
      language: 'en_US',
      category: 'UTILITY',
      parameter_format: 'NAMED',
      components: [
        {
          type: 'BODY',
          text: 'Dear {{first_name}}, it is here.',
          example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] },
        },
        { type: 'FOOTER', text: 'Harbour Bakery' },
      ],
    };
    await stage.graph('POST', `/${waba}/message_templates`, { token: wabaToken, body: named });
    await stage.control('templates', { waba_id: waba, name: 'welcome', language: 'de', event: 'PAUSED' });
    const theirs = await run('pywa_templates.py', { ...common(), phone, token: wabaToken });
    const { upstream } = adapterTo(stage.url);
    const channel = channelOf('chatapp', {
      token: sealer.sealText(wabaToken, 'channel:channel-chatapp:token'),
    });
    const found = await upstream.templates.list(channel);
    await upstream.close();
    const ours = found.map(
      ({ upstreamId: id, name, language, status, category, parameterFormat, components }) => ({
        id,
        name,
        language,
        status,
        category,
        format: parameterFormat,
        components: components.map(shownComponent),
      }),
    );
    expect(ours).toHaveLength(5);
    expect(theirs).toEqual(ours);
  }, 60_000);

  test('both use edges beside messaging: blocks, settings, messenger profile, personas, conversations, a batch', async () => {
    for (const text of ['Are you open?', 'Until when?'])
      await stage.control('people/write', { channel: page, from: mia.psid, text });
    const ask = { ...common(), phone, token: wabaToken, page, page_token: pageToken, to: mia.phone };
    expect(await run('edges_calls.py', ask)).toEqual({
      blocked: [[mia.phone], [mia.phone], [mia.phone]],
      calling: 'ENABLED',
      profile: { payload: 'START' },
      personas: [[true, 'Ada']],
      threads: [[3, 'Until when?']],
      messages: ['Until when?', 'Are you open?', 'Hello'],
      batch: ['Harbour Bakery', 'Harbour Bakery'],
    });
  }, 60_000);

  test('facebook-business reads accounts and permissions by a person’s id, and uses the edges of page and business account', async () => {
    const tokens = { user_token: await userToken(), waba_token: wabaToken };
    const said = await run('facebook_business_calls.py', {
      ...common(),
      ...tokens,
      login,
      page,
      psid: mia.psid,
    });
    expect(said).toEqual({
      accounts: [page],
      permissions: {
        pages_show_list: 'granted',
        pages_messaging: 'granted',
        pages_manage_metadata: 'granted',
        pages_read_engagement: 'granted',
        business_management: 'granted',
        instagram_basic: 'granted',
        instagram_manage_messages: 'declined',
      },
      linked: photo,
      subscribed: [appId],
      message: expect.objectContaining({ recipient_id: mia.psid, message_id: expect.stringMatching(/^m_/) }),
      numbers: [phone, dual],
      templates: ['hello_world/en_US', 'order_ready/en_US', 'welcome/de', 'welcome/en_US'],
      created: expect.stringMatching(/^\d{17}$/),
      kept: { attachment_id: expect.stringMatching(/^\d+$/) },
      refused: { code: 100, type: 'OAuthException', status: 400 },
    });
  }, 60_000);
});
