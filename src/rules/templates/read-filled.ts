import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type {
  FilledButton,
  FilledTemplate,
  GivenTexts,
  GivenVariables,
  HeaderParameter,
  TextParameter,
  UnfilledTemplate,
} from './filled.ts';

/** Parses a stored template of a send; null if it is invalid. */
export function readFilledTemplate(stored: Json): FilledTemplate | UnfilledTemplate | null {
  return 'variables' in stored ? readUnfilled(stored) : readFilled(stored);
}

function readFilled(stored: Json): FilledTemplate | null {
  const name = asText(stored['name']);
  const language = asText(stored['language']);
  if (name === null || language === null) return null;
  const header = readAll(stored['header'], readHeaderParameter);
  const body = readAll(stored['body'], readTextParameter);
  const buttons = readAll(stored['buttons'], readButton);
  if (header === null || body === null || buttons === null) return null;
  return { name, language, header, body, buttons };
}

/** null if any item is invalid: a template with a parameter less would be another message. */
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

/** A template that must still be looked up. */
function readUnfilled(stored: Json): UnfilledTemplate | null {
  const name = asText(stored['name']);
  const language = asText(stored['language']);
  return name === null || language === null
    ? null
    : { name, language, variables: readVariables(asRecord(stored['variables'])) };
}

function readVariables(stored: Json | null): GivenVariables | null {
  if (stored === null) return null;
  const buttons = asList(stored['buttons']).flatMap((item) => {
    const { index, value } = asRecord(item) ?? {};
    return typeof index === 'number' && typeof value === 'string' ? [{ index, value }] : [];
  });
  return { header: readTexts(stored['header']), body: readTexts(stored['body']), buttons };
}

function readTexts(stored: unknown): GivenTexts | null {
  if (Array.isArray(stored)) return stored.filter((text) => typeof text === 'string');
  const named = asRecord(stored);
  if (named === null) return null;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(named)) if (typeof text === 'string') texts[name] = text;
  return texts;
}
