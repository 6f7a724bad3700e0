/** An event read again: from the bytes of a delivery, from an id, from a list. */
import { describe, expect, test } from '@jest/globals';
import { makeDeliveryId, readAbout } from '../../src/domain/events/built.ts';
import type { Envelope } from '../../src/domain/events/built.ts';
import { mediaBlock, unsupportedBlock } from '../../src/domain/events/content-blocks.ts';
import type { MediaResult } from '../../src/domain/events/content-blocks.ts';
import { envelopeIn } from '../../src/domain/events/envelope-in.ts';
import { redactEventContent } from '../../src/domain/events/redact-content.ts';
import { hopHeader } from '../../src/domain/webhooks/hop.ts';
import { previousSecretMs } from '../../src/domain/webhooks/signature.ts';
import { partBefore, receivedEvents } from '../../src/domain/events/received.ts';
import { deliveryEvents, eventTypes } from '../../src/domain/events/table.ts';
import { channelTypes } from '../../src/domain/vocabulary.ts';
import { channelOf, fileOf, inboundOf, newYear } from './samples.ts';

const envelope: Envelope = {
  event: 'message.received',
  channel_id: 'channel-1',
  channel_type: 'chatapp',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { message_id: 'm-1', from: '4915900000777', type: 'text', text: 'Hello' },
};
const bytesOf = (said: unknown): Uint8Array => Buffer.from(JSON.stringify(said));

describe('the bytes of a delivery', () => {
  test.each(eventTypes)('say the event that they were made of: %s', (event) => {
    expect(envelopeIn(bytesOf({ ...envelope, event }))).toEqual({ ...envelope, event });
  });

  test.each(channelTypes)('say the type of its channel: %s', (channelType) => {
    expect(envelopeIn(bytesOf({ ...envelope, channel_type: channelType }))?.channel_type).toBe(channelType);
  });

  test('keep the members in the order of the contract, and nothing beside them', () => {
    const { data, ...rest } = envelope;
    expect(JSON.stringify(envelopeIn(bytesOf({ data, more: 1, ...rest })))).toBe(JSON.stringify(envelope));
  });

  test.each([
    [null],
    ['event'],
    [[envelope]],
    [{ ...envelope, event: 'webhook.test' }],
    [{ ...envelope, channel_type: 'pigeon' }],
    [{ ...envelope, channel_id: 7 }],
    [{ ...envelope, timestamp: 7 }],
    [{ ...envelope, data: null }],
    [{ ...envelope, data: 'text' }],
    [{ ...envelope, data: [] }],
  ])('say none: %j', (said) => {
    expect(envelopeIn(bytesOf(said))).toBeNull();
  });

  test('that are no JSON say none', () => {
    expect(envelopeIn(Buffer.from('{"event"'))).toBeNull();
  });
});

describe('whom an event is about', () => {
  test.each([
    ['who wrote', { from: '49', type: 'image' }, { person: '49', messageType: 'image' }],
    ['who was written to', { recipient: '49', type: 'text' }, { person: '49', messageType: 'text' }],
    ['whose status it is', { recipient: '49', status: 'read' }, { person: '49', messageType: null }],
    ['nobody', {}, { person: null, messageType: null }],
    ['what is no text', { from: 49, type: {} }, { person: null, messageType: null }],
  ])('%s', (_, data, about) => {
    expect(readAbout({ ...envelope, data })).toEqual(about);
  });
});

describe('the part before one of a message with several', () => {
  test.each([
    ['m-1', null],
    ['m-1.2', 'm-1'],
    ['m-1.3', 'm-1.2'],
    ['a.b.12', 'a.b.11'],
  ])('of %s is %j', (messageId, before) => {
    expect(partBefore(messageId)).toBe(before);
  });
});

describe('what upstream tells again of a message', () => {
  test('is a delivery of its own', () => {
    const ids = [undefined, 1, 2].map((again) => makeDeliveryId('c', 'm', 'message.received', again));
    expect(new Set(ids).size).toBe(3);
  });

  test('is told as such, and what is told first is not', () => {
    const channel = channelOf('chatapp');
    expect(receivedEvents(channel, 'pro', inboundOf({ again: 2 })).map(({ again }) => again)).toEqual([2]);
    expect('again' in (receivedEvents(channel, 'pro', inboundOf())[0] ?? {})).toBe(false);
  });
});

describe('a file', () => {
  const fetched: MediaResult = {
    result: 'fetched',
    mediaId: 'media-1',
    mimeType: 'video/mp4',
    fileSize: 7,
    filename: 'stored.bin',
    sha256: 'abc=',
    durationMs: 3_500,
    downloadUrl: 'https://svc.example/media-1',
    expiresAt: newYear,
  };
  const failed: MediaResult = { result: 'failed', mediaId: 'media-1', error: 'No', failedAt: newYear };

  test.each([
    ['audio', 3_500],
    ['video', 3_500],
    ['image', null],
    ['document', null],
    ['sticker', null],
  ] as const)('of the type %s has the duration %j', (type, duration) => {
    expect(mediaBlock(type, fileOf(), fetched, true)['duration_ms']).toBe(duration);
  });

  test.each<[string, MediaResult, string | null, string | null]>([
    ['upstream’s name', fetched, 'plan.pdf', 'plan.pdf'],
    ['the name it came with, where upstream says none', fetched, null, 'stored.bin'],
    ['no name, where it did not come', failed, null, null],
  ])('that is a document has %s', (_, result, filename, name) => {
    expect(mediaBlock('document', fileOf({ filename }), result, true)['filename']).toBe(name);
  });

  test('that did not come is of no known type where upstream says none', () => {
    expect(mediaBlock('image', fileOf(), failed, true)['mime_type']).toBe('application/octet-stream');
  });

  test('that nobody has fetched says so', () => {
    const inbound = inboundOf({ parts: [{ type: 'image', file: fileOf() }] });
    const [event] = receivedEvents(channelOf('chatapp'), 'pro', inbound);
    expect(event?.data['media']).toMatchObject({
      error: 'The file could not be downloaded from upstream',
      expires_at: '2026-01-01T00:00:00.000Z',
    });
  });
});

test('the delivery log tells of every event, and of the one that a receiver is tried with', () => {
  expect(deliveryEvents).toEqual([...eventTypes, 'webhook.test']);
});

test('the types of channels are those of the contract', () => {
  expect(channelTypes).toEqual(['chatapp', 'photoapp', 'pagechat']);
});

describe('what is no file', () => {
  test('is told by upstream’s name of it', () => {
    expect(unsupportedBlock({ type: 'unsupported', unsupportedType: 'order' })).toStrictEqual({
      type: 'unsupported',
      unsupported_type: 'order',
    });
  });

  test('is told with what a person chose', () => {
    expect(
      unsupportedBlock({ type: 'unsupported', unsupportedType: 'interactive', text: 'Yes' }),
    ).toStrictEqual({ type: 'unsupported', unsupported_type: 'interactive', text: 'Yes' });
  });
});

test('an event without its words is the same event otherwise', () => {
  expect(redactEventContent(envelope)).toEqual({
    ...envelope,
    data: { ...envelope.data, text: '(5 characters, not shown)' },
  });
  expect(envelope.data['text']).toBe('Hello');
});

test('a secret signs beside the next one for a day [operator-interface §4, rotation]', () => {
  expect(previousSecretMs).toBe(86_400_000);
});

test('requests of ours are known by a header', () => {
  expect(hopHeader).toBe('x-trunkline-hop');
});
