/** Messages with files, and their outcomes. */
import type { FileOutcome } from '../../../src/rules/outside.ts';
import type { InboundMessage, Part } from '../../../src/rules/messages/facts.ts';
import { newYear } from '../../rules/samples.ts';
import type { LiveChannel } from './live-channel.ts';

export function fileOf(mediaId = '1'): Part {
  const file = { mediaId, url: null, mimeType: null, filename: null, sha256: null, voice: false };
  return { type: 'image', file };
}

export function inboundOf(upstreamId: string, parts: Part[], from = 'mia'): InboundMessage {
  return {
    kind: 'inbound',
    channelType: 'pagechat',
    identity: 'x',
    upstreamId,
    from,
    fromName: null,
    at: newYear,
    caption: null,
    parts,
  };
}

export function asText(upstreamId: string, from = 'mia'): InboundMessage {
  return inboundOf(upstreamId, [{ type: 'text', text: upstreamId }], from);
}

export function fileFetched(mediaId: string): FileOutcome {
  return {
    outcome: 'fetched',
    media: {
      result: 'fetched',
      mediaId,
      mimeType: 'image/png',
      fileSize: 1,
      filename: null,
      sha256: '',
      durationMs: null,
      downloadUrl: `https://service.test/${mediaId}`,
      expiresAt: newYear,
    },
  };
}

/** The events so far, in order: the text, the media id of the file, or its error. */
export function toldBy(channel: LiveChannel): unknown[] {
  return channel.posts.map(({ sent }) => {
    const { data } = JSON.parse(Buffer.from(sent.body).toString());
    return data.text ?? data.media?.error ?? data.media?.media_id ?? data.unsupported_type;
  });
}
