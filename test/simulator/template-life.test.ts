import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, Stage, textAt, waba, wabaToken, type Reply } from './support.ts';

// Changes of a template between its creation and its deletion [upstream §4.5, §6.3].

const body = { type: 'BODY', text: 'Your parcel is here.' };

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function create(more: Record<string, unknown> = {}): Promise<Reply> {
  const template = { name: 'parcel', language: 'en_US', category: 'UTILITY', components: [body], ...more };
  return stage.graph('POST', `/${waba}/message_templates`, { token: wabaToken, body: template });
}

async function shown(id: string): Promise<unknown> {
  const fields =
    'name,status,category,correct_category,previous_category,quality_score,rejected_reason,components';
  return (await stage.graph('GET', `/${id}?fields=${fields}`, { token: wabaToken })).body;
}

/** The change in the nth webhook. */
async function changeIn(n: number): Promise<unknown> {
  const posts = await stage.inbox.first(n + 1);
  return at(posts[n]?.body, 'entry', 0, 'changes', 0);
}

describe('review', () => {
  test('a webhook reports a scripted rejection with reason and recommendation', async () => {
    await stage.subscribe();
    const rejection = { reason: 'Too loud.', recommendation: 'Say less.' };
    const review = { name: 'parcel', event: 'REJECTED', reason: 'PROMOTIONAL', rejection_info: rejection };
    await stage.control('templates/reviews', review);
    const created = await create();
    expect(await changeIn(0)).toMatchObject({
      field: 'message_template_status_update',
      value: { event: 'REJECTED', reason: 'PROMOTIONAL', rejection_info: rejection },
    });
    expect(at(created.body, 'status')).toBe('PENDING');
    expect(await shown(textAt(created.body, 'id'))).toMatchObject({
      status: 'REJECTED',
      rejected_reason: 'PROMOTIONAL',
    });
  });

  test('a review can end before the answer and change the category', async () => {
    await stage.control('templates/reviews', { event: 'APPROVED', category: 'MARKETING', after_ms: null });
    expect((await create()).body).toMatchObject({ status: 'APPROVED', category: 'MARKETING' });
  });

  test('a scripted review is used once, for its own name only', async () => {
    await stage.control('templates/reviews', { name: 'other', event: 'APPROVED', after_ms: null });
    expect((await create()).body).toMatchObject({ status: 'PENDING' });
    expect((await create({ name: 'other' })).body).toMatchObject({ status: 'APPROVED' });
    expect((await create({ name: 'other', language: 'de' })).body).toMatchObject({ status: 'PENDING' });
  });

  test('an id above 2^53 keeps every digit as a number in the webhook', async () => {
    await stage.subscribe();
    const id = textAt((await create()).body, 'id');
    await stage.control(`templates/${id}`, { event: 'APPROVED', wait: true });
    expect(BigInt(id) > 2n ** 53n).toBe(true);
    expect(stage.inbox.received[0]?.raw).toContain(`"message_template_id":${id},`);
  });
});

describe('afterwards', () => {
  const id = '900000000000091';

  test('a pause ends by itself, and a webhook reports both changes', async () => {
    await stage.subscribe();
    await stage.control(`templates/${id}`, { event: 'PAUSED', for_ms: 1 });
    expect(await changeIn(0)).toMatchObject({
      value: { event: 'PAUSED', other_info: { title: 'FIRST_PAUSE' } },
    });
    expect(await changeIn(1)).toMatchObject({
      value: { event: 'REINSTATED', other_info: { title: 'UNPAUSE' } },
    });
    expect(await shown(id)).toMatchObject({ status: 'APPROVED' });
  });

  test('a webhook reports the new quality and the previous one', async () => {
    await stage.subscribe();
    await stage.control(`templates/${id}`, { quality: 'RED', wait: true });
    expect(await changeIn(0)).toMatchObject({
      field: 'message_template_quality_update',
      value: { previous_quality_score: 'GREEN', new_quality_score: 'RED' },
    });
    expect(await shown(id)).toMatchObject({ quality_score: { score: 'RED' } });
  });

  test('a change of category is announced first, then applied', async () => {
    await stage.subscribe();
    await stage.control(`templates/${id}`, { correct_category: 'MARKETING', wait: true });
    expect(await changeIn(0)).toMatchObject({
      field: 'template_category_update',
      value: { new_category: 'UTILITY', correct_category: 'MARKETING' },
    });
    expect(await shown(id)).toMatchObject({ category: 'UTILITY', correct_category: 'MARKETING' });
    await stage.control(`templates/${id}`, { category: 'MARKETING', wait: true });
    expect(await changeIn(1)).toMatchObject({
      value: { previous_category: 'UTILITY', new_category: 'MARKETING' },
    });
    expect(await shown(id)).toMatchObject({ category: 'MARKETING', previous_category: 'UTILITY' });
  });

  test('a webhook reports each component that was changed in upstream’s manager', async () => {
    await stage.subscribe();
    const buttons = [{ type: 'URL', text: 'Open', url: 'https://shop.example/' }];
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'News' },
      { type: 'BODY', text: 'All is new.' },
      { type: 'FOOTER', text: 'Bye' },
      { type: 'BUTTONS', buttons },
    ];
    await stage.control(`templates/${id}`, { components, wait: true });
    expect(await changeIn(0)).toEqual({
      field: 'message_template_components_update',
      value: {
        message_template_id: 900000000000091,
        message_template_name: 'order_ready',
        message_template_language: 'en_US',
        message_template_element: 'All is new.',
        message_template_title: 'News',
        message_template_footer: 'Bye',
        message_template_buttons: [
          {
            message_template_button_type: 'URL',
            message_template_button_text: 'Open',
            message_template_button_url: 'https://shop.example/',
          },
        ],
      },
    });
    expect(await shown(id)).toMatchObject({ components });
  });

  async function deleteWithin(ms: number): Promise<void> {
    await stage.control('settings', { template_deletion_ms: ms });
    await stage.graph('DELETE', `/${waba}/message_templates?name=hello_world`, { token: wabaToken });
  }

  test('a pending deletion is listed and blocks the name with a subcode of its own', async () => {
    await deleteWithin(600_000);
    const listed = await stage.graph('GET', `/${waba}/message_templates?name=hello_world`, {
      token: wabaToken,
    });
    expect(at(listed.body, 'data', 0, 'status')).toBe('PENDING_DELETION');
    const reply = await create({ name: 'hello_world', language: 'de' });
    expect(at(reply.body, 'error', 'error_subcode')).toBe(2388025);
  });

  test('a webhook reports the end of the deletion, and the name stays blocked', async () => {
    await stage.subscribe();
    await deleteWithin(1);
    expect(await changeIn(0)).toMatchObject({ value: { event: 'PENDING_DELETION' } });
    expect(await changeIn(1)).toMatchObject({ value: { event: 'DELETED' } });
    const reply = await create({ name: 'hello_world', language: 'de' });
    expect(at(reply.body, 'error', 'error_subcode')).toBe(2388023);
  });

  test('a creation beyond the account’s limit is refused with 2388019', async () => {
    await stage.control('settings', { template_limit: 4 });
    expect(at((await create()).body, 'error', 'error_subcode')).toBe(2388019);
  });

  test('the refusal of too many creations in an hour states in a header when they are accepted again', async () => {
    for (let n = 0; n < 100; n += 1) await create({ name: `parcel_${n}` });
    const usage: unknown = JSON.parse((await create()).headers.get('x-business-use-case-usage') ?? '');
    expect(at(usage, '610000000000003', 0)).toMatchObject({
      type: 'whatsapp_business_management',
      estimated_time_to_regain_access: 60,
    });
  });

  test('a language with another category than the rest of its name is refused', async () => {
    const reply = await create({ name: 'hello_world', language: 'de', category: 'MARKETING' });
    expect([reply.status, at(reply.body, 'error', 'code')]).toEqual([400, 100]);
  });
});

describe('rules', () => {
  const button = (...buttons: readonly unknown[]) => ({ components: [body, { type: 'BUTTONS', buttons }] });
  const quick = { type: 'QUICK_REPLY', text: 'Thanks' };
  const url = { type: 'URL', text: 'Open', url: 'https://shop.example/' };

  test.each([
    [
      'a picture header without a sample',
      { components: [{ type: 'HEADER', format: 'IMAGE' }, body] },
      undefined,
    ],
    [
      'two headers',
      { components: [body, { type: 'HEADER', text: 'a' }, { type: 'HEADER', text: 'b' }] },
      undefined,
    ],
    ['a header of an unknown format', { components: [{ type: 'HEADER', format: 'SONG' }, body] }, 2388047],
    ['an empty footer', { components: [body, { type: 'FOOTER', text: '' }] }, 2388073],
    ['a footer of 61 characters', { components: [body, { type: 'FOOTER', text: 'x'.repeat(61) }] }, 2388040],
    ['eleven buttons', button(...Array.from({ length: 11 }, () => quick)), undefined],
    ['quick replies on both sides of another button', button(quick, url, quick), undefined],
    ['a button text of 26 characters', button({ ...quick, text: 'x'.repeat(26) }), 2388040],
    ['an invalid url', button({ ...url, url: 'shop' }), undefined],
    [
      'a variable inside a url',
      button({ ...url, url: 'https://a.example/{{1}}/b', example: ['x'] }),
      undefined,
    ],
    [
      'a named variable in a url',
      button({ ...url, url: 'https://a.example/{{x}}', example: ['x'] }),
      undefined,
    ],
    ['a variable url without a sample', button({ ...url, url: 'https://a.example/{{1}}' }), undefined],
    ['a phone button without a number', button({ type: 'PHONE_NUMBER', text: 'Call' }), undefined],
    ['a code button without a sample', button({ type: 'COPY_CODE' }), undefined],
    ['an OTP button outside authentication', button({ type: 'OTP', otp_type: 'COPY_CODE' }), undefined],
    ['an authentication template with text', { category: 'AUTHENTICATION' }, 2388072],
    [
      'an authentication template without its button',
      { category: 'AUTHENTICATION', components: [{ type: 'BODY' }] },
      undefined,
    ],
    ['a name of 513 characters', { name: 'x'.repeat(513) }, undefined],
    ['a name that ends in a new line', { name: 'parcel\n' }, undefined],
  ])('%s is refused', async (_what, more, subcode) => {
    const reply = await create(more);
    const error = at(reply.body, 'error');
    expect([reply.status, at(error, 'code'), at(error, 'error_subcode')]).toEqual([400, 100, subcode]);
  });

  test.each([
    ['quick replies before other buttons', button(quick, quick, url)],
    ['a variable url with its sample', button({ ...url, url: 'https://a.example/{{1}}', example: ['x'] })],
    ['a code button', button({ type: 'copy_code', example: 'SAVE10' })],
    [
      'a picture header with a sample',
      { components: [{ type: 'header', format: 'image', example: { header_handle: ['4::a'] } }, body] },
    ],
    ['a place as header', { components: [{ type: 'HEADER', format: 'LOCATION' }, body] }],
    [
      'an authentication template',
      {
        category: 'AUTHENTICATION',
        components: [
          { type: 'BODY', add_security_recommendation: true },
          { type: 'FOOTER', code_expiration_minutes: 5 },
          { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] },
        ],
      },
    ],
    ['a name of 512 characters', { name: 'x'.repeat(512) }],
  ])('%s is accepted', async (_what, more) => {
    const reply = await create(more);
    expect([reply.status, reply.text]).toEqual([200, expect.stringContaining('"PENDING"')]);
  });
});
