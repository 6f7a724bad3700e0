/** Templates of queued sends, as they are kept: what is damaged is no template, since one with a value less is another message. */
import { expect, test } from '@jest/globals';
import { readFilledTemplate } from '../../src/rules/templates/read-filled.ts';
import { readParts } from '../../src/rules/templates/parts.ts';
import { templateOf } from './samples.ts';

const named = { name: 'order_ready', language: 'en_US' };
const empty = { header: [], body: [], buttons: [] };
const text = { type: 'text', name: null, text: 'Mia' };
const place = { type: 'location', latitude: '1', longitude: '2', name: 'Bakery', address: 'Harbour 1' };
const section = { title: 'Bread', productIds: ['p1', 'p2'] };

test.each([
  empty,
  { ...empty, body: [text, { ...text, name: 'first_name' }] },
  { ...empty, header: [text] },
  { ...empty, header: [{ type: 'image', link: 'https://files.example/i' }] },
  { ...empty, header: [{ type: 'video', link: 'https://files.example/v' }] },
  { ...empty, header: [{ type: 'gif', link: 'https://files.example/g' }] },
  { ...empty, header: [{ type: 'document', link: 'https://files.example/d' }] },
  { ...empty, header: [{ type: 'document', link: 'https://files.example/d', filename: 'd.pdf' }] },
  { ...empty, header: [{ type: 'product', productId: 'p', catalogId: 'c' }] },
  { ...empty, header: [place] },
  ...['url', 'quick_reply', 'copy_code', 'flow', 'catalog'].map((fills) => ({
    ...empty,
    buttons: [{ index: 1, fills, value: 'v' }],
  })),
  { ...empty, buttons: [{ index: 0, fills: 'catalog', value: '' }] },
  { ...empty, buttons: [{ index: 0, fills: 'mpm', value: 'v', sections: [section] }] },
  { ...empty, cards: [{ ...empty, body: [text] }, empty], offerEndsAt: 5 },
])('%j is read as it was written', (values) => {
  expect(readFilledTemplate({ ...named, ...values })).toStrictEqual({ ...named, ...values });
});

test.each([
  { name: 'order_ready', ...empty },
  { language: 'de', ...empty },
  { ...named, ...empty, body: [{ type: 'image', text: 'Mia' }] },
  { ...named, ...empty, body: [text, 5] },
  { ...named, ...empty, body: [{ type: 'text' }] },
  { ...named, ...empty, header: [{ type: 'image' }] },
  { ...named, ...empty, header: [{ type: 'sticker', link: 'https://files.example/s' }] },
  { ...named, ...empty, header: [{ type: 'product', productId: 'p' }] },
  { ...named, ...empty, header: [{ type: 'product', catalogId: 'c' }] },
  ...['latitude', 'longitude', 'name', 'address'].map((part) => ({
    ...named,
    ...empty,
    header: [{ ...place, [part]: null }],
  })),
  { ...named, ...empty, buttons: [{ index: '1', fills: 'url', value: 'v' }] },
  { ...named, ...empty, buttons: [{ index: 1, fills: 'voice', value: 'v' }] },
  { ...named, ...empty, buttons: [{ index: 1, fills: 'url' }] },
  { ...named, ...empty, buttons: [{ index: 1, fills: 'mpm', value: 'v', sections: [{ productIds: [] }] }] },
  { ...named, ...empty, cards: [{ ...empty, body: [5] }] },
])('%j is none', (stored) => {
  expect(readFilledTemplate(stored)).toBeNull();
});

test.each([
  [null, null],
  [{}, { header: null, body: null, buttons: [] }],
  [
    {
      header: ['a', 5],
      body: { first_name: 'Mia', age: 5 },
      buttons: [{ index: 0, value: 'v' }, { index: 1 }, 7],
    },
    { header: ['a'], body: { first_name: 'Mia' }, buttons: [{ index: 0, value: 'v' }] },
  ],
  [
    {
      buttons: [
        { index: 0, value: 'v', sections: [{ title: 'Bread', product_ids: ['p', 5] }, {}] },
        { value: 'v' },
      ],
    },
    {
      header: null,
      body: null,
      buttons: [{ index: 0, value: 'v', sections: [{ title: 'Bread', product_ids: ['p'] }] }],
    },
  ],
  [
    { cards: [{ body: ['a'] }, 5], offer_expires_at: '2026-12-01T00:00:00Z' },
    {
      header: null,
      body: null,
      buttons: [],
      cards: [
        { header: null, body: ['a'], buttons: [] },
        { header: null, body: null, buttons: [] },
      ],
      offer_expires_at: '2026-12-01T00:00:00Z',
    },
  ],
])('a template that is yet to be looked up keeps the values %j', (variables, kept) => {
  expect(readFilledTemplate({ ...named, variables })).toStrictEqual({ ...named, variables: kept });
});

test.each([
  { name: 'a', variables: null },
  { language: 'de', variables: null },
])('%j is none', (stored) => {
  expect(readFilledTemplate(stored)).toBeNull();
});

test('a carousel has cards, each with its parts; an offer says whether it ends', () => {
  const card = { components: [{ type: 'BODY', text: 'Bread {{1}}' }, 5] };
  const parts = (more: Record<string, unknown>[]) => readParts(templateOf({ components: more }));
  const body = [{ position: 1, name: null, example: null }];
  expect(parts([{ type: 'CAROUSEL', cards: [card, null] }]).cards).toEqual([
    { header: null, body, buttons: [] },
    { header: null, body: [], buttons: [] },
  ]);
  expect(parts([]).cards).toEqual([]);
  const endsOffer = (offer: unknown) =>
    parts([{ type: 'LIMITED_TIME_OFFER', limited_time_offer: offer }]).endsOffer;
  expect([{ has_expiration: true }, {}, null, { has_expiration: false }].map(endsOffer)).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(parts([]).endsOffer).toBe(false);
});

test('a product header and a flow button', () => {
  const { header, buttons } = readParts(
    templateOf({
      components: [
        { type: 'HEADER', format: 'PRODUCT' },
        { type: 'BUTTONS', buttons: [{ type: 'FLOW' }, { type: 'CATALOG' }, { type: 'MPM' }] },
      ],
    }),
  );
  expect(header?.variables.map(({ name }) => name)).toEqual(['product_id', 'catalog_id']);
  expect(buttons).toMatchObject([
    { index: 0, fills: 'flow', isNeeded: false, defaultValue: 'unused' },
    { index: 1, fills: 'catalog', isNeeded: false, defaultValue: '' },
    { index: 2, fills: 'mpm', isNeeded: true },
  ]);
});
