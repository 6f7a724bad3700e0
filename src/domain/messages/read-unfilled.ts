import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { GivenTexts, GivenVariables, UnfilledTemplate } from '../templates/filled.ts';

/** A template that is to be looked up yet, as it was kept at rest; null when it is none. */
export function readUnfilled(stored: Json): UnfilledTemplate | null {
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
