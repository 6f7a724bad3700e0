/** What a person can send on each channel type, and the event data that the client gets. [spec: message.received data; upstream §4.2, §4.7, §4.8] */
import { expect } from '@jest/globals';
import type { ChannelType } from './world.ts';

/** Upstream's message type, and the members of `data` that the client gets. */
type Row = [string, Record<string, unknown>];
const words = (text: string): Record<string, unknown> => ({ type: 'text', text });
const unsupported = (name: string): Record<string, unknown> => ({
  type: 'unsupported',
  unsupported_type: name,
});
const pressed = (name: string): Record<string, unknown> => ({ ...unsupported(name), text: 'Hello' });
const file = (type: string): Record<string, unknown> => ({
  type,
  media: expect.objectContaining({ media_id: expect.any(String), mime_type: expect.any(String) }),
});

export const inboundRows: Record<ChannelType, Row[]> = {
  chatapp: [
    ['image', file('image')],
    ['video', file('video')],
    ['audio', file('audio')],
    ['document', file('document')],
    ['sticker', file('sticker')],
    ['location', unsupported('location')],
    ['contacts', unsupported('contacts')],
    ['order', unsupported('order')],
    ['request_welcome', unsupported('request_welcome')],
    ['unsupported', unsupported('unsupported')],
    ['a_type_of_next_year', unsupported('a_type_of_next_year')],
    ['button', pressed('button')],
    ['interactive', pressed('interactive')],
  ],
  photoapp: [
    ['image', file('image')],
    ['audio', file('audio')],
    ['video', file('video')],
    ['file', file('document')],
    ['share', unsupported('share')],
    ['ig_post', unsupported('ig_post')],
    ['ig_reel', unsupported('ig_reel')],
    ['story_mention', unsupported('story_mention')],
    ['template', unsupported('template')],
    ['fallback', unsupported('fallback')],
    ['unsupported', unsupported('unsupported')],
    ['story_reply', words('Hello')],
    ['postback', pressed('postback')],
  ],
  pagechat: [
    ['image', file('image')],
    ['audio', file('audio')],
    ['video', file('video')],
    ['file', file('document')],
    ['sticker', file('image')],
    ['location', unsupported('location')],
    ['fallback', unsupported('fallback')],
    ['template', unsupported('template')],
    ['share', unsupported('share')],
    ['unsupported', unsupported('unsupported')],
    ['quick_reply', words('Hello')],
    ['postback', pressed('postback')],
  ],
};

/** Upstream's message types that make no event. [spec: message.received data, rule 6; operator-interface §4] */
export const typesWithoutEvent: Record<ChannelType, string[]> = {
  chatapp: ['reaction', 'edit', 'revoke', 'system'],
  photoapp: ['reaction', 'edit', 'delete', 'referral'],
  pagechat: ['reaction', 'edit', 'referral', 'optin'],
};
