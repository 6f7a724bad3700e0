import { describe, expect, test } from '@jest/globals';
import {
  samplePageDelivery,
  samplePageEcho,
  samplePageMessage,
  samplePageRead,
  samplePhotoMessage,
} from './samples/threads.ts';
import type { Part } from '../../src/rules/messages/facts.ts';
import { onlyFact, parse, parseText } from './support.ts';

const page = { channelType: 'pagechat', identity: '520000000000005' } as const;
const photo = { channelType: 'photoapp', identity: '17840000000000006' } as const;

const fromPerson = {
  sender: { id: '8800000000000001' },
  recipient: { id: page.identity },
  timestamp: 1767225599900,
};
const fromFollower = {
  sender: { id: '9900000000000007' },
  recipient: { id: photo.identity },
  timestamp: 1767225600000,
};

const pagePost = (...items: unknown[]) => ({
  object: 'page',
  entry: [{ id: page.identity, time: 1767225600123, messaging: items }],
});
const photoPost = (...items: unknown[]) => ({
  object: 'instagram',
  entry: [{ id: photo.identity, time: 1767225600123, messaging: items }],
});
const at = (url: string | null) => ({
  mediaId: null,
  url,
  mimeType: null,
  filename: null,
  sha256: null,
  voice: false,
});
const unsupported = (unsupportedType: string): Part => ({ type: 'unsupported', unsupportedType });
const ignoredOne = { facts: [], malformed: 0, ignored: 1 };

describe('an inbound pagechat message', () => {
  test('a message with text, quick reply and quote is a text with its button and what it answers', () => {
    const message = {
      mid: 'm_IN0001',
      text: 'Hello',
      reply_to: { mid: 'm_OLD1' },
      quick_reply: { payload: 'HOURS' },
    };
    expect(onlyFact(pagePost({ ...fromPerson, message }))).toEqual({
      kind: 'inbound',
      ...page,
      upstreamId: 'm_IN0001',
      from: '8800000000000001',
      fromName: null,
      at: 1767225599900,
      caption: null,
      parts: [{ type: 'text', text: 'Hello', button: { id: 'HOURS', title: 'Hello' } }],
      replyTo: { upstreamId: 'm_OLD1' },
    });
  });

  test('a message with several attachments is one fact with ordered parts, and its text is the caption', () => {
    expect(onlyFact(samplePageMessage)).toMatchObject({
      upstreamId: 'm_IN0002',
      caption: 'two pictures',
      parts: [
        { type: 'image', file: at('https://scontent.xx.fbcdn.net/v/t1/1.jpg?oe=inv') },
        { type: 'image', file: at('https://scontent.xx.fbcdn.net/v/t1/2.jpg?oe=inv') },
      ],
    });
  });

  test.each<[string, unknown, Part]>([
    ['image', { type: 'image', payload: { url: 'https://c/1' } }, { type: 'image', file: at('https://c/1') }],
    ['audio', { type: 'audio', payload: { url: 'https://c/1' } }, { type: 'audio', file: at('https://c/1') }],
    ['video', { type: 'video', payload: { url: 'https://c/1' } }, { type: 'video', file: at('https://c/1') }],
    [
      'file',
      { type: 'file', payload: { url: 'https://c/1' } },
      { type: 'document', file: at('https://c/1') },
    ],
    ['image without payload', { type: 'image', payload: null }, { type: 'image', file: at(null) }],
    [
      'sticker',
      { type: 'sticker', payload: { url: 'https://c/s', sticker_id: 369239263222822 } },
      { type: 'image', file: at('https://c/s') },
    ],
    ['sticker without url', { type: 'sticker', payload: { sticker_id: 1 } }, unsupported('sticker')],
    ['fallback', { type: 'fallback', payload: { url: 'https://l', title: 't' } }, unsupported('fallback')],
    ['older fallback', { type: 'fallback', title: 't', url: 'https://l' }, unsupported('fallback')],
    [
      'location',
      { type: 'location', payload: { coordinates: { lat: 1, long: 2 } } },
      unsupported('location'),
    ],
    ['template', { type: 'template', payload: {} }, unsupported('template')],
    ['reel', { type: 'reel', payload: { url: 'https://c/r' } }, unsupported('reel')],
    ['unknown kind', { type: 'hologram' }, unsupported('hologram')],
    ['nameless kind', {}, unsupported('unsupported')],
  ])('the attachment is read: %s', (_, attachment, part) => {
    expect(
      onlyFact(pagePost({ ...fromPerson, message: { mid: 'm', attachments: [attachment] } })),
    ).toMatchObject({
      parts: [part],
    });
  });

  test('a sticker and the image attachment with the same sticker id are one picture', () => {
    const attachments = [
      { type: 'image', payload: { url: 'https://c/s', sticker_id: 369239263222822 } },
      { type: 'sticker', payload: { url: 'https://c/s', sticker_id: 369239263222822 } },
      { type: 'image', payload: { url: 'https://c/other' } },
    ];
    expect(onlyFact(pagePost({ ...fromPerson, message: { mid: 'm', attachments } }))).toMatchObject({
      parts: [
        { type: 'image', file: at('https://c/s') },
        { type: 'image', file: at('https://c/other') },
      ],
    });
  });

  test('a message in standby is inbound', () => {
    const message = { mid: 'm_S', text: 'Hi' };
    const post = {
      object: 'page',
      entry: [{ id: page.identity, time: 1, standby: [{ ...fromPerson, message }] }],
    };
    expect(onlyFact(post)).toMatchObject({
      kind: 'inbound',
      upstreamId: 'm_S',
      parts: [{ type: 'text', text: 'Hi' }],
    });
  });

  test('a pressed button becomes a part with its title', () => {
    const postback = { mid: 'm_P', title: 'Opening hours', payload: 'HOURS' };
    expect(onlyFact(pagePost({ ...fromPerson, postback }))).toMatchObject({
      kind: 'inbound',
      upstreamId: 'm_P',
      parts: [{ type: 'unsupported', unsupportedType: 'postback', text: 'Opening hours' }],
    });
  });

  test.each([
    ['seconds', { timestamp: 1767225599 }, 1767225599000],
    ["the entry's time when it has none", { timestamp: undefined }, 1767225600123],
  ])('the time is read: %s', (_, members, expected) => {
    expect(onlyFact(pagePost({ ...fromPerson, ...members, message: { mid: 'm', text: 'a' } }))).toMatchObject(
      {
        at: expected,
      },
    );
  });

  test('ids written as long numbers keep every digit', () => {
    const text = JSON.stringify(pagePost({ ...fromPerson, message: { mid: 'm', text: '12345678901234567' } }))
      .replace('"id":"8800000000000001"', '"id":98800000000000001')
      .replace('"timestamp":1767225599900', '"timestamp":1767225599900.5');
    expect(parseText(text).facts[0]).toMatchObject({
      from: '98800000000000001',
      at: 1767225599900,
      parts: [{ type: 'text', text: '12345678901234567' }],
    });
  });

  test.each([
    ['no mid', { ...fromPerson, message: { text: 'a' } }],
    ['no sender', { ...fromPerson, sender: {}, message: { mid: 'm', text: 'a' } }],
    ['a message that is text', { ...fromPerson, message: 'a' }],
    ['a read without a watermark', { ...fromPerson, read: {} }],
    ['a delivery without a watermark', { ...fromPerson, delivery: { mids: [] } }],
    ['null', null],
    ['a list', []],
  ])('an item is malformed: %s', (_, item) => {
    expect(parse(pagePost(item))).toEqual({ facts: [], malformed: 1, ignored: 0 });
  });
});

describe('pagechat echoes and receipts', () => {
  test('an echo carries app and tag', () => {
    expect(onlyFact(samplePageEcho)).toEqual({
      kind: 'echo',
      ...page,
      upstreamId: 'm_OUT0001',
      recipient: '8800000000000001',
      at: 1767225610000,
      appId: '700100200300400',
      tag: '5b0a7c1e-0000-4000-8000-000000000002',
      caption: null,
      parts: [{ type: 'text', text: 'We are open.' }],
    });
  });

  test('an echo of the inbox has neither app nor tag', () => {
    const message = { is_echo: true, mid: 'm_E', text: 'a' };
    const item = {
      sender: { id: page.identity },
      recipient: { id: '88' },
      timestamp: 1767225610000,
      message,
    };
    expect(onlyFact(pagePost(item))).toMatchObject({ kind: 'echo', recipient: '88', appId: null, tag: null });
  });

  test('a delivery with mids becomes one receipt for each', () => {
    const delivery = { mids: ['m_1', 'm_2'] };
    const { facts } = parse(pagePost({ ...fromPerson, delivery }));
    expect(facts).toEqual(
      ['m_1', 'm_2'].map((upstreamId) => ({
        kind: 'receipt',
        ...page,
        status: 'delivered',
        upstreamId,
        tag: null,
        recipient: '8800000000000001',
        at: 1767225599900,
        errors: [],
      })),
    );
  });

  test('a delivery with mids and a watermark covers both', () => {
    expect(parse(samplePageDelivery).facts).toMatchObject([
      { kind: 'receipt', upstreamId: 'm_OUT0001' },
      { kind: 'conversation-receipt', status: 'delivered', upTo: expect.any(Number) },
    ]);
  });

  test('a delivery without mids covers everything up to its watermark', () => {
    expect(onlyFact(pagePost({ ...fromPerson, delivery: { watermark: 1767225610 } }))).toEqual({
      kind: 'conversation-receipt',
      ...page,
      status: 'delivered',
      recipient: '8800000000000001',
      upTo: 1767225610000,
      upToUpstreamId: null,
      at: 1767225599900,
    });
  });

  test('a read covers everything up to its watermark', () => {
    expect(onlyFact(samplePageRead)).toEqual({
      kind: 'conversation-receipt',
      ...page,
      status: 'read',
      recipient: '8800000000000001',
      upTo: 1767225639000,
      upToUpstreamId: null,
      at: 1767225640000,
    });
  });

  test.each([
    ['reaction', { reaction: { mid: 'm', action: 'react', reaction: 'love', emoji: '❤' } }],
    ['edit', { message_edit: { mid: 'm', text: 'b', num_edit: 1 } }],
    ['referral', { referral: { ref: 'r', source: 'SHORTLINK', type: 'OPEN_THREAD' } }],
    ['opt-in', { optin: { ref: 'r' } }],
    ['thread control', { pass_thread_control: { new_owner_app_id: '1', metadata: '' } }],
    ['account linking', { account_linking: { status: 'linked' } }],
    ['event of an unknown kind', { hologram: {} }],
  ])('a %s is ignored', (_, members) => {
    expect(parse(pagePost({ ...fromPerson, ...members }))).toEqual(ignoredOne);
  });

  test('changes of the page itself are ignored', () => {
    const post = {
      object: 'page',
      entry: [{ id: page.identity, time: 1, changes: [{ field: 'feed', value: {} }] }],
    };
    expect(parse(post)).toEqual(ignoredOne);
  });
});

describe('photoapp events', () => {
  test('a story reply is a text', () => {
    expect(onlyFact(samplePhotoMessage)).toEqual({
      kind: 'inbound',
      ...photo,
      upstreamId: 'aWdfZAG1faXRlbToinv1',
      from: '9900000000000007',
      fromName: null,
      at: 1767225600000,
      caption: null,
      parts: [{ type: 'text', text: 'Nice cakes!' }],
      replyTo: {
        story: { id: '18000000000000001', url: 'https://lookaside.fbsbx.com/ig_messaging_cdn/?asset_id=1' },
      },
    });
  });

  test.each<[string, object, Part]>([
    [
      'a story mention',
      { attachments: [{ type: 'story_mention', payload: { url: 'https://lookaside/2' } }] },
      unsupported('story_mention'),
    ],
    [
      'a shared reel',
      {
        attachments: [
          { type: 'ig_reel', payload: { reel_video_id: '18000000000000002', title: 'B', url: 'https://l' } },
        ],
      },
      unsupported('ig_reel'),
    ],
    ['a share', { attachments: [{ type: 'share', payload: { url: 'https://l' } }] }, unsupported('share')],
    ['a post', { attachments: [{ type: 'ig_post', payload: { url: 'https://l' } }] }, unsupported('ig_post')],
    [
      'a post in both forms: the newer one, which tells all that the other does',
      {
        attachments: [
          { type: 'share', payload: { url: 'https://l' } },
          {
            type: 'ig_post',
            payload: { ig_post_media_id: '18000000000000003', title: 'B', url: 'https://l' },
          },
        ],
      },
      unsupported('ig_post'),
    ],
    ['a heart', { attachments: [{ type: 'like_heart' }] }, unsupported('like_heart')],
    ['a view-once picture', { attachments: [{ type: 'ephemeral' }] }, unsupported('ephemeral')],
    ['content that upstream hides', { is_unsupported: true }, unsupported('unsupported')],
    ['hidden content beside a text', { is_unsupported: true, text: 'T' }, unsupported('unsupported')],
    ['no content', {}, unsupported('unsupported')],
    [
      'a picture',
      { attachments: [{ type: 'image', payload: { url: 'https://l' } }] },
      { type: 'image', file: at('https://l') },
    ],
  ])('the content is read: %s', (_, members, part) => {
    expect(onlyFact(photoPost({ ...fromFollower, message: { mid: 'aWdfinv2', ...members } }))).toMatchObject({
      kind: 'inbound',
      parts: [part],
    });
  });

  test.each([
    ['an unsend', { mid: 'aWdfinv1', is_deleted: true }],
    ['an unsend of an echo', { mid: 'aWdfinv1', is_deleted: true, is_echo: true }],
    ['a message of the account to itself', { mid: 'aWdfinv1', is_self: true, text: 'note' }],
  ])('%s is ignored', (_, message) => {
    expect(parse(photoPost({ ...fromFollower, message }))).toEqual(ignoredOne);
  });

  test('an echo has neither app nor tag', () => {
    const message = { mid: 'aWdfinv5', is_echo: true, text: 'Thanks!' };
    const item = {
      sender: { id: photo.identity },
      recipient: { id: '9900000000000007' },
      timestamp: 1767225605000,
      message,
    };
    expect(onlyFact(photoPost(item))).toEqual({
      kind: 'echo',
      ...photo,
      upstreamId: 'aWdfinv5',
      recipient: '9900000000000007',
      at: 1767225605000,
      appId: null,
      tag: null,
      caption: null,
      parts: [{ type: 'text', text: 'Thanks!' }],
    });
  });

  test('a read covers everything up to its message', () => {
    expect(onlyFact(photoPost({ ...fromFollower, read: { mid: 'aWdfinv5' } }))).toEqual({
      kind: 'conversation-receipt',
      ...photo,
      status: 'read',
      recipient: '9900000000000007',
      upTo: null,
      upToUpstreamId: 'aWdfinv5',
      at: 1767225600000,
    });
  });

  test('a test push of upstream’s dashboard is read like any message; comments are ignored', () => {
    const changes = [
      { field: 'messages', value: { ...fromFollower, message: { mid: 'test', text: 'push' } } },
      { field: 'comments', value: { id: '1', text: 'nice' } },
    ];
    const { facts, malformed, ignored } = parse({
      object: 'instagram',
      entry: [{ id: photo.identity, time: 1, changes }],
    });
    expect(facts).toMatchObject([
      { kind: 'inbound', upstreamId: 'test', parts: [{ type: 'text', text: 'push' }] },
    ]);
    expect({ malformed, ignored }).toEqual({ malformed: 0, ignored: 1 });
  });
});
