/** A parsed JSON object or form whose members are not validated yet. */
export type Bag = Readonly<Record<string, unknown>>;

/** True for a JSON object (not an array, not null). */
export function isBag(value: unknown): value is Bag {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; a form carries objects as JSON text, so text is parsed too. Anything else: undefined. */
export function asBag(value: unknown): Bag | undefined {
  if (isBag(value)) return value;
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return isBag(parsed) ? parsed : undefined;
}

/** The value as an array, parsed from JSON text when a form carried it. Anything else: undefined. */
export function asList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  const parsed = typeof value === 'string' ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed : undefined;
}

/** The value as text; numbers count as their digits, since ids arrive both ways. Anything else: undefined. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** The text member of an object; undefined if there is none. */
export function textOf(value: unknown, name: string): string | undefined {
  return isBag(value) ? asText(value[name]) : undefined;
}

/** The value as a finite number, also from a form's text. Anything else: undefined. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The value as a boolean, also from a form's text. Anything else: undefined. */
export function asFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 'true') return true;
  return value === 'false' ? false : undefined;
}

/** Names or ids given as a list, as the JSON text of a list, or separated by commas. */
export function asNames(value: unknown): string[] {
  const list = asList(value) ?? (asText(value) ?? '').split(',');
  return list.map((item) => (asText(item) ?? '').trim()).filter((item) => item !== '');
}

/** Parses JSON text; undefined when it is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
