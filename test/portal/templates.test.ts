/** [spec: TemplateUpdateRequest; Template status] Templates as a person edits them, without scripts. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { cameBack, newVisitor } from './visitor.ts';
import type { Visitor } from './visitor.ts';

let world: World;
let visitor: Visitor;
let channelId: string;
beforeAll(async () => {
  world = await World.open();
  visitor = await newVisitor(world);
  await world.simulator.control('dialog', { auto: 'allow', assets: ['422300000000002'], times: 1 });
  const started = await visitor.post('/portal/channels/connect', { channel_type: 'chatapp' });
  const done = await cameBack(world, visitor, started.location);
  channelId = (done.location ?? '').replace('?connected', '').split('/').at(-1) ?? '';
  await visitor.post(`/portal/channels/${channelId}/templates/sync`);
});
afterAll(() => world.close());

const waba = '311200000000001';

interface Upstream {
  id: string;
  status: string;
  category: string;
  components: Record<string, unknown>[];
}

/** As upstream has it. */
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

/** The address of the page that edits it, from the list that a person sees. */
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

describe('editing a template', () => {
  test('the form holds what it says; texts are replaced, its buttons stay', async () => {
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

  test('one in review is not offered, and says why it can not be edited', async () => {
    const { id } = await upstreamHas('welcome', 'de');
    const path = await toEdit('welcome', 'de');
    await world.simulator.control(`templates/${id}`, { event: 'PENDING' });
    await until('the news', async () => (await editPath('welcome', 'de')) === null);
    for (const { text } of [await visitor.ask(path), await visitor.post(path, { body: 'Hallo.' })])
      expect(text).toContain('Its state is pending: only approved, rejected and paused ones can be edited.');
  });

  test('a rejected one with named variables: its names, and another category', async () => {
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
