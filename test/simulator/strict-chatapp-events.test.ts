import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, dualPhone, mia, phone, Stage, textAt, waba, wabaToken } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
  await stage.subscribe();
});
afterEach(() => stage.close());

async function firstEntry(): Promise<unknown> {
  const [post] = await stage.inbox.first(1);
  return at(post?.body, 'entry', 0);
}

async function firstValue(): Promise<unknown> {
  return at(await firstEntry(), 'changes', 0, 'value');
}

describe('the platform’s own agent', () => {
  test('a message in standby is one level deeper, with its contact', async () => {
    await stage.control('standby', { channel: phone, from: mia.phone, text: 'Is it ready?' });
    expect(at(await firstEntry(), 'changes', 0)).toMatchObject({
      field: 'standby',
      value: {
        metadata: { phone_number_id: phone },
        standby: {
          messages: [{ from: mia.phone, type: 'text', text: { body: 'Is it ready?' } }],
          contacts: [{ wa_id: mia.phone }],
        },
      },
    });
  });

  test('an echo in standby holds the body of the agent’s send', async () => {
    await stage.control('standby', { channel: phone, kind: 'echo', to: mia.phone, id: 'wamid.e' });
    expect(Object.keys(Object(at(await firstValue(), 'standby')))).toEqual(['message_echoes']);
    expect(at(await firstValue(), 'standby', 'message_echoes', 0)).toEqual({
      id: 'wamid.e',
      timestamp: expect.stringMatching(/^\d+$/),
      message: expect.objectContaining({ to: mia.phone, type: 'text' }),
    });
  });

  test('a status in standby is a status alone', async () => {
    await stage.control('standby', { channel: phone, kind: 'status', to: mia.phone, id: 'wamid.s' });
    expect(at(await firstValue(), 'standby')).toMatchObject({
      statuses: [{ id: 'wamid.s', status: 'delivered', recipient_id: mia.phone }],
    });
  });

  test('a handover names the number in recipient and has no metadata', async () => {
    await stage.control('handovers', { channel: phone, from: mia.phone });
    expect(await firstValue()).toEqual({
      messaging_product: 'whatsapp',
      recipient: { display_phone_number: '15550100042', phone_number_id: phone },
      sender: { phone_number: mia.phone },
      timestamp: expect.stringMatching(/^\d+$/),
      type: 'control_passed',
      control_passed: { previous_owner_app_role: 'meta_business_agent', new_owner_role: 'default' },
    });
  });
});

describe('account_update', () => {
  test.each([
    ['PARTNER_REMOVED', '600000000000001'],
    ['PARTNER_APP_UNINSTALLED', '600000000000001'],
  ])('%s has the partner’s portfolio as entry, and the account in waba_info', async (event, entryId) => {
    await stage.control('account-updates', { waba_id: waba, event });
    expect(await firstEntry()).toMatchObject({
      id: entryId,
      changes: [{ field: 'account_update', value: { event, waba_info: { waba_id: waba } } }],
    });
  });

  test.each(['ACCOUNT_OFFBOARDED', 'ACCOUNT_RECONNECTED', 'ACCOUNT_RESTRICTION', 'DISABLED_UPDATE'])(
    '%s has the account as entry',
    async (event) => {
      await stage.control('account-updates', { waba_id: waba, event });
      expect(await firstEntry()).toMatchObject({ id: waba, changes: [{ value: { event } }] });
    },
  );
});

test('a locked template says so in other_info, keeps its status, sends, and cannot be edited', async () => {
  const id = '900000000000091';
  await stage.control(`templates/${id}`, { event: 'LOCKED' });
  expect(await firstValue()).toMatchObject({ event: 'LOCKED', other_info: { title: 'LOCKED' } });
  const read = await stage.graph('GET', `/${id}?fields=status`, { token: wabaToken });
  expect(at(read.body, 'status')).toBe('APPROVED');
  const body = { components: [{ type: 'BODY', text: 'Other words.' }] };
  const edit = await stage.graph('POST', `/${id}`, { token: wabaToken, body });
  expect(codesOf(edit)).toEqual([400, 100, 2388039]);
});

test('the quality of a template can come under the field of its status', async () => {
  const ask = { quality: 'RED', field: 'message_template_status_update' };
  await stage.control('templates/900000000000091', ask);
  expect(at(await firstEntry(), 'changes', 0)).toMatchObject({
    field: 'message_template_status_update',
    value: { new_quality_score: 'RED' },
  });
});

test('the quality of a number can come with the newer limit', async () => {
  const ask = { phone_number_id: phone, rating: 'RED', max_daily_conversations_per_business: 1000 };
  await stage.control('quality', ask);
  expect(await firstValue()).toEqual({
    display_phone_number: '15550100042',
    event: 'FLAGGED',
    max_daily_conversations_per_business: 1000,
  });
});

describe('notices about a person', () => {
  const system = { channel: phone, from: mia.phone, type: 'system' };

  test('a changed number has the new wa_id and the ids before and after, and no contact', async () => {
    const ids = { previous_user_id: 'DE.old1', user_id: 'DE.new1' };
    await stage.control('people/write', { ...system, wa_id: '4915900000999', ...ids });
    const value = await firstValue();
    expect(at(value, 'contacts')).toBeUndefined();
    expect(at(value, 'messages', 0, 'system')).toMatchObject({
      type: 'user_changed_number',
      wa_id: '4915900000999',
      ...ids,
    });
  });

  test('a changed user id has no number and no contact', async () => {
    const ids = { previous_user_id: 'DE.old1', user_id: 'DE.new1', parent_user_id: 'DE.ENT.p' };
    await stage.control('people/write', { ...system, system: 'user_changed_user_id', text: 'x', ...ids });
    const value = await firstValue();
    expect(at(value, 'contacts')).toBeUndefined();
    expect(at(value, 'messages', 0, 'system')).toEqual({ body: 'x', type: 'user_changed_user_id', ...ids });
  });

  test('a contact can tell that the person answers a request for the number', async () => {
    await stage.control('people/write', { ...system, type: 'contacts', origin: 'contact_request' });
    expect(at(await firstValue(), 'messages', 0, 'contacts', 0, 'origin')).toBe('contact_request');
  });
});

test('a status of a group names the group, and the participant beside it', async () => {
  const ask = { channel: phone, to: mia.phone, id: 'wamid.g', status: 'read', group_id: '1203' };
  await stage.control('statuses', ask);
  expect(at(await firstValue(), 'statuses', 0)).toMatchObject({
    recipient_id: '1203',
    recipient_type: 'group',
    recipient_participant_id: mia.phone,
  });
});

test('errors alone come without messages and statuses', async () => {
  await stage.control('errors', { channel: phone, code: 131031 });
  const value = await firstValue();
  expect(Object.keys(Object(value))).toEqual(['messaging_product', 'metadata', 'errors']);
  expect(at(value, 'errors', 0, 'code')).toBe(131031);
});

describe('lost access', () => {
  test('the token stays valid; account, number and templates do not exist; no webhook comes any more', async () => {
    await stage.control('access', { waba_id: waba });
    const [told] = await stage.inbox.first(1);
    expect(at(told?.body, 'entry', 0, 'changes', 0, 'value', 'event')).toBe('PARTNER_REMOVED');
    const token = `700100200300400|example-app-secret-0001`;
    const debug = await stage.graph('GET', `/debug_token?input_token=${wabaToken}`, { token });
    expect(at(debug.body, 'data', 'is_valid')).toBe(true);
    for (const path of [waba, phone, `${waba}/phone_numbers`, `${waba}/message_templates`])
      expect(codesOf(await stage.graph('GET', `/${path}`, { token: wabaToken }))).toEqual([400, 100, 33]);
    expect(await stage.control('people/write', { channel: phone, from: mia.phone })).toMatchObject({
      webhooks: 0,
    });
  });

  test('a file of the account does not exist', async () => {
    const write = { channel: phone, from: mia.phone, type: 'image' };
    const written = await stage.control('people/write', write);
    await stage.control('access', { waba_id: waba });
    const read = await stage.graph('GET', `/${textAt(written, 'media', 0, 'id')}`, { token: wabaToken });
    expect(codesOf(read)).toEqual([400, 100, 33]);
  });

  test.each([
    [100, [400, 100, 33]],
    [10, [403, 10, undefined]],
    [200, [403, 200, undefined]],
  ])('a send fails with %s', async (code, codes) => {
    await stage.control('access', { waba_id: waba, send_code: code, silent: true });
    expect(codesOf(await stage.sendChatapp('x'))).toEqual(codes);
    await stage.control('access', { waba_id: waba, lost: false });
    expect((await stage.sendChatapp('x')).status).toBe(200);
  });
});

test('an off-boarded number refuses sends until its phone is connected again', async () => {
  const send = (): ReturnType<Stage['graph']> =>
    stage.graph('POST', `/${dualPhone}/messages`, {
      token: wabaToken,
      body: { messaging_product: 'whatsapp', to: `+${mia.phone}`, type: 'text', text: { body: 'x' } },
    });
  await stage.control('offboard', { channel: dualPhone, for_ms: 400, code: 131057 });
  expect(codesOf(await send())).toEqual([500, 131057, undefined]);
  const posts = await stage.inbox.first(2);
  expect(posts.map(({ body }) => at(body, 'entry', 0, 'changes', 0, 'value', 'event'))).toEqual([
    'ACCOUNT_OFFBOARDED',
    'ACCOUNT_RECONNECTED',
  ]);
  expect((await send()).status).toBe(200);
});
