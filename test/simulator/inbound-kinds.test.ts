import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, call, mia, page, pageToken, phone, photo, Stage, waba } from './support.ts';

// Every shape of an inbound event can be scripted [upstream §4].

const allFields =
  'messages,message_echoes,message_deliveries,message_reads,message_edits,message_reactions,messaging_postbacks,messaging_referrals,messaging_optins,messaging_handovers,standby';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
  await stage.subscribe();
  await stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=${allFields}`, { token: pageToken });
});
afterEach(() => stage.close());

async function emitted(path: string, ask: Record<string, unknown>): Promise<unknown> {
  await stage.control(path, { ...ask, wait: true });
  return at(stage.inbox.received.at(-1)?.body, 'entry', 0);
}

async function chatapp(ask: Record<string, unknown>): Promise<unknown> {
  const entry = await emitted('people/write', { channel: phone, from: mia.phone, ...ask });
  return at(entry, 'changes', 0, 'value');
}

describe('chatapp', () => {
  test.each([
    ['text', { text: { body: 'Hello' } }],
    ['image', { image: { id: expect.any(String), mime_type: 'image/jpeg', sha256: expect.any(String) } }],
    ['video', { video: { mime_type: 'video/mp4' } }],
    ['audio', { audio: { voice: false } }],
    ['document', { document: { filename: 'invoice.pdf' } }],
    ['sticker', { sticker: { animated: false } }],
    ['location', { location: { latitude: 53.5443 } }],
    ['contacts', { contacts: [{ name: { formatted_name: 'Lena Ott' } }] }],
    ['reaction', { reaction: { emoji: '👍' } }],
    ['button', { button: { payload: 'Hello' } }],
    ['order', { order: { catalog_id: expect.any(String) } }],
    ['request_welcome', { type: 'request_welcome' }],
    ['edit', { edit: { message: { type: 'text' } } }],
    ['revoke', { revoke: { original_message_id: '' } }],
    ['unsupported', { errors: [{ code: 131051 }], unsupported: { type: 'unknown' } }],
    ['poll_creation', { poll_creation: {} }],
  ])('a message of type %s has its member', async (type, member) => {
    expect(at(await chatapp({ type }), 'messages', 0)).toMatchObject({ type, from: mia.phone, ...member });
  });

  test('a voice note is an audio message with voice: true', async () => {
    const message = at(await chatapp({ type: 'voice' }), 'messages', 0);
    expect(message).toMatchObject({ type: 'audio', audio: { voice: true } });
  });

  test.each(['button_reply', 'list_reply', 'nfm_reply', 'call_permission_reply'])(
    'an interactive message can be a %s',
    async (interactive) => {
      const message = at(await chatapp({ type: 'interactive', interactive }), 'messages', 0);
      expect(message).toMatchObject({
        interactive: { type: interactive, [interactive]: expect.any(Object) },
      });
    },
  );

  test('the notices about a changed number and a changed user id have no contact', async () => {
    const number = await chatapp({ type: 'system', wa_id: '4915900000999' });
    const user = await chatapp({ type: 'system', system: 'user_changed_user_id', user_id: 'DE.2' });
    expect([at(number, 'contacts'), at(number, 'messages', 0, 'system', 'wa_id')]).toEqual([
      undefined,
      '4915900000999',
    ]);
    expect([at(user, 'contacts', 0, 'wa_id'), at(user, 'messages', 0, 'system', 'user_id')]).toEqual([
      undefined,
      'DE.2',
    ]);
  });

  test('an unsupported message can carry the code 131060 without the member unsupported', async () => {
    const message = at(await chatapp({ type: 'unsupported', code: 131060 }), 'messages', 0);
    expect(message).toMatchObject({ errors: [{ code: 131060 }] });
    expect(at(message, 'unsupported')).toBeUndefined();
  });

  test('a text can also carry a referral, a group and a context', async () => {
    const more = { referral: true, group_id: 'g-1', forwarded: true, reply_to: 'wamid.OLD' };
    expect(at(await chatapp(more), 'messages', 0)).toMatchObject({
      referral: { source_type: 'ad' },
      group_id: 'g-1',
      context: { id: 'wamid.OLD', forwarded: true },
    });
  });

  test('a person with a hidden number is named by user id, on request in `from`', async () => {
    const hidden = await chatapp({ hide_number: true, parent_user_id: 'US.ENT.1' });
    expect([at(hidden, 'messages', 0, 'from'), at(hidden, 'contacts', 0, 'wa_id')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(at(hidden, 'messages', 0)).toMatchObject({
      from_user_id: 'DE.20260000000000000042',
      from_parent_user_id: 'US.ENT.1',
    });
    const swapped = await chatapp({ hide_number: true, user_id_as_from: true });
    expect(at(swapped, 'messages', 0, 'from')).toBe('DE.20260000000000000042');
    const nameless = await chatapp({ hide_number: true, sender_in_contact: true });
    expect(Object.keys(Object(at(nameless, 'messages', 0)))).not.toContain('from_user_id');
    expect(at(nameless, 'contacts', 0, 'user_id')).toBe('DE.20260000000000000042');
  });

  test.each(['history', 'smb_app_state_sync', 'account_alerts', 'flows'])(
    'an account event can have any field: %s',
    async (field) => {
      const entry = await emitted('account-events', { waba_id: waba, field, value: { any: 1 } });
      expect(at(entry, 'changes', 0)).toEqual({ field, value: { any: 1 } });
    },
  );
});

describe('pages', () => {
  const kinds: [string, string, string, Record<string, unknown>][] = [
    ...['image', 'audio', 'video', 'file', 'sticker', 'fallback', 'template', 'share', 'post'].map(
      (type): [string, string, string, Record<string, unknown>] => [
        page,
        mia.psid,
        type,
        { message: { attachments: [{ type }] } },
      ],
    ),
    ...[
      'image',
      'audio',
      'video',
      'file',
      'share',
      'ig_post',
      'ig_reel',
      'reel',
      'story_mention',
      'like_heart',
      'ephemeral',
      'ig_story',
      'media',
    ].map((type): [string, string, string, Record<string, unknown>] => [
      photo,
      mia.igsid,
      type,
      { message: { attachments: [{ type }] } },
    ]),
    [photo, mia.igsid, 'story_reply', { message: { reply_to: { story: { id: expect.any(String) } } } }],
    [photo, mia.igsid, 'unsupported', { message: { is_unsupported: true } }],
    [photo, mia.igsid, 'delete', { message: { is_deleted: true } }],
    [page, mia.psid, 'quick_reply', { message: { quick_reply: { payload: 'HOURS' } } }],
    [page, mia.psid, 'postback', { postback: { payload: 'START' } }],
    [page, mia.psid, 'referral', { referral: { type: 'OPEN_THREAD' } }],
    [page, mia.psid, 'optin', { optin: { payload: 'news' } }],
    [page, mia.psid, 'reaction', { reaction: { action: 'react' } }],
    [page, mia.psid, 'edit', { message_edit: { num_edit: 1 } }],
  ];

  test.each(kinds)(
    'channel %s: person %s can send an event of type %s',
    async (channel, from, type, member) => {
      const entry = await emitted('people/write', { channel, from, type });
      expect(at(entry, 'messaging', 0)).toMatchObject({
        sender: { id: from },
        recipient: { id: channel },
        ...member,
      });
    },
  );

  test('an attachment can have no payload', async () => {
    const attachments = [{ type: 'image', raw_attachment: { payload: null } }];
    const entry = await emitted('people/write', { channel: page, from: mia.psid, attachments });
    expect(at(entry, 'messaging', 0, 'message', 'attachments')).toEqual([{ type: 'image', payload: null }]);
  });

  test.each(['messaging', 'standby', 'changes'])('any event can be emitted in %s', async (section) => {
    const member = { game_play: { game_id: '1' } };
    const entry = await emitted('people/event', { channel: page, from: mia.psid, section, member });
    const item = section === 'changes' ? at(entry, 'changes', 0, 'value') : at(entry, section, 0);
    expect(item).toMatchObject({ sender: { id: mia.psid }, ...member });
  });

  test('when another app takes the thread, a webhook says so and the person’s events go to standby', async () => {
    const owner = '263902037430900';
    const entry = await emitted('people/thread', { channel: page, from: mia.psid, owner, tell: true });
    expect(at(entry, 'messaging', 0, 'pass_thread_control')).toMatchObject({ new_owner_app_id: owner });
    const later = await emitted('people/write', { channel: page, from: mia.psid, text: 'Hello' });
    expect(at(later, 'standby', 0, 'message', 'text')).toBe('Hello');
  });
});

describe('several events in one POST', () => {
  async function shaped(shape: string): Promise<unknown> {
    await stage.control('settings', { batch_shape: shape });
    await stage.control('webhooks/hold');
    for (const text of ['one', 'two'])
      await stage.control('people/write', { channel: phone, from: mia.phone, text });
    await stage.control('webhooks/flush', { batch: 10 });
    await stage.inbox.first(1);
    return at(stage.inbox.received[0]?.body, 'entry');
  }

  const countsOf = (entry: unknown) => {
    const entries: unknown[] = Array.isArray(entry) ? entry : [];
    return entries.map((one) => {
      const changes = at(one, 'changes');
      return Array.isArray(changes)
        ? changes.map((change) => Object(at(change, 'value', 'messages')).length)
        : [];
    });
  };

  test.each([
    ['entries', [[1], [1]]],
    ['changes', [[1, 1]]],
    ['values', [[2]]],
  ])('the batch shape %s decides how events are combined', async (shape, counts) => {
    expect(countsOf(await shaped(shape))).toEqual(counts);
  });
});

describe('a number’s quality', () => {
  test.each([
    [{ rating: 'RED' }, 'FLAGGED'],
    [{ rating: 'YELLOW', event: 'DOWNGRADE', current_limit: 'TIER_250', old_limit: 'TIER_1K' }, 'DOWNGRADE'],
  ])('%j emits %s, which names only the display number', async (ask, event) => {
    const entry = await emitted('quality', { phone_number_id: phone, ...ask });
    expect(at(entry, 'changes', 0)).toMatchObject({
      field: 'phone_number_quality_update',
      value: { display_phone_number: '15550100042', event },
    });
    expect(JSON.stringify(entry)).not.toContain(ask.rating);
  });

  test('a change to YELLOW emits no webhook', async () => {
    const told = await stage.control('quality', { phone_number_id: phone, rating: 'YELLOW' });
    expect(told).toEqual({ rating: 'YELLOW', webhooks: 0 });
  });
});

describe('profiles', () => {
  const ask = (id: string, fields: string) =>
    stage.graph('GET', `/${id}?fields=${fields}`, { token: pageToken });

  test.each([
    ['none', 400, 100, 2018218],
    ['not_permitted', 400, 100, 2018247],
    ['no_consent', 400, 230, undefined],
    ['gone', 400, 100, 33],
    ['error', 503, 2, undefined],
  ])('the profile setting %s answers its error', async (profile, status, code, subcode) => {
    await stage.control('people', { channel: photo, id: mia.igsid, profile });
    const reply = await ask(mia.igsid, 'username');
    const error = at(reply.body, 'error');
    expect([reply.status, at(error, 'code'), at(error, 'error_subcode')]).toEqual([status, code, subcode]);
  });

  test('a profile can have null for name and picture, or only the id', async () => {
    await stage.control('people', { channel: photo, id: mia.igsid, profile: 'nulls' });
    const nulls = await ask(mia.igsid, 'name,username,profile_pic');
    expect(nulls.body).toEqual({ id: mia.igsid, name: null, username: 'mia.v', profile_pic: null });
    await stage.control('people', { channel: photo, id: mia.igsid, profile: 'empty' });
    expect((await ask(mia.igsid, 'name')).body).toEqual({ id: mia.igsid });
  });

  test('a profile can have a user name and any other member, and its picture can be fetched', async () => {
    const shown = { follower_count: 3, is_verified_user: true };
    await stage.control('people', {
      channel: photo,
      id: '9900000000000555',
      name: 'Lena',
      username: 'lena.o',
      shown,
    });
    const reply = await ask('9900000000000555', 'username,follower_count,is_verified_user,profile_pic');
    expect(reply.body).toMatchObject({ username: 'lena.o', ...shown });
    expect((await call('GET', String(at(reply.body, 'profile_pic')))).status).toBe(200);
  });

  test('a person of another page is refused', async () => {
    expect((await ask('8800000000000011', 'first_name')).status).toBe(400);
  });
});
