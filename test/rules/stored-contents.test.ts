/** The content of a send, as it is stored, and its properties. */
import { describe, expect, test } from '@jest/globals';
import {
  isAudioOrVideo,
  isUnfilled,
  readContent,
  readMessageType,
  tierFor,
} from '../../src/rules/messages/content.ts';
import type { Action } from '../../src/rules/messages/interactive.ts';

const text = { type: 'text' as const, text: 'Hello' };
const media = (mediaType: 'image' | 'audio' | 'video' | 'document') => ({
  type: 'media' as const,
  mediaType,
  url: 'https://files.example/a',
  caption: null,
  filename: null,
});
const named = { name: 'order_ready', language: 'en_US' };
const filled = { type: 'template' as const, template: { ...named, header: [], body: [], buttons: [] } };
const unfilled = { type: 'template' as const, template: { ...named, variables: null } };

const interactive = (action: Action) =>
  ({ type: 'interactive', text: 'When?', header: null, footer: 'Harbour', action }) as const;
const row = { id: 'a', title: 'A', description: null };

describe('a content', () => {
  test.each([
    [text],
    [media('image')],
    [media('audio')],
    [media('video')],
    [media('document')],
    [{ ...media('document'), caption: 'The menu', filename: 'menu.pdf' }],
    [filled],
    [unfilled],
    [{ ...text, showsPreview: true as const, replyTo: 'wamid.1', tag: 'human_agent' as const }],
    [interactive({ type: 'buttons', buttons: [{ id: 'a', title: 'A' }] })],
    [interactive({ type: 'list', button: 'Choose', sections: [{ title: null, rows: [row] }] })],
    [interactive({ type: 'url', title: 'Open', url: 'https://example.com' })],
    [interactive({ type: 'location_request' })],
    [{ ...media('audio'), isVoice: true as const }],
    [{ type: 'location' as const, latitude: 53.5, longitude: 9.9, name: 'Bakery', address: null }],
    [
      {
        type: 'contacts' as const,
        contacts: [
          {
            name: 'Ada',
            firstName: null,
            lastName: null,
            phones: [{ phone: '1', type: null, waId: null }],
            emails: [],
            organization: null,
          },
        ],
      },
    ],
    [{ type: 'reaction' as const, to: 'wamid.1', emoji: '' }],
  ])('is read back unchanged: %j', (content) => {
    expect(readContent(content)).toEqual(content);
  });

  test.each([
    [null],
    ['text'],
    [{}],
    [{ type: 'rocket' }],
    [{ type: 'interactive', text: 'When?', action: { type: 'carousel' } }],
    [{ ...text, text: 7 }],
    [{ ...media('image'), mediaType: 'gif' }],
    [{ type: 'reaction', emoji: 'x' }],
    [{ type: 'location', latitude: '53' }],
    [{ ...media('image'), url: null }],
    [{ type: 'template' }],
    [{ type: 'template', template: { name: 'order_ready' } }],
  ])('is invalid: %j', (stored) => {
    expect(() => readContent(stored)).toThrow(new Error('content of an unknown kind'));
  });
});

test.each([
  [text, 'text', false, 'starter'],
  [media('image'), 'image', false, 'pro'],
  [media('audio'), 'audio', true, 'pro'],
  [media('video'), 'video', true, 'pro'],
  [media('document'), 'document', false, 'pro'],
  [filled, 'template', false, 'starter'],
  [interactive({ type: 'location_request' }), 'interactive', false, 'starter'],
])('%j is a message of the type %s', (content, type, isSlow, tier) => {
  expect([readMessageType(content), isAudioOrVideo(content), tierFor(content.type)]).toEqual([
    type,
    isSlow,
    tier,
  ]);
});

test('only a template that was unknown at the request must be looked up', () => {
  expect([text, media('image'), filled, unfilled].map(isUnfilled)).toEqual([false, false, false, true]);
});
