/** [spec: Templates; Template status; operator-interface §4] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { postAsUpstream } from '../support/events.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { draft, templatesOf } from '../support/templates.ts';
import type { Templates } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const waba = '311200000000001';
/** A second number of the same business account. */
const secondNumber = '422300000000012';

const world = sharedWorld();
let account: Account;
let channel: Channel;
let templates: Templates;
beforeAll(async () => {
  account = await newAccount(world.service);
  channel = await world.connect(account, 'chatapp');
  templates = templatesOf(world.service, channel);
});

const newId = expect.stringMatching(/^[0-9a-f-]{36}$/);

let names = 0;
const newName = (): string => `autumn_sale_${(names += 1)}`;

/** Makes upstream's reviewers do this with the template. */
const review = (metaId: string, event: Record<string, unknown>): Promise<unknown> =>
  world.simulator.control(`templates/${metaId}`, event);

/** Deletes the channel and releases its claim, so that another account can connect the number. */
async function free({ id, key }: Channel): Promise<void> {
  await world.service.call('DELETE', `/api/v1/channels/${id}`, { key });
  await world.service.admin('DELETE', `/channels/${id}/claim`);
}

async function created(more: Record<string, unknown> = {}) {
  const answer = await templates.create(draft(newName(), more));
  if (answer.status !== 201) throw new Error(`not created: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function withStatus(id: string, status: string) {
  return until(`the template to be ${status}`, async () => {
    const { body } = await templates.read(id);
    return body.status === status ? body : null;
  });
}

async function approved(more: Record<string, unknown> = {}) {
  const template = await created(more);
  await review(template.meta_template_id, { event: 'APPROVED' });
  return withStatus(template.id, 'APPROVED');
}

describe('listing', () => {
  test('reads every page of upstream, then answers the same list from the store', async () => {
    await world.simulator.control('settings', { template_page_size: 2 });
    const listed = await templates.list();
    await world.simulator.control('settings', { template_page_size: 25 });
    expect(listed.body).toMatchObject({
      synced: true,
      synced_at: isoTime,
      total: listed.body.templates.length,
    });
    const found = listed.body.templates.map(
      ({ name, language }: Record<string, string>) => `${name} ${language}`,
    );
    expect(found).toEqual(
      expect.arrayContaining(['order_ready en_US', 'welcome en_US', 'welcome de', 'hello_world en_US']),
    );
    const stored = await templates.list('?sync=false');
    expect(stored.body).toEqual({ ...listed.body, synced: false });
  });

  test('shows a template with its variables and their examples', async () => {
    const { body } = await templates.list();
    const ready = body.templates.find(({ name }: { name: string }) => name === 'order_ready');
    expect(ready).toEqual({
      id: newId,
      meta_template_id: '900000000000091',
      name: 'order_ready',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: expect.arrayContaining([expect.objectContaining({ type: 'BODY' })]),
      parameter_format: 'positional',
      variables: {
        total_count: 4,
        parameter_format: 'positional',
        header: [{ position: 1, name: null, example: 'Harbour Bakery' }],
        body: [
          { position: 1, name: null, example: 'Mia' },
          { position: 2, name: null, example: 'A-1007' },
        ],
        buttons: [{ index: 0, type: 'URL', position: 1, name: null, example: 'A-1007' }],
        cards: null,
        offer_expires_at: false,
      },
      sendable: true,
      unsendable_reason: null,
      rejected_reason: null,
      quality_score: 'GREEN',
      synced_at: isoTime,
      created_at: isoTime,
    });
    expect((await templates.read(ready.id)).body).toEqual(ready);
  });

  test('one that is not approved cannot be sent, and says why', async () => {
    const { sendable, unsendable_reason } = await created();
    expect([sendable, unsendable_reason]).toEqual([false, 'Its status is PENDING, not APPROVED']);
  });

  test('filters by status; an unknown status matches nothing', async () => {
    const { id } = await created();
    const idsOf = async (status: string) => {
      const { body } = await templates.list(`?sync=false&status=${status}`);
      return body.templates.map((each: { id: string }) => each.id);
    };
    expect(await idsOf('PENDING')).toContain(id);
    expect(await idsOf('APPROVED')).not.toContain(id);
    expect(await idsOf('SLEEPING')).toEqual([]);
  });

  test.each([
    ['?sync=maybe', ['query', 'sync'], 'bool_type'],
    ['?sync=true&sync=false', ['query', 'sync'], 'bool_type'],
    ['?sync=', ['query', 'sync'], 'bool_type'],
    ['?sync=false&status=', ['query', 'status'], 'value_error'],
    ['?sync=false&status=approved', ['query', 'status'], 'value_error'],
    ['?sync=false&limit=0', ['query', 'limit'], 'value_error'],
  ])('%s is refused', async (query, loc, type) => {
    const { status, body } = await templates.list(query);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc, type })]]);
  });

  test('comes in pages, each template once', async () => {
    const all = (await templates.list('?sync=false')).body.templates;
    const seen: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await templates.list(`?sync=false&limit=2${query}`);
      expect(body.total).toBe(body.templates.length);
      seen.push(...body.templates);
      cursor = body.next_cursor;
    }
    expect(seen).toEqual(all);
  });

  test('answers the stored list while upstream is down: not synced, with the old time', async () => {
    const before = await templates.list();
    await world.simulator.control('faults', {
      match: { path: 'message_templates', method: 'GET' },
      act: 'refuse',
      code: 2,
      status: 503,
    });
    const { status, body } = await templates.list();
    expect(status).toBe(200);
    expect(body).toEqual({ ...before.body, synced: false });
  });

  test('is 502 if the list was never synced', async () => {
    // Before the channel, which the service reads the list of soon after it is connected.
    const refused = { match: { path: 'message_templates' }, act: 'refuse', code: 2, times: 0 };
    await world.simulator.control('faults', refused);
    const fresh = await world.connect(await newAccount(world.service), 'chatapp', {
      upstream: '422300000000102',
    });
    const { status, body } = await templatesOf(world.service, fresh).list();
    await call('DELETE', `${world.simulator.url}/control/faults`);
    expect([status, body.detail]).toEqual([502, expect.stringContaining('code 2')]);
  });

  test('drops templates that upstream no longer has, and adds new ones', async () => {
    const kept = await created();
    const doomed = await created();
    await world.simulator.control(`templates/${doomed.meta_template_id}`, { event: 'DELETED' });
    await until('the deletion to arrive', async () => (await templates.read(doomed.id)).status === 404);
    const ids = (await templates.list()).body.templates.map((each: { id: string }) => each.id);
    expect([ids.includes(kept.id), ids.includes(doomed.id)]).toEqual([true, false]);
  });
});

describe('creating', () => {
  test('answers 201 with the template in review', async () => {
    const name = newName();
    const answer = await templates.create(draft(name));
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ id: newId, name, status: 'PENDING', parameter_format: 'positional' });
    expect(answer.body.meta_template_id).toMatch(/^\d{17}$/);
    expect((await templates.read(answer.body.id)).body).toEqual(answer.body);
    const listed = (await templates.list()).body.templates;
    expect(listed.filter((each: { name: string }) => each.name === name)).toHaveLength(1);
  });

  test('answers PENDING also if upstream approves at once; soon the template is approved', async () => {
    await world.simulator.control('templates/reviews', { event: 'APPROVED', after_ms: null });
    const { id, status } = await created();
    expect(status).toBe('PENDING');
    await withStatus(id, 'APPROVED');
  });

  test('accepts all components of upstream: header, footer, buttons, named variables, authentication', async () => {
    const named = await created({
      parameter_format: 'named',
      category: 'MARKETING',
      components: [
        {
          type: 'HEADER',
          format: 'TEXT',
          text: 'Hi from {{shop}}',
          example: { header_text_named_params: [{ param_name: 'shop', example: 'Bakery' }] },
        },
        {
          type: 'BODY',
          text: 'Dear {{first_name}}, come in!',
          example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] },
        },
        { type: 'FOOTER', text: 'See you' },
        { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Stop' }] },
      ],
    });
    expect(named.variables).toMatchObject({ total_count: 2, body: [{ name: 'first_name', example: 'Mia' }] });
    const code = await created({
      category: 'AUTHENTICATION',
      components: [
        { type: 'BODY', add_security_recommendation: true },
        { type: 'FOOTER', code_expiration_minutes: 5 },
        { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
      ],
    });
    expect(code.variables).toMatchObject({ total_count: 1, buttons: null });
    expect(code.components).toMatchObject([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS' },
    ]);
  });

  const at = (...loc: (string | number)[]) => ['body', ...loc];
  test.each<[string, Record<string, unknown>, (string | number)[], string]>([
    ['a name of 513 characters', { name: 'x'.repeat(513) }, at('name'), 'string_too_long'],
    ['an upper-case name', { name: 'Sale' }, at('name'), 'string_pattern_mismatch'],
    ['a name with a line break at its end', { name: 'sale\n' }, at('name'), 'string_pattern_mismatch'],
    ['an empty name', { name: '' }, at('name'), 'string_pattern_mismatch'],
    ['no name', { name: undefined }, at('name'), 'missing'],
    ['a number as name', { name: 7 }, at('name'), 'string_type'],
    ['a language with a dash', { language: 'en-US' }, at('language'), 'string_pattern_mismatch'],
    ['another category', { category: 'SPAM' }, at('category'), 'enum'],
    ['another format', { parameter_format: 'POSITIONAL' }, at('parameter_format'), 'enum'],
    ['no components', { components: undefined }, at('components'), 'missing'],
    ['an empty list', { components: [] }, at('components'), 'value_error'],
    ['a text for a list', { components: 'x' }, at('components'), 'list_type'],
    [
      'a thousand',
      { components: Array.from({ length: 1_000 }, () => ({ type: 'BODY', text: 'x' })) },
      at('components'),
      'value_error',
    ],
    ['a strange component', { components: [{ type: 'CAROUSEL' }] }, at('components', 0, 'type'), 'enum'],
    [
      'an image header',
      { components: [{ type: 'HEADER', format: 'IMAGE' }] },
      at('components', 0, 'format'),
      'enum',
    ],
    [
      'a number as text',
      { components: [{ type: 'BODY', text: 7 }] },
      at('components', 0, 'text'),
      'string_type',
    ],
    [
      'a body of 1,025',
      { components: [{ type: 'BODY', text: 'x'.repeat(1_025) }] },
      at('components', 0, 'text'),
      'string_too_long',
    ],
    [
      'no example',
      { components: [{ type: 'BODY', text: 'Dear {{1}}, hello.' }] },
      at('components', 0, 'example', 'body_text'),
      'missing',
    ],
  ])('%s is refused before upstream is called', async (_, wrong, loc, type) => {
    const { status, body } = await templates.create(draft(newName(), wrong));
    expect(status).toBe(422);
    expect(body.detail).toContainEqual(expect.objectContaining({ loc, type }));
  });

  test('accepts a name of 512 characters and an emoji in the text', async () => {
    const name = `${newName()}_`.padEnd(512, 'x');
    const components = [{ type: 'BODY', text: '🥐'.repeat(200) }];
    expect((await templates.create(draft(name, { components }))).status).toBe(201);
  });

  test("passes on upstream's refusal with its sentence and code", async () => {
    const { name } = await created();
    const { status, body } = await templates.create(draft(name));
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/Content in this language already exists.*code 100, subcode 2388024/),
    ]);
  });

  test("in a language that is not listed is refused with upstream's words, if upstream says that another thing is wrong", async () => {
    await world.simulator.control('settings', { template_languages: false });
    const { name } = await created({ language: 'ga_IE' });
    const { status, body } = await templates.create(draft(name, { language: 'ga_IE' }));
    await world.simulator.control('settings', { template_languages: true });
    expect([status, body.detail]).toEqual([
      400,
      expect.stringMatching(/Content in this language already exists.*code 100, subcode 2388024/),
    ]);
  });

  test.each([
    ['that is not written as a code', 'en-us', 'string_pattern_mismatch', /it has en_US, en, en_AE/],
    [
      'that upstream refuses',
      'pt_Abcd',
      'value_error',
      /it has pt_BR, pt_PT\. Upstream said: .*pt_Abcd is not supported.* \(code 100\)$/,
    ],
    ['that is like no other', 'xx_Abcd', 'value_error', /no language xx_Abcd/],
  ])('a language %s is 422, with those that may be meant', async (_, language, type, said) => {
    const { status, body } = await templates.create(draft(newName(), { language }));
    const error = { loc: ['body', 'language'], type, msg: expect.stringMatching(said) };
    expect([status, body.detail]).toEqual([422, [error]]);
  });

  test('is 429 with Retry-After if upstream limits such calls, and 502 if it fails', async () => {
    const fault = (code: number, more: Record<string, unknown> = {}) =>
      world.simulator.control('faults', {
        match: { path: 'message_templates', method: 'POST' },
        act: 'refuse',
        code,
        ...more,
      });
    await fault(80008);
    const limited = await templates.create(draft(newName()));
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '300']);
    // [upstream §3.8] Upstream sends the time in a header of its own.
    await fault(80008, { regain_minutes: 7 });
    const known = await templates.create(draft(newName()));
    expect([known.status, known.headers.get('retry-after')]).toEqual([429, '420']);
    await fault(2);
    expect((await templates.create(draft(newName()))).status).toBe(502);
  });
});

describe("changes by upstream's reviewers arrive by webhook", () => {
  test('a rejection with its reason, an approval, a pause', async () => {
    const { id, meta_template_id: metaId } = await created();
    await review(metaId, { event: 'REJECTED', reason: 'PROMOTIONAL' });
    expect(await withStatus(id, 'REJECTED')).toMatchObject({ rejected_reason: 'PROMOTIONAL' });
    await review(metaId, { event: 'APPROVED' });
    expect(await withStatus(id, 'APPROVED')).toMatchObject({ rejected_reason: null });
    await review(metaId, { event: 'PAUSED' });
    await withStatus(id, 'PAUSED');
    await review(metaId, { event: 'REINSTATED' });
    await withStatus(id, 'APPROVED');
    await review(metaId, { event: 'A_WORD_OF_TOMORROW' });
    await withStatus(id, 'A_WORD_OF_TOMORROW');
  });

  test('one that arrives late is checked with upstream: an edit since then is unknown to it', async () => {
    const { id, meta_template_id: metaId } = await created();
    const value = { event: 'APPROVED', message_template_id: metaId, reason: 'NONE' };
    const change = { field: 'message_template_status_update', value };
    const minutesAgo = Math.floor(Date.now() / 1_000) - 120;
    const entry = [{ id: waba, time: minutesAgo, changes: [change] }];
    const before = Date.parse((await templates.list()).body.synced_at);
    expect(await postAsUpstream(world, { object: 'whatsapp_business_account', entry })).toBe(200);
    await until('the list to be read again', async () => {
      const { synced_at: syncedAt } = (await templates.list('?sync=false')).body;
      return Date.parse(syncedAt) > before;
    });
    // A list that was requested before the webhook can be the first to end.
    await withStatus(id, 'PENDING');
  });

  test('category, quality and components', async () => {
    const { id, meta_template_id: metaId } = await approved();
    await review(metaId, { quality: 'RED' });
    await until('the quality', async () => (await templates.read(id)).body.quality_score === 'RED');
    await review(metaId, { category: 'MARKETING' });
    await until('the category', async () => (await templates.read(id)).body.category === 'MARKETING');
    await review(metaId, { components: [{ type: 'BODY', text: 'Changed elsewhere.' }] });
    await until('the components', async () => {
      const [body] = (await templates.read(id)).body.components;
      return body.text === 'Changed elsewhere.';
    });
  });

  test("a template that was made in upstream's own manager is read in the background", async () => {
    const other = await world.connect(await newAccount(world.service), 'chatapp', { upstream: secondNumber });
    const theirs = templatesOf(world.service, other);
    const template = await created();
    await review(template.meta_template_id, { event: 'APPROVED' });
    // The other account never asks upstream.
    const found = await until('the other account to know it', async () => {
      const { body } = await theirs.list('?sync=false');
      return body.templates.find((each: { name: string }) => each.name === template.name);
    });
    expect(found).toMatchObject({ meta_template_id: template.meta_template_id, status: 'APPROVED' });
    expect(found.id).not.toBe(template.id);
    await free(other);
  });
});

describe('updating', () => {
  const components = [{ type: 'BODY', text: 'Your order is ready.' }];

  test('an approved template is in review again, with all its components replaced', async () => {
    const { id } = await approved({
      components: [
        { type: 'BODY', text: 'Old text.' },
        { type: 'FOOTER', text: 'Old footer' },
      ],
    });
    const { status, body } = await templates.update(id, { components });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, status: 'PENDING', components, variables: { total_count: 0 } });
    expect((await templates.read(id)).body).toMatchObject({ status: 'PENDING', components });
    const listed = (await templates.list()).body.templates.find((each: { id: string }) => each.id === id);
    expect(listed).toMatchObject({ status: 'PENDING', components });
  });

  test('the category of a rejected template can change, of an approved one not', async () => {
    const rejected = await created();
    await review(rejected.meta_template_id, { event: 'REJECTED' });
    await withStatus(rejected.id, 'REJECTED');
    const changed = await templates.update(rejected.id, { components, category: 'MARKETING' });
    expect([changed.status, changed.body.category]).toEqual([200, 'MARKETING']);
    const { id } = await approved();
    const refused = await templates.update(id, { components, category: 'MARKETING' });
    expect([refused.status, refused.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', 'category'] })],
    ]);
    expect((await templates.update(id, { components, category: 'UTILITY' })).status).toBe(200);
  });

  test('a template in review cannot be edited, a paused one can', async () => {
    const { id, meta_template_id: metaId } = await created();
    const refused = await templates.update(id, { components });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('PENDING')]);
    await review(metaId, { event: 'PAUSED' });
    await withStatus(id, 'PAUSED');
    expect((await templates.update(id, { components })).body.status).toBe('PENDING');
  });

  test.each([
    [{}, ['body', 'components'], 'missing'],
    [{ components: [{ type: 'FOOTER', text: 'x' }] }, ['body', 'components'], 'value_error'],
    [{ components, category: 'SPAM' }, ['body', 'category'], 'enum'],
  ])('%j is refused', async (body, loc, type) => {
    const { id } = await approved();
    const answer = await templates.update(id, body);
    expect([answer.status, answer.body.detail]).toEqual([422, [expect.objectContaining({ loc, type })]]);
  });
});

describe('deleting', () => {
  test('removes one language version; a second time it is 404', async () => {
    const name = newName();
    const english = (await templates.create(draft(name))).body;
    const german = (await templates.create(draft(name, { language: 'de' }))).body;
    const removed = await templates.remove(english.id);
    expect([removed.status, removed.body]).toEqual([200, { success: true }]);
    const again = await templates.remove(english.id);
    expect([again.status, again.body]).toEqual([404, { detail: 'Template not found' }]);
    expect([(await templates.read(english.id)).status, (await templates.read(german.id)).status]).toEqual([
      404, 200,
    ]);
  });

  test('all_languages removes every version of the name', async () => {
    const name = newName();
    const english = (await templates.create(draft(name))).body;
    const german = (await templates.create(draft(name, { language: 'de' }))).body;
    expect((await templates.remove(english.id, '?all_languages=true')).status).toBe(200);
    expect((await templates.read(german.id)).status).toBe(404);
    const left = (await templates.list()).body.templates.filter(
      (each: { name: string }) => each.name === name,
    );
    expect(left).toEqual([]);
  });

  test('a template that upstream still lists while it deletes it does not come back', async () => {
    const { id, name } = await approved();
    await world.simulator.control('settings', { template_deletion_ms: 60_000 });
    await templates.remove(id);
    await world.simulator.control('settings', { template_deletion_ms: 0 });
    const left = (await templates.list()).body.templates.filter(
      (each: { name: string }) => each.name === name,
    );
    expect(left).toEqual([]);
  });

  test('a template that is already deleted upstream is deleted here too', async () => {
    const { id } = await created();
    await world.simulator.control('faults', {
      match: { path: 'message_templates', method: 'DELETE' },
      act: 'refuse',
      code: 100,
      subcode: 2593002,
    });
    expect((await templates.remove(id)).status).toBe(200);
    expect((await templates.read(id)).status).toBe(404);
  });
});

describe('access to templates', () => {
  test('two channels of an account on one business account have the same templates', async () => {
    const path = `/accounts/${account.accountId}/subscriptions`;
    await world.service.admin('POST', path, { tier: 'pro', source: 'enterprise' });
    const second = await world.connect(account, 'chatapp', { upstream: secondNumber });
    const beside = templatesOf(world.service, second);
    const template = await created();
    expect((await beside.read(template.id)).body).toEqual(template);
    const update = { components: [{ type: 'BODY', text: 'Through the other.' }] };
    await review(template.meta_template_id, { event: 'REJECTED' });
    await withStatus(template.id, 'REJECTED');
    expect((await beside.update(template.id, update)).status).toBe(200);
    expect((await templates.read(template.id)).body).toMatchObject(update);
    expect((await beside.remove(template.id)).status).toBe(200);
    expect((await templates.read(template.id)).status).toBe(404);
    await free(second);
  });

  test('another account finds neither channel nor template, and nothing through its own channel', async () => {
    const template = await created();
    const stranger = await world.connect(await newAccount(world.service), 'chatapp', {
      upstream: '422300000000112',
    });
    const components = [{ type: 'BODY', text: 'Mine now.' }];
    const foreign = templatesOf(world.service, { id: channel.id, key: stranger.key });
    const own = templatesOf(world.service, stranger);
    for (const theirs of [foreign, own]) {
      expect((await theirs.read(template.id)).status).toBe(404);
      expect((await theirs.update(template.id, { components })).status).toBe(404);
      expect((await theirs.remove(template.id)).status).toBe(404);
    }
    expect([(await foreign.list()).status, (await foreign.create(draft(newName()))).status]).toEqual([
      404, 404,
    ]);
    // A synchronization with upstream's list, which may come meanwhile, adds these two.
    const { synced_at: _syncedAt, quality_score: _score, ...unchanged } = template;
    expect((await templates.read(template.id)).body).toMatchObject(unchanged);
  });

  test.each(['photoapp', 'pagechat'] as const)('a %s channel has no templates', async (type) => {
    const other = templatesOf(world.service, await world.connected(type));
    const answers = [
      await other.list(),
      await other.list('?sync=false'),
      await other.create(draft(newName())),
    ];
    for (const id of ['11111111-1111-4111-8111-111111111111', 'order_ready'])
      answers.push(await other.read(id), await other.update(id, { components: [] }), await other.remove(id));
    for (const { status, body } of answers) {
      expect([status, body.detail]).toMatchObject([400, { code: 'wrong_channel_type', channel_type: type }]);
    }
  });

  test('without a licence: stored templates are shown, calls to upstream are 402; inactive: 400', async () => {
    const mine = await newAccount(world.service);
    const other = await world.connect(mine, 'chatapp', { upstream: secondNumber });
    const theirs = templatesOf(world.service, other);
    const [{ id }] = (await theirs.list()).body.templates;
    const statuses = async (): Promise<number[]> => {
      const calls = [
        await theirs.list('?sync=false'),
        await theirs.read(id),
        await theirs.list(),
        await theirs.create(draft(newName())),
        await theirs.update(id, { components: [{ type: 'BODY', text: 'x' }] }),
        await theirs.remove(id),
      ];
      return calls.map(({ status }) => status);
    };
    await world.service.admin('PATCH', `/subscriptions/${mine.subscriptionId}`, { status: 'canceled' });
    expect(await statuses()).toEqual([200, 200, 402, 402, 402, 402]);
    await world.service.admin('PATCH', `/subscriptions/${mine.subscriptionId}`, { status: 'active' });
    await world.service.call('DELETE', `/api/v1/channels/${other.id}`, { key: other.key });
    expect(await statuses()).toEqual([200, 200, 400, 400, 400, 400]);
  });

  test('a webhook for the business account of no channel changes nothing', async () => {
    await world.simulator.control('templates', {
      name: 'welcome',
      language: 'de',
      waba_id: waba,
      quality: 'GREEN',
    });
    expect((await templates.list()).body.synced).toBe(true);
  });
});
