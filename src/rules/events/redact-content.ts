/** Hides message text in events that are shown to people. */
import { countCharacters } from '../messages/text.ts';
import type { Envelope } from './built.ts';

/** Members with metadata. Every other text is hidden, also in members that an event gets in future. */
const shownMembers: ReadonlySet<string> = new Set(
  [
    'event channel_id channel_type timestamp message_id from recipient type status',
    'unsupported_type upgrade_required media_id mime_type sha256 download_url expires_at',
    'unavailable kind error errors code title',
  ].flatMap((names) => names.split(' ')),
);

/** A copy of the event without message text. */
export function redactEventContent(event: Envelope): Envelope {
  const copy: Envelope = JSON.parse(JSON.stringify(event, (name, value: unknown) => shown(name, value)));
  return copy;
}

/** Indented JSON without message text; null if the bytes are no JSON. */
export function redactContent(bytes: Uint8Array): string | null {
  try {
    const said: unknown = JSON.parse(Buffer.from(bytes).toString());
    return JSON.stringify(said, (name, value: unknown) => shown(name, value), 2);
  } catch {
    return null;
  }
}

/** The hidden texts; empty if the bytes are no JSON. */
export function listContent(bytes: Uint8Array): string[] {
  const words: string[] = [];
  try {
    // Not by a reviver: for it the parser keeps track of the source, which doubles the time that megabytes take. [faults: I9]
    gather('', JSON.parse(Buffer.from(bytes).toString()), words);
  } catch {
    return [];
  }
  return words;
}

function gather(name: string, value: unknown, words: string[]): void {
  if (isWord(name, value)) words.push(value);
  else if (typeof value === 'object' && value !== null)
    for (const [member, each] of Object.entries(value)) gather(member, each, words);
}

function shown(name: string, value: unknown): unknown {
  return isWord(name, value) ? `(${countCharacters(value)} characters, not shown)` : value;
}

function isWord(name: string, value: unknown): value is string {
  return typeof value === 'string' && !shownMembers.has(name);
}
