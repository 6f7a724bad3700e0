/** An event that is read from the bytes of a delivery, from an id, or from a list. */
import { describe, expect, test } from '@jest/globals';
import { makeDeliveryId, readAbout, envelopeIn } from '../../src/rules/events/built.ts';
import type { Envelope } from '../../src/rules/events/built.ts';
import { mediaBlock, unsupportedBlock } from '../../src/rules/events/content-blocks.ts';
import type { MediaResult } from '../../src/rules/events/content-blocks.ts';
import { hopHeader } from '../../src/rules/webhooks/url.ts';
import { previousSecretMs } from '../../src/rules/webhooks/signature.ts';
import { partBefore, receivedEvents } from '../../src/rules/events/received.ts';
import { deliveryEvents, eventTypes } from '../../src/rules/events/table.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';
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
  test.each(eventTypes)('contain the event of which they were made: %s', (event) => {
    expect(envelopeIn(bytesOf({ ...envelope, event }))).toEqual({ ...envelope, event });
  });

  test.each(channelTypes)('contain the type of the channel: %s', (channelType) => {
    expect(envelopeIn(bytesOf({ ...envelope, channel_type: channelType }))?.channel_type).toBe(channelType);
  });

  test('keep the members in the order of the contract, and have no others', () => {
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
  ])('contain no event: %j', (said) => {
    expect(envelopeIn(bytesOf(said))).toBeNull();
  });

  test('that are no JSON contain no event', () => {
    expect(envelopeIn(Buffer.from('{"event"'))).toBeNull();
  });
});

describe('the person of an event', () => {
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

describe('the part before a part of a message', () => {
  test.each([
    ['m-1', null],
    ['m-1.2', 'm-1'],
    ['m-1.3', 'm-1.2'],
    ['a.b.12', 'a.b.11'],
  ])('of %s is %j', (messageId, before) => {
    expect(partBefore(messageId)).toBe(before);
  });
});

describe('a repeated event of a message', () => {
  test('is another delivery', () => {
    const ids = [undefined, 1, 2].map((again) => makeDeliveryId('c', 'm', 'message.received', again));
    expect(new Set(ids).size).toBe(3);
  });

  test('is recognized as such, and a first one is not', () => {
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

  test('that is missing has no known type if upstream gives none', () => {
    expect(mediaBlock('image', fileOf(), failed, true)['mime_type']).toBe('application/octet-stream');
  });

  test('that was never fetched has an error', () => {
    const inbound = inboundOf({ parts: [{ type: 'image', file: fileOf() }] });
    const [event] = receivedEvents(channelOf('chatapp'), 'pro', inbound);
    expect(event?.data['media']).toMatchObject({
      error: 'The file could not be downloaded from upstream',
      expires_at: '2026-01-01T00:00:00.000Z',
    });
  });
});

test('the delivery log names every event, and the webhook test', () => {
  expect(deliveryEvents).toEqual([...eventTypes, 'webhook.test']);
});

test('the channel types are those of the contract', () => {
  expect(channelTypes).toEqual(['chatapp', 'photoapp', 'pagechat']);
});

describe('a message that is no file', () => {
  test("has upstream's name of its type", () => {
    expect(unsupportedBlock({ type: 'unsupported', unsupportedType: 'order' })).toStrictEqual({
      type: 'unsupported',
      unsupported_type: 'order',
    });
  });

  test('has what a person chose', () => {
    expect(
      unsupportedBlock({ type: 'unsupported', unsupportedType: 'interactive', text: 'Yes' }),
    ).toStrictEqual({ type: 'unsupported', unsupported_type: 'interactive', text: 'Yes' });
  });
});

test('a previous secret signs for a day next to the new one [operator-interface §4, rotation]', () => {
  expect(previousSecretMs).toBe(86_400_000);
});

test('our own requests are recognized by a header', () => {
  expect(hopHeader).toBe('x-trunkline-hop');
});
