import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { FilledButton, FilledTemplate, HeaderParameter, TextParameter } from '../templates/filled.ts';
import type { Content } from './content.ts';
import { mediaTypes } from './message.ts';
import { readUnfilled } from './read-unfilled.ts';

/** Content as it was kept at rest. Throws when it is none: then no copy of the message can be made. */
export function readContent(stored: unknown): Content {
  const content = readOne(asRecord(stored));
  if (content === null) throw new Error('content of an unknown kind');
  return content;
}

function readOne(stored: Json | null): Content | null {
  switch (stored?.['type']) {
    case 'text':
      return typeof stored['text'] === 'string' ? { type: 'text', text: stored['text'] } : null;
    case 'media':
      return readMedia(stored);
    case 'template': {
      const kept = asRecord(stored['template']);
      const template = kept !== null && 'variables' in kept ? readUnfilled(kept) : readTemplate(kept);
      return template === null ? null : { type: 'template', template };
    }
    default:
      return null;
  }
}

function readMedia(stored: Json): Content | null {
  const mediaType = mediaTypes.find((known) => known === stored['mediaType']);
  const url = asText(stored['url']);
  if (mediaType === undefined || url === null) return null;
  return {
    type: 'media',
    mediaType,
    url,
    caption: asText(stored['caption']),
    filename: asText(stored['filename']),
  };
}

function readTemplate(stored: Json | null): FilledTemplate | null {
  const name = asText(stored?.['name']);
  const language = asText(stored?.['language']);
  if (stored === null || name === null || language === null) return null;
  const header = readAll(stored['header'], readHeaderParameter);
  const body = readAll(stored['body'], readTextParameter);
  const buttons = readAll(stored['buttons'], readButton);
  if (header === null || body === null || buttons === null) return null;
  return { name, language, header, body, buttons };
}

/** All or nothing: a template with one parameter less is another message. */
function readAll<T>(stored: unknown, read: (item: Json) => T | null): T[] | null {
  const items = asList(stored);
  const known = items.flatMap((item) => read(asRecord(item) ?? {}) ?? []);
  return known.length === items.length ? known : null;
}

function readHeaderParameter(item: Json): HeaderParameter | null {
  const { type } = item;
  if (type === 'image' || type === 'video' || type === 'document') {
    const link = asText(item['link']);
    return link === null ? null : { type, link };
  }
  if (type !== 'location') return readTextParameter(item);
  const [latitude, longitude, name, address] = ['latitude', 'longitude', 'name', 'address'].map((part) =>
    asText(item[part]),
  );
  if (latitude == null || longitude == null || name == null || address == null) return null;
  return { type, latitude, longitude, name, address };
}

function readTextParameter(item: Json): TextParameter | null {
  const text = asText(item['text']);
  return item['type'] === 'text' && text !== null ? { type: 'text', name: asText(item['name']), text } : null;
}

const fillings = ['url', 'quick_reply', 'copy_code', 'flow'] as const;

function readButton(item: Json): FilledButton | null {
  const { index } = item;
  const value = asText(item['value']);
  const fills = fillings.find((known) => known === item['fills']);
  return typeof index === 'number' && value !== null && fills !== undefined ? { index, fills, value } : null;
}
