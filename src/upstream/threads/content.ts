import { maxParts } from '../../rules/messages/facts.ts';
import type { Part } from '../../rules/messages/facts.ts';
import type { MediaType } from '../../rules/messages/message.ts';
import type { MessageContent } from '../kind.ts';
import { asWords, present } from '../bounded.ts';
import { unsupportedPart } from '../unparsed-items.ts';
import { asId, asList, asRecord, asText, recordsIn } from '../read.ts';
import type { Json } from '../read.ts';
import { readShared } from './shared.ts';

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
    return { caption: null, parts: [textPart(text, asRecord(message['quick_reply']))] };
  return { caption: text, parts: [unsupportedPart('unsupported')] };
}

/** A quick reply is a text, the one on the button. */
function textPart(text: string, pressed: Json | null): Part {
  if (pressed === null) return { type: 'text', text };
  const button = present({ id: asWords(pressed['payload']), title: asWords(text) }) ?? {};
  return { type: 'text', text, button };
}

function readParts(attachments: readonly unknown[]): Part[] {
  const twins = findTwins(attachments);
  const parts: Part[] = [];
  for (const item of attachments) {
    const attachment = asRecord(item);
    if (attachment === null || twins.has(attachment)) continue;
    parts.push(readPart(typeOf(attachment), attachment));
  }
  return parts;
}

function readPart(type: string, attachment: Json): Part {
  const url = readUrl(attachment);
  // These channels have no sticker type: a sticker with a picture is an image. [upstream §4.8]
  if (type === 'sticker' && url !== null) return { type: 'image', file: fileAt(url) };
  const mediaType = mediaTypes.get(type);
  if (mediaType === undefined) return unsupportedPart(type, { content: readShared(attachment) });
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

function typeOf(attachment: Json): string {
  return asText(attachment['type']) ?? 'unsupported';
}

function readUrl(attachment: Json): string | null {
  return asText(asRecord(attachment['payload'])?.['url']);
}

/**
 * Attachments that show again what another one of the message shows: one of the same type at the same place, an `image` beside a sticker
 * (until 2026-08-30), and a `share` beside its newer form, `ig_post`. [upstream §4.7, §4.8]
 */
function findTwins(attachments: readonly unknown[]): Set<Json> {
  const twins = new Set<Json>();
  if (attachments.length < 2) return twins;
  const all = recordsIn(attachments);
  const keys = new Set(all.flatMap((attachment) => keysOf(attachment, typeOf(attachment))));
  const seen = new Set<string>();
  for (const attachment of all) {
    const newer = newerForms.get(typeOf(attachment));
    const own = keysOf(attachment, typeOf(attachment));
    const isTwin =
      own.some((key) => seen.has(key)) ||
      (newer !== undefined && keysOf(attachment, newer).some((key) => keys.has(key)));
    if (isTwin) twins.add(attachment);
    for (const key of own) seen.add(key);
  }
  return twins;
}

const newerForms = new Map([
  ['image', 'sticker'],
  ['share', 'ig_post'],
]);

/** What identifies an attachment if it were of this type: its URL, and the id of a sticker. */
function keysOf(attachment: Json, type: string): string[] {
  const [url, id] = [readUrl(attachment), readStickerId(attachment)];
  return [...(url === null ? [] : [`${type} url ${url}`]), ...(id === null ? [] : [`${type} id ${id}`])];
}

function readStickerId(attachment: Json): string | null {
  return asId(asRecord(attachment['payload'])?.['sticker_id']);
}
