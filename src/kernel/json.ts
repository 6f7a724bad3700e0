/** How JSON of unknown shape is read: each reader answers what it was asked for, and none throws. */
export type Json = { readonly [member: string]: unknown };

/** As keys they could reach a prototype: no body may have them, so nothing that is sent as a key may be called so. */
export const reservedNames: readonly string[] = ['__proto__', 'constructor', 'prototype'];

const nothing: readonly unknown[] = [];

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asRecord(value: unknown): Json | null {
  return isRecord(value) ? value : null;
}

/** The same text for the same value, in whatever order its keys came, at every depth. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) => (isRecord(each) ? sorted(each) : each));
}

function sorted(record: Json): Json {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** An absent or wrong list is an empty one. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : nothing;
}

/** Text that says something. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What a member of something from outside says; null: it has no such text. */
export function textIn(given: unknown, member: string): string | null {
  return asText(asRecord(given)?.[member]);
}
