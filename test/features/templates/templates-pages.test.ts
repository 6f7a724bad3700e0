/** [spec: TemplateUpdateRequest; Template status] Templates as a person edits them, without scripts. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { sharedWorld } from '../../support/shared-world.ts';
import { until } from '../../support/until.ts';
import { newBusiness } from '../../support/setup.ts';
import { cameBack, connectedAt, newVisitor } from '../../pages/visitor.ts';
import type { Visitor } from '../../pages/visitor.ts';

const world = sharedWorld();
let visitor: Visitor;
let channelId: string;
beforeAll(async () => {
  visitor = await newVisitor(world);
  await world.simulator.control('dialog', { auto: 'allow', assets: ['422300000000002'], times: 1 });
  const started = await visitor.post('/portal/channels/connect', { channel_type: 'chatapp' });
  const done = await cameBack(world, visitor, started.location);
  channelId = connectedAt(done.location).split('/').at(-1) ?? '';
  await visitor.post(`/portal/channels/${channelId}/templates/sync`);
});

const waba = '311200000000001';

interface Upstream {
  id: string;
  status: string;
  category: string;
  components: Record<string, unknown>[];
}

/** The template as upstream has it. */
async function upstreamHas(name: string, language = 'en_US'): Promise<Upstream> {
  const query = `name=${name}&language=${language}&fields=id,name,language,status,category,components`;
  const answer = await fetch(`${world.simulator.url}/v25.0/${waba}/message_templates?${query}`, {
    headers: { authorization: `Bearer EAAbusiness-${waba}` },
  });
  const { data }: { data: (Upstream & { name: string; language: string })[] } = JSON.parse(
    await answer.text(),
  );
  const found = data.find((each) => each.name === name && each.language === language);
  if (found === undefined) throw new Error(`upstream has no ${name}`);
  return found;
}

/** The URL of its edit page, from the list that a person sees. */
async function editPath(name: string, language = 'en_US'): Promise<string | null> {
  const { text } = await visitor.ask(`/portal/templates?channel=${channelId}`);
  const found = new RegExp(`href="([^"]*/edit)">Edit<span class="unseen"> ${name} ${language}<`).exec(text);
  return found?.[1] ?? null;
}

async function toEdit(name: string, language?: string): Promise<string> {
  const path = await editPath(name, language);
  if (path === null) throw new Error(`no way to edit ${name}`);
  return path;
}

test('the list and the send page name the buttons of a template', async () => {
  const { text } = await visitor.ask(`/portal/templates?channel=${channelId}`);
  const buttons = [...text.matchAll(/<td role="cell" data-head="Buttons"[^>]*>(.*?)<\/td>/g)].map(
    ([, cell = '']) => cell.replaceAll(/<[^>]+>/g, ''),
  );
  expect([buttons.length, buttons.filter((cell) => cell !== 'none')]).toEqual([4, ['Track, Thanks']]);
  const [, path = ''] = /href="([^"]*\/send)">Send<span class="unseen"> order_ready en_US</.exec(text) ?? [];
  const page = (await visitor.ask(path)).text;
  const shown = [...page.matchAll(/<p class="preview-button" dir="auto">(.*?)<\/p>/g)].map(
    ([, words]) => words,
  );
  expect(shown).toEqual(['Track', 'Thanks']);
});

describe('editing a template', () => {
  test('the form is filled with the template; texts are replaced, its buttons stay', async () => {
    const path = await toEdit('order_ready');
    const { text } = await visitor.ask(path);
    for (const said of ['Hi from {{1}}', 'Dear {{1}}, order {{2}} is ready for pick-up.', 'See you soon'])
      expect(text).toContain(said);
    expect(text).toContain('Harbour Bakery\nMia\nA-1007');
    expect(text).not.toContain('name="category"');
    const before = await upstreamHas('order_ready');
    const body = 'Dear {{1}}, come and fetch order {{2}} today.';
    const form = { header: '', body, footer: 'Bye', examples: 'Mia\nA-1007', category: 'MARKETING' };
    expect((await visitor.post(path, form)).location).toBe(`/portal/templates?channel=${channelId}&made`);
    const after = await upstreamHas('order_ready');
    expect([after.status, after.category]).toEqual(['PENDING', before.category]);
    expect(after.components.map(({ type, text: words }) => [type, words])).toEqual([
      ['BODY', body],
      ['FOOTER', 'Bye'],
      ['BUTTONS', undefined],
    ]);
    expect(after.components.at(-1)).toEqual(before.components.at(-1));
  });

  test('a template in review is not editable, and the page says why', async () => {
    const { id } = await upstreamHas('welcome', 'de');
    const path = await toEdit('welcome', 'de');
    await world.simulator.control(`templates/${id}`, { event: 'PENDING' });
    await until('the news', async () => (await editPath('welcome', 'de')) === null);
    for (const { text } of [await visitor.ask(path), await visitor.post(path, { body: 'Hallo.' })])
      expect(text).toContain('Its state is pending: only approved, rejected and paused ones can be edited.');
  });

  test('a rejected template with named variables keeps their names, and gets another category', async () => {
    const { id } = await upstreamHas('welcome');
    await world.simulator.control(`templates/${id}`, { event: 'REJECTED', reason: 'PROMOTIONAL' });
    await until('the news', async () =>
      (await visitor.ask(await toEdit('welcome'))).text.includes('category'),
    );
    const path = await toEdit('welcome');
    const wrong = await visitor.post(path, { body: 'Hello {{first_name}}, good.', category: 'UTILITY' });
    expect([wrong.status, wrong.text.includes('Give one example for each variable')]).toEqual([422, true]);
    const form = { body: 'Hello {{first_name}}, good.', examples: 'Mia', category: 'UTILITY' };
    expect((await visitor.post(path, form)).status).toBe(302);
    expect(await upstreamHas('welcome')).toMatchObject({
      status: 'PENDING',
      category: 'UTILITY',
      components: [
        {
          type: 'BODY',
          text: form.body,
          example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mia' }] },
        },
      ],
    });
  });
});

describe('a new template', () => {
  const of = (): string => `/portal/channels/${channelId}/templates`;
  const buttons = {
    buttons: 'shown',
    'button-1-type': 'QUICK_REPLY',
    'button-1-text': 'Yes, please',
    'button-3-type': 'URL',
    'button-3-text': 'Your order',
    'button-3-value': 'https://shop.example.com/orders/{{1}}',
    'button-3-example': 'https://shop.example.com/orders/A-1007',
  };

  test('has buttons and named variables as they were typed', async () => {
    const form = {
      name: 'with_buttons',
      language: 'en_US',
      category: 'UTILITY',
      body: 'Hello {{first_name}}, order {{order}} is here.',
      examples: 'Mia\nA-1007',
      ...buttons,
    };
    expect((await visitor.post(of(), form)).location).toContain('&made');
    const { components } = await upstreamHas('with_buttons');
    expect(components).toEqual([
      {
        type: 'BODY',
        text: form.body,
        example: {
          body_text_named_params: [
            { param_name: 'first_name', example: 'Mia' },
            { param_name: 'order', example: 'A-1007' },
          ],
        },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Yes, please' },
          {
            type: 'URL',
            text: 'Your order',
            url: buttons['button-3-value'],
            example: [buttons['button-3-example']],
          },
        ],
      },
    ]);
  });

  test('an error of a button is shown at its own field', async () => {
    const form = { name: 'wrong', language: 'de', category: 'UTILITY', body: 'Hallo.', ...buttons };
    const answer = await visitor.post(of(), { ...form, 'button-3-value': 'shop' });
    expect([answer.status, answer.text.includes('id="button-3-value-wrong"')]).toEqual([422, true]);
  });

  test.each([
    ['their order', 'QUICK_REPLY', 'Quick replies and other buttons must not be mixed.'],
    ['their kinds', 'PHONE_NUMBER', 'A template can have at most 1 PHONE_NUMBER buttons.'],
  ])('an error about all buttons, as %s, is above them, and has the focus', async (_what, type, words) => {
    const form = { name: 'many', language: 'de', category: 'UTILITY', body: 'Hallo.', ...buttons };
    const more = {
      'button-2-type': 'PHONE_NUMBER',
      'button-2-text': 'Call',
      'button-2-value': '+4930123456',
    };
    const last = { 'button-4-type': type, 'button-4-text': 'No, thanks', 'button-4-value': '+4930123456' };
    const { status, text } = await visitor.post(of(), { ...form, ...more, ...last });
    expect([status, /<p class="wrong"[^>]*>[^<]*/.exec(text)?.[0]]).toEqual([
      422,
      `<p class="wrong" tabindex="-1" autofocus>${words}`,
    ]);
  });

  test('a button URL that is longer than the API accepts is refused, not truncated', async () => {
    const form = { name: 'long', language: 'de', category: 'UTILITY', body: 'Hallo.', ...buttons };
    const url = `https://shop.example.com/${'x'.repeat(2_000)}`;
    const answer = await visitor.post(of(), { ...form, 'button-3-value': url });
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining('String should have at most 2000 characters'),
    ]);
  });

  test('without scripts a button shows the preview, and nothing is submitted', async () => {
    const form = { name: 'seen', language: 'de', category: 'UTILITY', body: 'Hallo {{1}}!', examples: 'Mia' };
    const { status, text } = await visitor.post(of(), { ...form, ...buttons, preview: 'yes' });
    expect(status).toBe(200);
    for (const said of ['Hallo Mia!', 'preview-button" dir="auto">Your order', 'value="seen"'])
      expect(text).toContain(said);
    expect((await visitor.ask(`/portal/templates?channel=${channelId}`)).text).not.toContain('>seen<');
  });

  test('buttons are edited; those that the form cannot show stay', async () => {
    const { id } = await upstreamHas('with_buttons');
    await world.simulator.control(`templates/${id}`, { event: 'APPROVED' });
    await until('the news', async () => (await editPath('with_buttons')) !== null);
    const path = await toEdit('with_buttons');
    const { text } = await visitor.ask(path);
    for (const said of ['Yes, please', 'https://shop.example.com/orders/{{1}}']) expect(text).toContain(said);
    const form = { body: 'Hello {{first_name}}, order {{order}} came.', examples: 'Mia\nA-1007' };
    const changed = { ...form, ...buttons, 'button-1-text': 'No, thanks' };
    expect((await visitor.post(path, changed)).status).toBe(302);
    const { components } = await upstreamHas('with_buttons');
    expect(components.at(-1)).toMatchObject({ buttons: [{ text: 'No, thanks' }, { text: 'Your order' }] });
  });
});

describe('sending a template', () => {
  beforeAll(async () => {
    const { id } = await upstreamHas('order_ready');
    await world.simulator.control(`templates/${id}`, { event: 'APPROVED' });
    await until('the news', async () =>
      (await visitor.ask(`/portal/templates?channel=${channelId}`)).text.includes(
        'Send<span class="unseen"> order_ready en_US',
      ),
    );
  });

  async function sendPath(): Promise<string> {
    const { text } = await visitor.ask(`/portal/templates?channel=${channelId}`);
    const found = /href="([^"]*\/send)">Send<span class="unseen"> order_ready en_US</.exec(text);
    if (found?.[1] === undefined) throw new Error('no way to send order_ready');
    return found[1];
  }

  test("has a field for each variable, and shows the API call; the answer is the API's, and it is sent once", async () => {
    const path = await sendPath();
    const { text } = await visitor.ask(path);
    expect(text).toContain('send-template');
    const names = [...text.matchAll(/name="(variables[^"]*)"/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(1);
    const values = Object.fromEntries(names.map((name) => [name, name.includes('buttons') ? 'a1' : 'Mia']));
    const form = { recipient: '4915900000777', once: 'one-form', ...values };
    const [first, again] = [await visitor.post(path, form), await visitor.post(path, form)];
    expect(first.text).toContain('&quot;success&quot;: true');
    const idIn = (page: string): string => /message_id&quot;: &quot;([^&]*)/.exec(page)?.[1] ?? '';
    expect([idIn(again.text), idIn(first.text) === '']).toEqual([idIn(first.text), false]);
    const missing = await visitor.post(path, { recipient: '4915900000777' });
    expect([missing.status, missing.text.includes('aria-invalid="true"')]).toEqual([422, true]);
  });

  test('a template that is not approved is not offered, and the page says why', async () => {
    const { id } = await upstreamHas('order_ready');
    const path = await sendPath();
    await world.simulator.control(`templates/${id}`, { event: 'PAUSED' });
    await until('the news', async () =>
      (await visitor.ask(path)).text.includes('Its state is paused: only approved ones can be sent'),
    );
    expect((await visitor.post(path, { recipient: '4915900000777', 'variables.body.0': 'x' })).status).toBe(
      400,
    );
  });
});

test("templates that were never read are read at the first visit; upstream's error is shown instead", async () => {
  const { simulator } = world;
  const other = await newVisitor(world);
  const { phones } = await newBusiness(simulator, { phone_numbers: 1 });
  await simulator.control('faults', {
    match: { path: 'message_templates' },
    act: 'refuse',
    code: 80008,
    times: 0,
  });
  await simulator.control('dialog', { auto: 'allow', assets: [phones[0]?.id], times: 1 });
  const started = await other.post('/portal/channels/connect', { channel_type: 'chatapp' });
  await cameBack(world, other, started.location);
  const refused = await other.ask('/portal/templates');
  expect([refused.status, refused.text.includes('role="alert"')]).toEqual([200, true]);
  await fetch(`${simulator.url}/control/faults`, { method: 'DELETE' });
  // Pages are reloaded often, so the result is cached for half a minute, unless a person asks again.
  const again = await other.ask('/portal/templates');
  expect(again.text).toContain('role="alert"');
  const sync = /action="([^"]+\/templates\/sync)"/.exec(again.text)?.[1] ?? '';
  expect((await other.post(sync)).status).toBe(302);
  const page = await other.ask('/portal/templates');
  expect(page.text).not.toContain('role="alert"');
  expect(page.text).toContain('last refreshed: <time');
});
