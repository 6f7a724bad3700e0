/** Readers for JSON of unknown shape: each returns what was asked for, or null or an empty list; none throws. */
export type Json = { readonly [member: string]: unknown };

/** As keys these names could reach a prototype: no body may have them, so no name that a client sends as a key may be one of them. */
export const reservedNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const nothing: readonly unknown[] = [];

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asRecord(value: unknown): Json | null {
  return isRecord(value) ? value : null;
}

/** The same text for equal values, whatever the order of their keys, at every depth. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (isRecord(each) ? sorted(each) : each));
}

function sorted(record: Json): Json {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** An empty list when the value is missing or no list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : nothing;
}

/** The records of a list; other items are left out. */
export function recordsIn(list: unknown): Json[] {
  return asList(list)
    .map(asRecord)
    .filter((item) => item !== null);
}

/** A string, which may be empty, or null. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A non-empty string, or null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A non-empty string in a member of untrusted input, or null. */
export function textIn(given: unknown, member: string): string | null {
  return asText(asRecord(given)?.[member]);
}

const quote = 0x22;
const comma = 0x2c;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** Which bound the text of a JSON value exceeds, or null; found by scanning its characters, before any value is built. */
export function findBeyond(
  text: string,
  { deepest, maxValues }: { deepest: number; maxValues: number },
): 'depth' | 'values' | null {
  let depth = 0;
  let commas = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === backslash) at += 1;
      else if (code === quote) inString = false;
    } else if (code === quote) inString = true;
    else if (code === comma) commas += 1;
    else if (code === openBracket || code === openBrace) depth += 1;
    else if (code === closeBracket || code === closeBrace) depth -= 1;
    if (depth > deepest) return 'depth';
    if (commas >= maxValues) return 'values';
  }
  return null;
}
