/** What an owner of an earlier build must not be asked to send. [faults: 401] */
import { expect, test } from '@jest/globals';
import type { Content } from '../../src/rules/messages/content.ts';
import { featuresOf, isContentFeature } from '../../src/rules/messages/content-features.ts';

const file = { type: 'media', mediaType: 'audio', caption: null, filename: null } as const;
const filled = { name: 'order_ready', language: 'de', header: [], body: [], buttons: [] };
const template = (more: object): Content => ({ type: 'template', template: { ...filled, ...more } });
const unfilled = (variables: object | null): Content => ({
  type: 'template',
  template: { name: 'order_ready', language: 'de', variables },
});
const button = { index: 0, value: 'v' };
const action = { type: 'location_request' } as const;

test.each<[Content, string[]]>([
  [{ type: 'text', text: 'Hi' }, []],
  [{ type: 'text', text: 'Hi', showsPreview: true }, ['preview']],
  [{ type: 'text', text: 'Hi', replyTo: 'wamid.1', tag: 'human_agent' }, ['reply_to', 'tag']],
  [{ ...file, url: 'https://files.example/a' }, []],
  [{ ...file, url: 'https://files.example/a', isVoice: true }, ['voice']],
  [{ ...file, uploadedId: '1', isVoice: true }, ['voice', 'upload']],
  [{ type: 'interactive', text: 'Hi', header: null, footer: null, action }, ['interactive']],
  [{ type: 'location', latitude: 1, longitude: 2, name: null, address: null }, ['location']],
  [{ type: 'contacts', contacts: [] }, ['contacts']],
  [{ type: 'reaction', to: 'wamid.1', emoji: '' }, ['reaction']],
  [template({}), []],
  [template({ cards: [], offerEndsAt: 5 }), ['cards', 'offer']],
  [template({ buttons: [{ ...button, fills: 'mpm' }] }), ['products']],
  [template({ buttons: [{ ...button, fills: 'catalog' }] }), ['products']],
  [template({ buttons: [{ ...button, fills: 'url' }] }), []],
  [template({ header: [{ type: 'product', productId: 'p', catalogId: 'c' }] }), ['products']],
  [template({ header: [{ type: 'document', link: 'https://files.example/d' }] }), []],
  [
    template({ header: [{ type: 'document', link: 'https://files.example/d', filename: 'd' }] }),
    ['filename'],
  ],
  [template({ header: [{ type: 'image', link: 'https://files.example/i' }] }), []],
  [unfilled(null), []],
  [unfilled({}), []],
  [unfilled({ cards: null, offer_expires_at: null, buttons: [button] }), []],
  [unfilled({ cards: [], offer_expires_at: '2026-12-01T00:00:00Z' }), ['cards', 'offer']],
  [unfilled({ buttons: [{ ...button, sections: [] }] }), ['products']],
  [unfilled({ buttons: [{ ...button, sections: null }] }), []],
])('%j has %j', (content, features) => {
  expect(featuresOf(content)).toEqual(features);
  expect(features.filter((name) => !isContentFeature(name))).toEqual([]);
});

test.each(['text', 'constructor', ''])('%j is no feature', (name) => {
  expect(isContentFeature(name)).toBe(false);
});
