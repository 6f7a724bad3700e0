import { asList, asRecord, asText, stringOrNull } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import { fillings } from './parts.ts';
import type {
  FilledButton,
  FilledCard,
  FilledTemplate,
  GivenButton,
  GivenCard,
  GivenTexts,
  GivenVariables,
  HeaderParameter,
  ProductSection,
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
  const card = readCard(stored);
  const cards = 'cards' in stored ? readAll(stored['cards'], readCard) : [];
  const { offerEndsAt } = stored;
  if (card === null || cards === null) return null;
  return {
    name,
    language,
    ...card,
    ...(cards.length === 0 ? {} : { cards }),
    ...(typeof offerEndsAt === 'number' ? { offerEndsAt } : {}),
  };
}

function readCard(stored: Json): FilledCard | null {
  const header = readAll(stored['header'], readHeaderParameter);
  const body = readAll(stored['body'], readTextParameter);
  const buttons = readAll(stored['buttons'], readButton);
  return header === null || body === null || buttons === null ? null : { header, body, buttons };
}

/** null if any item is invalid: a template with a parameter less would be another message. */
function readAll<T>(stored: unknown, read: (item: Json) => T | null): T[] | null {
  const items = asList(stored);
  const known = items.flatMap((item) => read(asRecord(item) ?? {}) ?? []);
  return known.length === items.length ? known : null;
}

function readHeaderParameter(item: Json): HeaderParameter | null {
  const { type } = item;
  if (type === 'image' || type === 'video' || type === 'gif' || type === 'document') {
    const link = asText(item['link']);
    const filename = type === 'document' ? asText(item['filename']) : null;
    if (link === null) return null;
    return filename === null ? { type, link } : { type: 'document', link, filename };
  }
  if (type === 'product') {
    const [productId, catalogId] = [asText(item['productId']), asText(item['catalogId'])];
    return productId === null || catalogId === null ? null : { type, productId, catalogId };
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

function readButton(item: Json): FilledButton | null {
  const { index } = item;
  // Empty: a catalogue that is shown without a picture of its own.
  const value = stringOrNull(item['value']);
  const fills = fillings.find((known) => known === item['fills']);
  if (typeof index !== 'number' || value === null || fills === undefined) return null;
  if (!('sections' in item)) return { index, fills, value };
  const sections = readAll(item['sections'], readSection);
  return sections === null ? null : { index, fills, value, sections };
}

function readSection(item: Json): ProductSection | null {
  const title = asText(item['title']);
  const productIds = asList(item['productIds']).filter((id) => typeof id === 'string');
  return title === null ? null : { title, productIds };
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
  const offerEnd = asText(stored['offer_expires_at']);
  return {
    ...readGivenCard(stored),
    ...(Array.isArray(stored['cards'])
      ? { cards: stored['cards'].map((card) => readGivenCard(asRecord(card) ?? {})) }
      : {}),
    ...(offerEnd === null ? {} : { offer_expires_at: offerEnd }),
  };
}

function readGivenCard(stored: Json): GivenCard {
  const buttons = asList(stored['buttons']).flatMap((item) => readGivenButton(asRecord(item) ?? {}));
  return { header: readTexts(stored['header']), body: readTexts(stored['body']), buttons };
}

function readGivenButton({ index, value, sections }: Json): GivenButton[] {
  if (typeof index !== 'number' || typeof value !== 'string') return [];
  if (!Array.isArray(sections)) return [{ index, value }];
  const given = sections.flatMap((item) => {
    const { title, product_ids: ids } = asRecord(item) ?? {};
    const known = asList(ids).filter((id) => typeof id === 'string');
    return typeof title === 'string' ? [{ title, product_ids: known }] : [];
  });
  return [{ index, value, sections: given }];
}

function readTexts(stored: unknown): GivenTexts | null {
  if (Array.isArray(stored)) return stored.filter((text) => typeof text === 'string');
  const named = asRecord(stored);
  if (named === null) return null;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(named)) if (typeof text === 'string') texts[name] = text;
  return texts;
}
