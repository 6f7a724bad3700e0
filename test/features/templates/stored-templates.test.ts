/** A template send, as it is stored: read back unchanged, or not at all. */
import { describe, expect, test } from '@jest/globals';
import { readFilledTemplate } from '../../../src/rules/templates/read-filled.ts';
import type { Json } from '../../../src/kernel/json.ts';

const text = { type: 'text', name: null, text: 'Mia' };
const place = { type: 'location', latitude: '53.5', longitude: '9.9', name: 'Bakery', address: 'Pier 7' };
const button = { index: 0, fills: 'url', value: 'A' };
const filled = { name: 'order_ready', language: 'en_US', header: [text], body: [text], buttons: [button] };
const unfilled = { name: 'order_ready', language: 'en_US', variables: null };

function without(from: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));
}

describe('a filled template', () => {
  test.each<[string, Json]>([
    ['with texts and a link', filled],
    ['with nothing to fill', { ...filled, header: [], body: [], buttons: [] }],
    ['with names', { ...filled, body: [{ ...text, name: 'first_name' }] }],
    ['with a place', { ...filled, header: [place] }],
    ['with a named document', { ...filled, header: [{ type: 'document', link: 'https://files.example/menu', filename: 'menu.pdf' }] }], // oxfmt-ignore
    ...['image', 'video', 'document'].map((type): [string, Json] => [
      `with a file of the type ${type}`,
      { ...filled, header: [{ type, link: 'https://files.example/menu' }] },
    ]),
    ...['url', 'quick_reply', 'copy_code', 'flow'].map((fills): [string, Json] => [
      `with a button that takes a ${fills}`,
      { ...filled, buttons: [{ ...button, fills }] },
    ]),
  ])('%s is read back unchanged', (_, stored) => {
    expect(readFilledTemplate(stored)).toEqual(stored);
  });

  test.each<[string, Json]>([
    ['without a name', without(filled, 'name')],
    ['without a language', without(filled, 'language')],
    ['with a header that is nothing', { ...filled, header: [null] }],
    ['with a header of another type', { ...filled, header: [{ ...text, type: 'hologram' }] }],
    ['with a file without its link', { ...filled, header: [{ type: 'image' }] }],
    ...['latitude', 'longitude', 'name', 'address'].map((name): [string, Json] => [
      `with a place without its ${name}`,
      { ...filled, header: [without(place, name)] },
    ]),
    ['with one text of two', { ...filled, body: [text, { ...text, text: 7 }] }],
    ['with a file in the body', { ...filled, body: [{ type: 'image', link: 'x', text: 'x' }] }],
    ['with a button at no place', { ...filled, buttons: [{ ...button, index: '0' }] }],
    ['with a button without its value', { ...filled, buttons: [without(button, 'value')] }],
    ['with a button that takes something else', { ...filled, buttons: [{ ...button, fills: 'x' }] }],
  ])('%s is invalid', (_, stored) => {
    expect(readFilledTemplate(stored)).toBeNull();
  });
});

describe('a template that must still be looked up', () => {
  test.each<[string, unknown]>([
    ['without variables', null],
    ['with lists', { header: ['Bakery'], body: ['Mia', 'A'], buttons: [{ index: 0, value: 'A' }] }],
    ['with names', { header: null, body: { first_name: 'Mia' }, buttons: [] }],
  ])('%s is read back unchanged', (_, variables) => {
    expect(readFilledTemplate({ ...unfilled, variables })).toEqual({ ...unfilled, variables });
  });

  test('drops what is neither a text nor a button', () => {
    const variables = {
      header: ['Bakery', 7],
      body: { first_name: 'Mia', age: 7 },
      buttons: [{ index: '0', value: 'A' }, { index: 0, value: 7 }, null, { index: 1, value: 'B' }],
    };
    expect(readFilledTemplate({ ...unfilled, variables })).toEqual({
      ...unfilled,
      variables: { header: ['Bakery'], body: { first_name: 'Mia' }, buttons: [{ index: 1, value: 'B' }] },
    });
  });

  test.each(['name', 'language'])('without its %s is invalid', (name) => {
    expect(readFilledTemplate(without(unfilled, name))).toBeNull();
  });
});
