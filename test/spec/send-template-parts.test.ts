/**
 * Templates with cards, an offer that ends, or products: made with upstream's own tools, sent by `variables`. An addition to the
 * specification. [upstream §3.2; operator-interface §4] The simulator refuses a send whose parts do not fit the template.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import type { Channel } from '../support/world.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { draft, templatesOf } from '../support/templates.ts';
import type { Templates } from '../support/templates.ts';
import { until } from '../support/until.ts';

const world = sharedWorld({ SEND_QUEUED_AFTER_MS: '800', SEND_RESEND_AFTER_MS: '200' });
let channel: Channel;
let templates: Templates;
beforeAll(async () => {
  channel = (await connectAll(world)).channels.chatapp;
  templates = templatesOf(world.service, channel);
});

type Part = Record<string, unknown>;
const body: Part = { type: 'BODY', text: 'Dear {{1}}, look at this.', example: { body_text: [['Mia']] } };
const buttons = (...list: Part[]): Part => ({ type: 'BUTTONS', buttons: list });
const link = 'https://shop.example/p/{{1}}';
const card: Part = {
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
    { type: 'BODY', text: 'Only {{1}}', example: { body_text: [['5 €']] } },
    buttons({ type: 'QUICK_REPLY', text: 'More' }, { type: 'URL', text: 'Buy', url: link, example: ['7'] }),
  ],
};
const productCard: Part = {
  components: [{ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM', text: 'View' })],
};
const offer: Part = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } };

/** A name of a template with these components, which upstream approved and the service knows. */
async function approved(name: string, components: Part[]): Promise<string> {
  const { body: made } = await templates.create(draft(name));
  const at = `templates/${made.meta_template_id}`;
  await world.simulator.control(at, { event: 'APPROVED', wait: true });
  await world.simulator.control(at, { components, wait: true });
  await until('the components', async () => {
    const { body: list } = await templates.list('?sync=true');
    const found = list.templates.find((one: { name: string }) => one.name === name);
    return found?.status === 'APPROVED' && JSON.stringify(found.components) === JSON.stringify(components)
      ? found
      : null;
  });
  return name;
}

function send(name: string, variables: unknown, recipient = newPerson('chatapp')): Promise<Answer> {
  const asked = { channel_id: channel.id, recipient, template_name: name, language: 'en_US', variables };
  return world.service.call('POST', '/api/v1/messages/send-template', { key: channel.key, body: asked });
}

const image = 'https://files.example/cake.jpg';
const cardValues = { header: [image], body: ['5 €'], buttons: [{ index: 1, value: 'cake-7' }] };
const productValues = { header: { product_id: 'cake-7', catalog_id: '1600000000000001' } };

const kinds: [string, Part[], Part][] = [
  [
    'a carousel',
    [body, { type: 'CAROUSEL', cards: [card, card] }],
    {
      body: ['Mia'],
      cards: [
        cardValues,
        {
          ...cardValues,
          buttons: [
            { index: 0, value: 'MORE' },
            { index: 1, value: 'b' },
          ],
        },
      ],
    },
  ],
  [
    'a carousel of products, with more cards than were approved',
    [body, { type: 'CAROUSEL', cards: [productCard, productCard] }],
    { body: ['Mia'], cards: [productValues, productValues, { header: ['cake-8', '1600000000000001'] }] },
  ],
  [
    'an offer that ends',
    [body, offer, buttons({ type: 'COPY_CODE', example: 'CAKE' })],
    {
      body: ['Mia'],
      offer_expires_at: '2030-01-31T18:00:00+01:00',
      buttons: [{ index: 0, value: 'CAKE24' }],
    },
  ],
  [
    'an offer without an end',
    [body, { ...offer, limited_time_offer: { text: 'Now', has_expiration: false } }],
    { body: ['Mia'] },
  ],
  ['a catalogue', [body, buttons({ type: 'CATALOG', text: 'See' })], { body: ['Mia'] }],
  [
    'a catalogue, with its picture',
    [body, buttons({ type: 'CATALOG', text: 'See' })],
    { body: ['Mia'], buttons: [{ index: 0, value: 'cake-7' }] },
  ],
  [
    'several products',
    [body, buttons({ type: 'MPM', text: 'See' })],
    {
      body: ['Mia'],
      buttons: [
        { index: 0, value: 'cake-7', sections: [{ title: 'Cakes', product_ids: ['cake-7', 'cake-8'] }] },
      ],
    },
  ],
  [
    'one product',
    [{ type: 'HEADER', format: 'PRODUCT' }, body, buttons({ type: 'SPM', text: 'View' })],
    { ...productValues, body: ['Mia'] },
  ],
];

describe.each(kinds)('%s', (_name, components, variables) => {
  let name: string;
  beforeAll(async () => {
    name = await approved(`parts_${kinds.findIndex(([, parts]) => parts === components)}`, components);
  });

  test('is listed as sendable, and sent', async () => {
    const { body: list } = await templates.list('?sync=false');
    expect(list.templates.find((one: { name: string }) => one.name === name)).toMatchObject({
      sendable: true,
      unsendable_reason: null,
    });
    const { status, body: sent } = await send(name, variables);
    expect([status, sent]).toMatchObject([200, { success: true, status: 'sent', error: null }]);
  });

  test('is sent later when upstream was busy: the queue keeps every part', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131_056, times: 1 });
    const { body: sent } = await send(name, variables, recipient);
    expect(sent.status).toBe('queued');
    await world.inbox.event('message.sent', sent.message_id);
    expect(await ledger(world.simulator, { recipient, outcome: 'all' })).toContainEqual(
      expect.objectContaining({ type: 'template', outcome: 'accepted' }),
    );
  });
});

describe('what does not fit the template is 422, with its place, before upstream is called', () => {
  const parts = (name: string): Part[] => kinds.find(([kind]) => kind === name)?.[1] ?? [];
  let carousel: string;
  let offered: string;
  let several: string;
  beforeAll(async () => {
    carousel = await approved('wrong_cards', parts('a carousel'));
    offered = await approved('wrong_offer', parts('an offer that ends'));
    several = await approved('wrong_products', parts('several products'));
  });
  const mia = { body: ['Mia'] };
  const code = { ...mia, buttons: [{ index: 0, value: 'CAKE24' }] };
  const show = (sections: unknown): Part => ({ ...mia, buttons: [{ index: 0, value: 'cake-7', sections }] });

  test.each([
    ['no cards', () => carousel, mia, ['cards']],
    ['a card too few', () => carousel, { ...mia, cards: [cardValues] }, ['cards']],
    [
      'a card without its picture',
      () => carousel,
      { ...mia, cards: [cardValues, { ...cardValues, header: [] }] },
      ['cards', 1, 'header', 0],
    ],
    [
      'a card with a picture nobody can fetch',
      () => carousel,
      { ...mia, cards: [cardValues, { ...cardValues, header: ['ftp://x/y'] }] },
      ['cards', 1, 'header', 0],
    ],
    [
      'a card with a media_id by name',
      () => carousel,
      {
        ...mia,
        cards: [cardValues, { ...cardValues, header: { image: '7c1f8f8e-8a1d-4a51-9a4e-0f1e2d3c4b5a' } }],
      },
      ['cards', 1, 'header', 'image'],
    ],
    [
      'a card without its text',
      () => carousel,
      { ...mia, cards: [{ ...cardValues, body: [] }, cardValues] },
      ['cards', 0, 'body', 0],
    ],
    [
      'a card without its link',
      () => carousel,
      { ...mia, cards: [{ ...cardValues, buttons: [] }, cardValues] },
      ['cards', 0, 'buttons'],
    ],
    ['a card that is a text', () => carousel, { ...mia, cards: ['x', cardValues] }, ['cards', 0]],
    [
      'cards in another template',
      () => offered,
      { ...code, offer_expires_at: '2030-01-31T18:00:00Z', cards: [cardValues] },
      ['cards'],
    ],
    ['no end', () => offered, code, ['offer_expires_at']],
    [
      'an end without a zone',
      () => offered,
      { ...code, offer_expires_at: '2030-01-31T18:00:00' },
      ['offer_expires_at'],
    ],
    ['an end that is a number', () => offered, { ...code, offer_expires_at: 7 }, ['offer_expires_at']],
    [
      'an end where none is',
      () => carousel,
      { ...mia, cards: [cardValues, cardValues], offer_expires_at: '2030-01-31T18:00:00Z' },
      ['offer_expires_at'],
    ],
    ['no products', () => several, show([]), ['buttons', 0]],
    ['an empty section', () => several, show([{ title: 'Cakes', product_ids: [] }]), ['buttons', 0]],
    [
      '31 products',
      () => several,
      show([{ title: 'Cakes', product_ids: Array.from({ length: 31 }, (_, n) => `p${n}`) }]),
      ['buttons', 0],
    ],
    [
      'a product that is a number',
      () => several,
      show([{ title: 'Cakes', product_ids: [7] }]),
      ['buttons', 0, 'sections', 0, 'product_ids', 0],
    ],
    [
      'products in another button',
      () => offered,
      {
        ...code,
        offer_expires_at: '2030-01-31T18:00:00Z',
        buttons: [{ index: 0, value: 'CAKE24', sections: [] }],
      },
      ['buttons', 0],
    ],
  ] as [string, () => string, Part, (string | number)[]][])('%s', async (_case, name, variables, loc) => {
    const recipient = newPerson('chatapp');
    const { status, body: refused } = await send(name(), variables, recipient);
    expect([status, refused.detail]).toEqual([
      422,
      expect.arrayContaining([expect.objectContaining({ loc: ['body', 'variables', ...loc] })]),
    ]);
    expect(await ledger(world.simulator, { recipient, outcome: 'all' })).toEqual([]);
  });
});

test('the list says what a send must give', async () => {
  const name = await approved('what_to_give', [
    body,
    { type: 'CAROUSEL', cards: [card, productCard] },
    offer,
  ]);
  const { body: list } = await templates.list('?sync=false');
  const { variables } = list.templates.find((one: { name: string }) => one.name === name);
  expect(variables).toMatchObject({
    total_count: 1 + 3 + 2 + 1,
    body: [{ position: 1, name: null }],
    cards: [
      {
        header: [{ name: 'image' }],
        body: [{ example: '5 €' }],
        buttons: [{ index: 1, type: 'URL', example: '7' }],
      },
      { header: [{ name: 'product_id' }, { name: 'catalog_id' }], body: null, buttons: null },
    ],
    offer_expires_at: true,
  });
});
