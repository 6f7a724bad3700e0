import { maxParts } from '../../../domain/messages/facts.ts';
import type { Part } from '../../../domain/messages/facts.ts';
import type { MediaType } from '../../../domain/messages/message.ts';
import type { MessageContent } from '../kind.ts';
import { unsupportedPart } from '../unparsed-items.ts';
import { asId, asList, asRecord, asText } from '../read.ts';
import type { Json } from '../read.ts';

const mediaTypes = new Map<string, MediaType>([
  ['image', 'image'],
  ['video', 'video'],
  ['audio', 'audio'],
  ['file', 'document'],
]);

/**
 * Parts of a page's or photo account's `message`, in upstream's order; beside attachments the text is their caption. A message without
 * content (`is_unsupported`, or a kind that upstream hides) is `unsupported`. [upstream §4.7, §4.8; spec: message.received 2, 5]
 */
export function readThreadContent(message: Json): MessageContent {
  const text = asText(message['text']);
  const parts = readParts(asList(message['attachments']).slice(0, 2 * maxParts)).slice(0, maxParts);
  if (parts.length > 0) return { caption: text, parts };
  if (text !== null && message['is_unsupported'] !== true)
    return { caption: null, parts: [{ type: 'text', text }] };
  return { caption: text, parts: [unsupportedPart('unsupported')] };
}

function readParts(attachments: readonly unknown[]): Part[] {
  const twins = stickerTwins(attachments);
  const parts: Part[] = [];
  for (const item of attachments) {
    const attachment = asRecord(item);
    if (attachment === null || twins.has(attachment)) continue;
    parts.push(readPart(asText(attachment['type']) ?? 'unsupported', readUrl(attachment)));
  }
  return parts;
}

function readPart(type: string, url: string | null): Part {
  // These channels have no sticker type: a sticker with a picture is an image. [upstream §4.8]
  if (type === 'sticker' && url !== null) return { type: 'image', file: fileAt(url) };
  const mediaType = mediaTypes.get(type);
  if (mediaType === undefined) return unsupportedPart(type);
  return { type: mediaType, file: fileAt(url) };
}

function fileAt(url: string | null): {
  mediaId: null;
  url: string | null;
  mimeType: null;
  filename: null;
  sha256: null;
  voice: false;
} {
  return { mediaId: null, url, mimeType: null, filename: null, sha256: null, voice: false };
}

function readUrl(attachment: Json): string | null {
  return asText(asRecord(attachment['payload'])?.['url']);
}

/** Until 2026-08-30 upstream sent an `image` beside a sticker: both are one sticker. [upstream §4.7] */
function stickerTwins(attachments: readonly unknown[]): Set<Json> {
  const stickers = attachments.map(asRecord).filter((attachment) => attachment?.['type'] === 'sticker');
  const twins = new Set<Json>();
  if (stickers.length === 0) return twins;
  const ids = new Set(stickers.map(readStickerId));
  const urls = new Set(stickers.map((sticker) => (sticker === null ? null : readUrl(sticker))));
  for (const item of attachments) {
    const image = asRecord(item);
    if (image === null || image['type'] !== 'image') continue;
    const id = readStickerId(image);
    const url = readUrl(image);
    if ((id !== null && ids.has(id)) || (url !== null && urls.has(url))) twins.add(image);
  }
  return twins;
}

function readStickerId(attachment: Json | null): string | null {
  return asId(asRecord(attachment?.['payload'])?.['sticker_id']);
}
