import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, call, codesOf, Stage, textAt, waba, wabaToken, type Reply } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function list(query: string): Promise<Reply> {
  return stage.graph('GET', `/${waba}/message_templates?${query}`, { token: wabaToken });
}

describe('templates', () => {
  const body = {
    type: 'BODY',
    text: 'Dear {{1}}, thanks for order {{2}}.',
    example: { body_text: [['Mia', 'A-1']] },
  };
  const good = { name: 'thanks', language: 'en_US', category: 'utility', components: [body] };

  function create(more: Record<string, unknown> = {}): Promise<Reply> {
    return stage.graph('POST', `/${waba}/message_templates`, {
      token: wabaToken,
      body: { ...good, ...more },
    });
  }

  test('a new template is PENDING until a control call approves it, which a webhook reports with the id as a number', async () => {
    await stage.subscribe();
    const created = await create();
    const id = textAt(created.body, 'id');
    expect(created.body).toEqual({ id, status: 'PENDING', category: 'UTILITY' });
    await stage.control(`templates/${id}`, { event: 'APPROVED', wait: true });
    expect(stage.inbox.received[0]?.raw).toContain(`"message_template_id":${id},`);
    expect(at(stage.inbox.received[0]?.body, 'entry', 0, 'changes', 0)).toMatchObject({
      field: 'message_template_status_update',
      value: {
        event: 'APPROVED',
        message_template_name: 'thanks',
        message_template_language: 'en_US',
        reason: 'NONE',
      },
    });
    expect((await stage.graph('GET', `/${id}?fields=status,name`, { token: wabaToken })).body).toEqual({
      status: 'APPROVED',
      name: 'thanks',
      id,
    });
  });

  test('a `next` link leads to the following page of the list', async () => {
    await stage.control('settings', { template_page_size: 3 });
    const first = await list('fields=name');
    const second = await call('GET', textAt(first.body, 'paging', 'next'), { token: wabaToken });
    expect(
      [at(first.body, 'data'), at(second.body, 'data')].map((data) =>
        Array.isArray(data) ? data.length : 0,
      ),
    ).toEqual([3, 1]);
    expect(at(second.body, 'paging', 'next')).toBeUndefined();
  });

  test.each([
    ['name=order_ready', 1],
    ['status=PENDING', 0],
    ['language=de', 1],
    ['category=MARKETING', 2],
  ])('the list filters by %s', async (query, count) => {
    expect(at((await list(query)).body, 'data')).toHaveLength(count);
  });

  test.each([
    ['a name with capitals', { name: 'Thanks' }, undefined],
    ['an unknown category', { category: 'FUN' }, undefined],
    ['the same name and language', { name: 'order_ready' }, 2388024],
    ['no body', { components: [{ type: 'FOOTER', text: 'x' }] }, 2388072],
    ['a variable at the end', { components: [{ ...body, text: 'Dear {{1}} and {{2}}' }] }, 2388299],
    ['a variable at the start', { components: [{ ...body, text: '{{1}} and {{2}} are here' }] }, 2388299],
    ['variables side by side', { components: [{ ...body, text: 'Dear {{1}} {{2}} hello' }] }, 2388072],
    [
      'a gap in the numbering',
      { components: [{ ...body, text: 'Dear {{1}}, thanks for order {{3}}.' }] },
      2388072,
    ],
    ['no example', { components: [{ type: 'BODY', text: body.text }] }, undefined],
    ['a body of 1025 characters', { components: [{ type: 'BODY', text: 'x'.repeat(1025) }] }, 2388040],
    ['a variable in the footer', { components: [body, { type: 'FOOTER', text: 'x {{1}} y' }] }, 2388073],
    [
      'two variables in the header',
      { components: [{ type: 'HEADER', format: 'TEXT', text: '{{1}} and {{2}}' }, body] },
      2388047,
    ],
    [
      'three URL buttons',
      {
        components: [
          body,
          {
            type: 'BUTTONS',
            buttons: [1, 2, 3].map(() => ({ type: 'URL', text: 'a', url: 'https://a.example' })),
          },
        ],
      },
      undefined,
    ],
  ])('%s is refused', async (_what, more, subcode) => {
    const reply = await create(more);
    expect(codesOf(reply)).toEqual([400, 100, subcode]);
    expect(at(reply.body, 'error', 'error_user_title')).toEqual(expect.any(String));
  });

  test('named variables are accepted with parameter_format NAMED', async () => {
    const named = {
      type: 'BODY',
      text: 'Dear {{first_name}}, welcome.',
      example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] },
    };
    expect((await create({ parameter_format: 'NAMED', components: [named] })).status).toBe(200);
  });

  test('the 101st creation within an hour is refused with 80008', async () => {
    for (let n = 0; n < 100; n += 1) await create({ name: `thanks_${n}` });
    const reply = await create({ name: 'one_more' });
    await stage.control('clock', { advance_ms: 3_600_001 });
    expect([codesOf(reply), (await create({ name: 'one_more' })).status]).toEqual([
      [429, 80008, undefined],
      200,
    ]);
  });

  test('an approved template can be edited once a day and is then reviewed again', async () => {
    const edit = (): Promise<Reply> =>
      stage.graph('POST', '/900000000000091', { token: wabaToken, body: { components: [body] } });
    const first = await edit();
    const pending = await edit();
    await stage.control('templates/900000000000091', { event: 'APPROVED' });
    const tooSoon = await edit();
    await stage.control('clock', { advance_ms: 86_400_001 });
    const later = await edit();
    const edited = { success: true, id: '900000000000091', name: 'order_ready', category: 'UTILITY' };
    expect([first.body, codesOf(pending), codesOf(tooSoon), later.body]).toEqual([
      edited,
      [400, 100, 2388039],
      [400, 100, 2388039],
      edited,
    ]);
  });

  test('a deleted approved name is blocked for thirty days', async () => {
    const gone = await stage.graph('DELETE', `/${waba}/message_templates?name=order_ready`, {
      token: wabaToken,
    });
    const blocked = await create({ name: 'order_ready' });
    await stage.control('clock', { advance_ms: 30 * 86_400_000 + 1 });
    expect([gone.body, codesOf(blocked), (await create({ name: 'order_ready' })).status]).toEqual([
      { success: true },
      [400, 100, 2388023],
      200,
    ]);
  });

  test.each([
    ['PAUSED', 132015, 400],
    ['DISABLED', 132016, 400],
    ['REJECTED', 132001, 404],
  ])('a send of a %s template is refused with %i', async (event, code, status) => {
    await stage.control('templates', { name: 'hello_world', waba_id: waba, event });
    const reply = await stage.sendChatapp('', {
      type: 'template',
      template: { name: 'hello_world', language: { code: 'en_US' } },
    });
    expect(codesOf(reply)).toEqual([status, code, undefined]);
  });

  test('the templates of another tenant are refused as a missing permission', async () => {
    const reply = await stage.graph('GET', '/311200000000101/message_templates', { token: wabaToken });
    expect(codesOf(reply)).toEqual([403, 200, undefined]);
  });
});
