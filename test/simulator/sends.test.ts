import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, mia, page, phone, photo, Stage, textAt, waba, wabaToken } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function image(url: string): Record<string, unknown> {
  return { attachment: { type: 'image', payload: { url } } };
}

describe('chatapp', () => {
  test('a text is answered with contact and wamid, and the ledger lists it with our correlation id', async () => {
    const reply = await stage.sendChatapp('Hello', { biz_opaque_callback_data: 'tag-1' });
    expect(reply.body).toEqual({
      messaging_product: 'whatsapp',
      contacts: [{ input: `+${mia.phone}`, wa_id: mia.phone }],
      messages: [{ id: expect.stringMatching(/^wamid\./) }],
    });
    expect(reply.headers.get('facebook-api-version')).toBe('v25.0');
    expect(await stage.look('sends?tag=tag-1')).toMatchObject({
      sends: [
        {
          channel: phone,
          recipient: mia.phone,
          type: 'text',
          text: 'Hello',
          tag: 'tag-1',
          copies: 1,
          id: textAt(reply.body, 'messages', 0, 'id'),
        },
      ],
    });
  });

  test('a dialled number with another wa_id is answered with the wa_id', async () => {
    await stage.control('people', { channel: phone, id: '5511988887777', input: '551188887777' });
    const reply = await stage.sendChatapp('Oi', { to: '+551188887777' });
    expect(at(reply.body, 'contacts', 0)).toEqual({ input: '+551188887777', wa_id: '5511988887777' });
  });

  test('a business-scoped user id is answered with user_id and no wa_id', async () => {
    const body = {
      messaging_product: 'whatsapp',
      recipient: 'DE.20260000000000000042',
      type: 'text',
      text: { body: 'x' },
    };
    const reply = await stage.graph('POST', `/${phone}/messages`, { token: wabaToken, body });
    expect(at(reply.body, 'contacts', 0)).toEqual({
      input: 'DE.20260000000000000042',
      user_id: 'DE.20260000000000000042',
    });
  });

  test('a send of an approved template is answered with its message_status, and its body is rendered', async () => {
    const components = [
      { type: 'header', parameters: [{ type: 'text', text: 'Harbour' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Mia' },
          { type: 'text', text: 'A-1' },
        ],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'A-1' }] },
    ];
    const template = { name: 'order_ready', language: { code: 'en_US' }, components };
    const reply = await stage.sendChatapp('', { type: 'template', template });
    expect(at(reply.body, 'messages', 0, 'message_status')).toBe('accepted');
    expect(at(await stage.look('sends'), 'sends', 0, 'text')).toBe(
      'Dear Mia, order A-1 is ready for pick-up.',
    );
  });

  test.each([
    ['without messaging_product', { messaging_product: undefined }, [400, 100, undefined]],
    ['without a recipient', { to: undefined }, [400, 100, undefined]],
    ['to a name', { to: 'Mia' }, [400, 131009, undefined]],
    ['to the number itself', { to: '+15550100042' }, [400, 131021, undefined]],
    ['without a body', { text: {} }, [400, 131008, undefined]],
    ['of 4097 characters', { text: { body: 'x'.repeat(4097) } }, [400, 100, undefined]],
    ['of an unknown type', { type: 'hologram', hologram: {} }, [400, 131051, undefined]],
    ['with a tag of 513 characters', { biz_opaque_callback_data: 'x'.repeat(513) }, [400, 100, undefined]],
    [
      'with an unknown template',
      { type: 'template', template: { name: 'nope', language: { code: 'de' } } },
      [404, 132001, undefined],
    ],
    [
      'with a template in another language',
      { type: 'template', template: { name: 'order_ready', language: { code: 'de' } } },
      [404, 132001, undefined],
    ],
    [
      'with too few parameters',
      { type: 'template', template: { name: 'order_ready', language: { code: 'en_US' } } },
      [400, 132000, undefined],
    ],
    [
      'with names for a positional template',
      {
        type: 'template',
        template: {
          name: 'order_ready',
          language: { code: 'en_US' },
          components: [{ type: 'header', parameters: [{ type: 'text', parameter_name: 'a', text: 'x' }] }],
        },
      },
      [400, 132012, undefined],
    ],
  ])('a send %s is refused', async (_what, more, expected) => {
    expect(codesOf(await stage.sendChatapp('Hello', more))).toEqual(expected);
  });

  test('the token is checked before the number, and the number before the members', async () => {
    const noToken = await stage.graph('POST', `/${phone}/messages`, { body: {} });
    const noNumber = await stage.graph('POST', '/422399999999999/messages', { token: wabaToken, body: {} });
    expect([codesOf(noToken), codesOf(noNumber)]).toEqual([
      [401, 190, undefined],
      [400, 100, 33],
    ]);
  });

  test('marking a message as read answers success and is not a send', async () => {
    const id = 'wamid.written';
    await stage.control('people/write', { channel: phone, from: '4915900000777', text: 'hello', id });
    const mark = (more: object) =>
      stage.graph('POST', `/${phone}/messages`, {
        token: wabaToken,
        body: { messaging_product: 'whatsapp', status: 'read', ...more },
      });
    const reply = await mark({ message_id: id });
    expect([reply.body, at(await stage.look('sends'), 'total')]).toEqual([{ success: true }, 0]);
    const refused = [
      await mark({}),
      await mark({ message_id: 'wamid.of-nobody' }),
      await mark({ message_id: id, typing_indicator: { type: 'voice' } }),
    ];
    expect(refused.map(codesOf)).toEqual([
      [400, 131008, undefined],
      [400, 131009, undefined],
      [400, 131009, undefined],
    ]);
  });
});

describe('pagechat and photoapp', () => {
  test.each([
    ['pagechat', mia.psid, page, /^m_/],
    ['photoapp', mia.igsid, photo, /^aWdf.{140,}$/],
  ])('a %s text is accepted through the page', async (kind, recipient, channel, mid) => {
    const reply = await stage.sendPage(recipient, { text: 'Hello', metadata: 'tag-2' });
    expect(reply.body).toEqual({ recipient_id: recipient, message_id: expect.stringMatching(mid) });
    expect(await stage.look('sends')).toMatchObject({
      sends: [{ kind, channel, recipient, text: 'Hello', tag: 'tag-2' }],
    });
  });

  test.each([
    ['to a user of another page', '8800000000000011', { text: 'x' }, {}, [400, 100, 2018001]],
    ['to a photoapp user of another account', '9900000000000017', { text: 'x' }, {}, [400, 100, 2534014]],
    ['to an invalid id', 'mia', { text: 'x' }, {}, [400, 100, undefined]],
    ['of 2001 characters on pagechat', mia.psid, { text: 'x'.repeat(2001) }, {}, [400, 100, undefined]],
    ['of 1001 characters on photoapp', mia.igsid, { text: 'x'.repeat(1001) }, {}, [400, 100, undefined]],
    ['without content', mia.psid, {}, {}, [400, 100, undefined]],
    [
      'with text and file',
      mia.psid,
      { text: 'x', attachment: { type: 'image', payload: { url: 'https://a.example/a.jpg' } } },
      {},
      [400, 100, undefined],
    ],
    [
      'with a retired tag',
      mia.psid,
      { text: 'x' },
      { messaging_type: 'MESSAGE_TAG', tag: 'ACCOUNT_UPDATE' },
      [400, 100, 1893061],
    ],
  ])('a send %s is refused', async (_what, recipient, message, more, expected) => {
    expect(codesOf(await stage.sendPage(recipient, message, more))).toEqual(expected);
  });

  test('a send is refused with 551 if the person blocked the page, and if another app controls the thread: 10/2018300, of photo accounts 100/2534037', async () => {
    await stage.control('people/block', { channel: page, from: mia.psid });
    const [owner, other] = ['263902037430900', '8800000000000002'];
    await stage.control('people/thread', { channel: photo, from: mia.igsid, owner });
    await stage.control('people/thread', { channel: page, from: other, owner });
    const replies = [
      await stage.sendPage(mia.psid, { text: 'x' }),
      await stage.sendPage(other, { text: 'x' }),
      await stage.sendPage(mia.igsid, { text: 'x' }),
    ];
    expect(replies.map(codesOf)).toEqual([
      [400, 551, 1545041],
      [400, 10, 2018300],
      [400, 100, 2534037],
    ]);
  });

  test('unknown people are refused only if strict_people is on', async () => {
    const before = await stage.sendPage('8800000000009999', { text: 'x' });
    await stage.control('settings', { strict_people: true });
    const after = await stage.sendPage('8800000000009999', { text: 'x' });
    expect([before.status, codesOf(after)]).toEqual([200, [400, 100, 2018001]]);
  });

  test('typing answers only the recipient and is not a send', async () => {
    const body = { recipient: { id: mia.psid }, sender_action: 'typing_on' };
    const reply = await stage.graph('POST', `/${page}/messages`, { token: `EAApage-${page}`, body });
    expect([reply.body, at(await stage.look('sends'), 'total')]).toEqual([{ recipient_id: mia.psid }, 0]);
  });
});

describe('limits, when switched on', () => {
  test.each([
    ['pagechat', mia.psid, page, 2018278],
    ['photoapp', mia.igsid, photo, 2534022],
  ])(
    'a message of the person opens the 24 h window of %s, which closes again; HUMAN_AGENT extends it',
    async (_kind, recipient, channel, subcode) => {
      await stage.control('settings', { windows: true });
      const closed = await stage.sendPage(recipient, { text: 'x' });
      await stage.control('people/write', { channel, from: recipient, text: 'hello' });
      const open = await stage.sendPage(recipient, { text: 'x' });
      await stage.control('clock', { advance_ms: 86_400_001 });
      const again = await stage.sendPage(recipient, { text: 'x' });
      const human = await stage.sendPage(
        recipient,
        { text: 'x' },
        { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' },
      );
      expect([codesOf(closed), open.status, codesOf(again), human.status]).toEqual([
        [400, 10, subcode],
        200,
        [400, 10, subcode],
        200,
      ]);
    },
  );

  test('a chatapp send outside the window is accepted and fails later with 131047', async () => {
    await stage.subscribe();
    await stage.control('settings', { windows: true });
    await stage.sendChatapp('late');
    const posts = await stage.inbox.first(2);
    const last = at(posts[1]?.body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0);
    expect([at(last, 'status'), at(last, 'errors', 0, 'code')]).toEqual(['failed', 131047]);
  });

  test('the 46th message of a burst to one person is refused with 131056', async () => {
    await stage.control('settings', { rates: true });
    const codes: unknown[] = [];
    for (let n = 0; n < 46; n += 1) codes.push(codesOf(await stage.sendChatapp(`n ${n}`))[1]);
    expect([codes.slice(0, 45).every((code) => code === undefined), codes[45]]).toEqual([true, 131056]);
  });
});

test('media links are fetched: pages refuse a bad link at once, chatapp fails the message later', async () => {
  await stage.subscribe();
  const missing = `${stage.url}/files/missing.jpg`;
  const replies = [
    await stage.sendPage(mia.psid, image(missing)),
    await stage.sendPage(mia.psid, image(`${stage.url}/files/clip.mp4`)),
    await stage.sendPage(mia.psid, image(`${stage.url}/files/cake.jpg`)),
    await stage.sendPage(mia.psid, image('https://files.example/missing.png')),
  ];
  expect(replies.map(codesOf)).toEqual([
    [400, 100, 2018008],
    [400, 100, 2018047],
    [200, undefined, undefined],
    [400, 100, 2018008],
  ]);
  await stage.inbox.first(2);
  const chatapp = await stage.sendChatapp('', { type: 'image', image: { link: missing } });
  const posts = await stage.inbox.first(4);
  const statuses = posts
    .slice(2)
    .map(({ body }) => at(body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0));
  expect([
    chatapp.status,
    at(statuses[0], 'status'),
    at(statuses[1], 'status'),
    at(statuses[1], 'errors', 0, 'code'),
  ]).toEqual([200, 'sent', 'failed', 131053]);
  await stage.control('settings', { sync_media_failure: true });
  expect(codesOf(await stage.sendChatapp('', { type: 'image', image: { link: missing } }))).toEqual([
    400,
    131052,
    undefined,
  ]);
});

test('a token of another business account cannot send from the number', async () => {
  const reply = await stage.graph('POST', `/${phone}/messages`, {
    token: 'EAAbusiness-311200000000101',
    body: { messaging_product: 'whatsapp', to: '1' },
  });
  expect([waba, ...codesOf(reply)]).toEqual([waba, 400, 100, 33]);
});
