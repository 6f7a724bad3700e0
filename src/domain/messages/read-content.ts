import { listOf, recordOf, textOf } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { FilledButton, FilledTemplate, HeaderParameter, TextParameter } from '../templates/filled.ts';
import type { Content } from './content.ts';
import { mediaTypes } from './message.ts';
import { readUnfilled } from './read-unfilled.ts';

/** Content as it was kept at rest. Throws when it is none: then no copy of the message can be made. */
export function readContent(stored: unknown): Content {
  const content = readOne(recordOf(stored));
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
      const kept = recordOf(stored['template']);
      const template = kept !== null && 'variables' in kept ? readUnfilled(kept) : readTemplate(kept);
      return template === null ? null : { type: 'template', template };
    }
    default:
      return null;
  }
}

function readMedia(stored: Json): Content | null {
  const mediaType = mediaTypes.find((known) => known === stored['mediaType']);
  const url = textOf(stored['url']);
  if (mediaType === undefined || url === null) return null;
  return {
    type: 'media',
    mediaType,
    url,
    caption: textOf(stored['caption']),
    filename: textOf(stored['filename']),
  };
}

function readTemplate(stored: Json | null): FilledTemplate | null {
  const name = textOf(stored?.['name']);
  const language = textOf(stored?.['language']);
  if (stored === null || name === null || language === null) return null;
  const header = allOf(stored['header'], headerParameterOf);
  const body = allOf(stored['body'], textParameterOf);
  const buttons = allOf(stored['buttons'], buttonOf);
  if (header === null || body === null || buttons === null) return null;
  return { name, language, header, body, buttons };
}

/** All or nothing: a template with one parameter less is another message. */
function allOf<T>(stored: unknown, read: (item: Json) => T | null): T[] | null {
  const items = listOf(stored);
  const known = items.flatMap((item) => read(recordOf(item) ?? {}) ?? []);
  return known.length === items.length ? known : null;
}

function headerParameterOf(item: Json): HeaderParameter | null {
  const { type } = item;
  if (type === 'image' || type === 'video' || type === 'document') {
    const link = textOf(item['link']);
    return link === null ? null : { type, link };
  }
  if (type !== 'location') return textParameterOf(item);
  const [latitude, longitude, name, address] = ['latitude', 'longitude', 'name', 'address'].map((part) =>
    textOf(item[part]),
  );
  if (latitude == null || longitude == null || name == null || address == null) return null;
  return { type, latitude, longitude, name, address };
}

function textParameterOf(item: Json): TextParameter | null {
  const text = textOf(item['text']);
  return item['type'] === 'text' && text !== null ? { type: 'text', name: textOf(item['name']), text } : null;
}

const fillings = ['url', 'quick_reply', 'copy_code', 'flow'] as const;

function buttonOf(item: Json): FilledButton | null {
  const { index } = item;
  const value = textOf(item['value']);
  const fills = fillings.find((known) => known === item['fills']);
  return typeof index === 'number' && value !== null && fills !== undefined ? { index, fills, value } : null;
}
