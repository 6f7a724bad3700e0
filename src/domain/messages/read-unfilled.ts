import { listOf, recordOf, textOf } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';
import type { GivenTexts, GivenVariables, UnfilledTemplate } from '../templates/filled.ts';

/** A template that is to be looked up yet, as it was kept at rest; null when it is none. */
export function readUnfilled(stored: Json): UnfilledTemplate | null {
  const name = textOf(stored['name']);
  const language = textOf(stored['language']);
  return name === null || language === null
    ? null
    : { name, language, variables: variablesOf(recordOf(stored['variables'])) };
}

function variablesOf(stored: Json | null): GivenVariables | null {
  if (stored === null) return null;
  const buttons = listOf(stored['buttons']).flatMap((item) => {
    const { index, value } = recordOf(item) ?? {};
    return typeof index === 'number' && typeof value === 'string' ? [{ index, value }] : [];
  });
  return { header: textsOf(stored['header']), body: textsOf(stored['body']), buttons };
}

function textsOf(stored: unknown): GivenTexts | null {
  if (Array.isArray(stored)) return stored.filter((text) => typeof text === 'string');
  const named = recordOf(stored);
  if (named === null) return null;
  const texts: Record<string, string> = {};
  for (const [name, text] of Object.entries(named)) if (typeof text === 'string') texts[name] = text;
  return texts;
}
