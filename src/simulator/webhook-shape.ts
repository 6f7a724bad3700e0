import { asBag, isBag, type Bag } from './bag.ts';
import type { BatchShape } from './settings.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** An entry under construction: its first event, and its items. */
type Entry = { readonly first: WebhookEvent; readonly items: { field: string; item: unknown }[] };

/**
 * The entries of a POST. Upstream can combine several events in three ways [upstream protocol 1.6]: one entry for each; one entry with
 * several changes or messaging items; one value with several messages or statuses.
 */
export function entriesOf(
  events: readonly WebhookEvent[],
  shape: BatchShape,
  isSeconds: boolean,
): Record<string, unknown>[] {
  const entries: Entry[] = [];
  for (const event of events) {
    const last = entries.at(-1);
    const fits = last?.first.entryId === event.entryId && last.first.section === event.section;
    const entry: Entry = shape !== 'entries' && fits && last ? last : { first: event, items: [] };
    if (entry !== last) entries.push(entry);
    add(entry, event, shape);
  }
  return entries.map((entry) => wordEntry(entry, isSeconds));
}

function add({ items }: Entry, event: WebhookEvent, shape: BatchShape): void {
  const last = items.at(-1);
  const joined = shape === 'values' && last?.field === event.field ? join(last.item, event.item) : undefined;
  if (last && joined) last.item = joined;
  else items.push({ field: event.field, item: event.item });
}

/**
 * Merges two values of the same number by concatenating their lists; undefined: they are of different numbers, or not values of a number.
 */
function join(one: unknown, other: unknown): Bag | undefined {
  if (!isBag(one) || !isBag(other)) return undefined;
  const [left, right] = [asBag(one.metadata)?.phone_number_id, asBag(other.metadata)?.phone_number_id];
  if (left === undefined || left !== right) return undefined;
  const joined: Record<string, unknown> = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const known = joined[name];
    joined[name] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value;
  }
  return joined;
}

function wordEntry({ first, items }: Entry, isSeconds: boolean): Record<string, unknown> {
  if (first.section === 'changes') {
    const time = first.time === null ? {} : { time: Math.floor(first.time / 1000) };
    const changes = items.map(({ field, item }) => ({ field, value: item }));
    return { id: first.entryId, ...time, changes };
  }
  const ms = first.time ?? Date.now();
  const time = isSeconds ? Math.floor(ms / 1000) : ms;
  return { id: first.entryId, time, [first.section]: items.map(({ item }) => item) };
}
