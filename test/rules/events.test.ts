import { describe, expect, test } from '@jest/globals';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import { builtEvent } from '../../src/rules/events/built.ts';
import type { BuiltEvent } from '../../src/rules/events/built.ts';
import { echoEvents, echoMessageId } from '../../src/rules/events/echo.ts';
import { inboundMessageId, receivedEvents } from '../../src/rules/events/received.ts';
import { statusEvents } from '../../src/rules/events/status.ts';
import type { StatusReport } from '../../src/rules/events/status.ts';
import type { MediaResult } from '../../src/rules/events/content-blocks.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { channelOf, echoOf, fileOf, inboundOf, newYear } from './samples.ts';

const chatapp = channelOf('chatapp');
const photoapp = channelOf('photoapp');

const fetched: MediaResult = {
  result: 'fetched',
  mediaId: 'media-1',
  mimeType: 'audio/ogg',
  fileSize: 2_048,
  filename: 'plan.pdf',
  sha256: 'abc=',
  durationMs: 3_500,
  downloadUrl: 'https://svc.example/api/v1/media/media-1',
  expiresAt: newYear + 3_600_000,
};
const failed: MediaResult = {
  result: 'failed',
  mediaId: 'media-2',
  error: 'gone upstream',
  failedAt: newYear,
};

function received(...[channel, ...more]: Parameters<typeof receivedEvents>): BuiltEvent[] {
  return receivedEvents(channel, ...more).map((event) => builtEvent(channel, event));
}

function echoed(...[channel, echo]: Parameters<typeof echoEvents>): BuiltEvent[] {
  return echoEvents(channel, echo).map((event) => builtEvent(channel, event));
}

function reported(report: StatusReport): BuiltEvent {
  const [event] = statusEvents(chatapp, report);
  if (event === undefined) throw new Error(`no event for ${report.status}`);
  return builtEvent(chatapp, event);
}

/** The `data` of each event, without the common fields. */
function contents(events: { envelope: { data: Record<string, unknown> } }[]): unknown[] {
  return events.map(({ envelope: { data } }) => {
    const content = { ...data };
    for (const field of ['message_id', 'from', 'from_name', 'recipient', 'status']) delete content[field];
    return content;
  });
}

describe('message.received', () => {
  test('a text is one event with exactly the fields of the specification', () => {
    const messageId = idFrom('inbound', chatapp.id, 'wamid.IN0001');
    expect(received(chatapp, 'starter', inboundOf())).toEqual([
      {
        event: 'message.received',
        messageId,
        deliveryId: idFrom('delivery', chatapp.id, messageId, 'message.received'),
        requestId: null,
        upstreamId: 'wamid.IN0001',
        envelope: {
          event: 'message.received',
          channel_id: chatapp.id,
          channel_type: 'chatapp',
          timestamp: '2026-01-01T00:00:00.000Z',
          data: {
            message_id: messageId,
            from: '4915900000777',
            from_name: 'Mia Vogel',
            type: 'text',
            text: 'Hello',
          },
        },
      },
    ]);
  });

  test.each(['photoapp', 'pagechat'] as const)('from_name is always null on %s', (type) => {
    const [event] = received(channelOf(type), 'pro', inboundOf({ channelType: type }));
    expect(event?.envelope.data).toMatchObject({ from_name: null });
  });

  test('the message id is stable for a redelivered message and differs between channels', () => {
    const [first, again] = [received(chatapp, 'pro', inboundOf()), received(chatapp, 'pro', inboundOf())];
    expect(again).toEqual(first);
    expect(inboundMessageId('other', 'wamid.IN0001')).not.toBe(first[0]?.messageId);
  });

  test('several attachments: upstream order, ids with .2 and .3, the caption on the first only', () => {
    const events = received(
      chatapp,
      'starter',
      inboundOf({
        caption: 'three things',
        parts: [
          { type: 'image', file: fileOf() },
          { type: 'sticker', file: fileOf() },
          { type: 'unsupported', unsupportedType: 'location' },
        ],
      }),
    );
    const id = inboundMessageId(chatapp.id, 'wamid.IN0001');
    expect(events.map(({ messageId }) => messageId)).toEqual([id, `${id}.2`, `${id}.3`]);
    expect(new Set(events.map(({ deliveryId }) => deliveryId)).size).toBe(3);
    expect(contents(events)).toEqual([
      { type: 'unsupported', unsupported_type: 'image', upgrade_required: 'pro', caption: 'three things' },
      { type: 'unsupported', unsupported_type: 'sticker', upgrade_required: 'pro' },
      { type: 'unsupported', unsupported_type: 'location' },
    ]);
  });

  test('a voice message on pro: the media block has exactly the fields of the specification', () => {
    const inbound = inboundOf({ parts: [{ type: 'audio', file: fileOf({ voice: true }) }] });
    expect(contents(received(chatapp, 'pro', inbound, [fetched]))).toEqual([
      {
        type: 'audio',
        media: {
          media_id: 'media-1',
          voice: true,
          mime_type: 'audio/ogg',
          file_size: 2_048,
          filename: null,
          sha256: 'abc=',
          duration_ms: 3_500,
          download_url: 'https://svc.example/api/v1/media/media-1',
          expires_at: '2026-01-01T01:00:00.000Z',
        },
      },
    ]);
  });

  test('a document has a filename and no duration; voice and sha256 are chatapp only', () => {
    const inbound = inboundOf({ parts: [{ type: 'document', file: fileOf({ voice: true, sha256: 'x' }) }] });
    const [content] = contents(received(photoapp, 'pro', inbound, [fetched]));
    expect(content).toEqual({
      type: 'document',
      media: {
        media_id: 'media-1',
        mime_type: 'audio/ogg',
        file_size: 2_048,
        filename: 'plan.pdf',
        sha256: null,
        duration_ms: null,
        download_url: 'https://svc.example/api/v1/media/media-1',
        expires_at: '2026-01-01T01:00:00.000Z',
      },
    });
  });

  test('a failed download does not suppress the other attachments', () => {
    const image = { type: 'image', file: fileOf({ mimeType: 'image/jpeg' }) } as const;
    const events = received(chatapp, 'pro', inboundOf({ parts: [image, image] }), [failed, fetched]);
    expect(contents(events)).toEqual([
      {
        type: 'image',
        media: {
          media_id: 'media-2',
          mime_type: 'image/jpeg',
          file_size: 0,
          filename: null,
          sha256: null,
          duration_ms: null,
          download_url: null,
          error: 'gone upstream',
          expires_at: '2026-01-01T00:00:00.000Z',
        },
      },
      { type: 'image', media: expect.objectContaining({ media_id: 'media-1' }) },
    ]);
  });

  test('a file without a result counts as failed, with a media id that stays the same', () => {
    const inbound = inboundOf({ parts: [{ type: 'image', file: fileOf() }] });
    const [content] = contents(received(chatapp, 'pro', inbound));
    expect(content).toMatchObject({
      media: { media_id: idFrom('media', inboundMessageId(chatapp.id, 'wamid.IN0001')), download_url: null },
    });
  });
});

describe('message.echo', () => {
  test('a text echo has exactly the fields of the specification', () => {
    const messageId = idFrom('echo', chatapp.id, 'wamid.ECHO0001', '1');
    expect(echoed(chatapp, echoOf())).toEqual([
      {
        event: 'message.echo',
        messageId,
        deliveryId: idFrom('delivery', chatapp.id, messageId, 'message.echo'),
        requestId: null,
        upstreamId: 'wamid.ECHO0001',
        envelope: {
          event: 'message.echo',
          channel_id: chatapp.id,
          channel_type: 'chatapp',
          timestamp: '2026-01-01T00:00:00.000Z',
          data: {
            message_id: messageId,
            recipient: '4915900000777',
            status: 'sent',
            type: 'text',
            text: 'We open at nine.',
          },
        },
      },
    ]);
  });

  test('each attachment is its own event with its own id; no file is delivered', () => {
    const events = echoed(
      photoapp,
      echoOf({
        caption: 'both',
        parts: [
          { type: 'image', file: fileOf() },
          { type: 'unsupported', unsupportedType: 'share' },
        ],
      }),
    );
    expect(events.map(({ messageId }) => messageId)).toEqual([
      echoMessageId(photoapp.id, 'wamid.ECHO0001', 1),
      echoMessageId(photoapp.id, 'wamid.ECHO0001', 2),
    ]);
    expect(contents(events)).toEqual([
      {
        type: 'image',
        media: { media_id: null, download_url: null, unavailable: 'echo_media_not_supported', kind: 'image' },
        caption: 'both',
      },
      { type: 'unsupported', unsupported_type: 'share' },
    ]);
  });
});

describe('status events', () => {
  const report = { messageId: 'message-1', recipient: '4915900000777', at: newYear, errors: [] };

  test.each(['sent', 'delivered', 'read'] as const)(
    'message.%s has message_id, status and recipient',
    (status) => {
      const event = `message.${status}`;
      expect(reported({ ...report, status })).toEqual({
        event,
        messageId: 'message-1',
        deliveryId: idFrom('delivery', chatapp.id, 'message-1', event),
        requestId: null,
        upstreamId: null,
        envelope: {
          event,
          channel_id: chatapp.id,
          channel_type: 'chatapp',
          timestamp: '2026-01-01T00:00:00.000Z',
          data: { message_id: 'message-1', status, recipient: '4915900000777' },
        },
      });
    },
  );

  test('message.failed adds error and errors, without tokens', () => {
    const errors = [
      { code: 131047, title: 'Re-engagement message' },
      { code: 1, title: 'EAAexampletoken' },
    ];
    expect(reported({ ...report, status: 'failed', errors }).envelope.data).toEqual({
      message_id: 'message-1',
      status: 'failed',
      recipient: '4915900000777',
      error:
        'The 24-hour re-engagement window is closed; send an approved template (upstream: Re-engagement message)',
      errors: [
        { code: 131047, title: 'Re-engagement message' },
        { code: 1, title: '***' },
      ],
    });
  });

  test('message.failed tells the details that upstream gave', () => {
    const errors = [{ code: 131026, title: 'Undeliverable', details: 'The number is on no list' }];
    expect(reported({ ...report, status: 'failed', errors }).envelope.data).toMatchObject({ errors });
  });

  test('message.failed without details still has both fields', () => {
    expect(reported({ ...report, status: 'failed' }).envelope.data).toMatchObject({
      error: 'Delivery failed',
      errors: [],
    });
  });

  test.each([
    ['sent', ['message.sent', null, null]],
    ['delivered', ['message.delivered', 'message.delivered', 'message.delivered']],
    ['read', ['message.read', 'message.read', 'message.read']],
    ['failed', ['message.failed', null, null]],
  ] as const)('%s is an event on chatapp, photoapp, pagechat: %j', (status, events) => {
    const told = channelTypes.map(
      (channelType) => statusEvents({ channelType }, { ...report, status })[0]?.event ?? null,
    );
    expect(told).toEqual(events);
  });
});
