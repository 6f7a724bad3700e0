/** Hides message text in events that are shown to people. */
import { countCharacters } from '../messages/text.ts';

/** Members with metadata. Every other text is hidden, also in members that an event gets in future. */
const shownMembers: ReadonlySet<string> = new Set(
  [
    'event channel_id channel_type timestamp message_id from recipient type status',
    'unsupported_type upgrade_required media_id mime_type sha256 download_url expires_at',
    'unavailable kind error errors code title',
    'from_user_id previous_from previous_user_id recipient_user_id wa_id upstream_message_id unsupported_reason',
    'source source_id ctwa_clid product_id catalog_id',
    'change_id changed before after reason template_id template_name language',
  ].flatMap((names) => names.split(' ')),
);

/** Members that hold what a person wrote, sent or chose: of those nothing is shown, neither a number nor the text of a shown member. */
const hiddenMembers: ReadonlySet<string> = new Set(['content', 'button', 'story']);

/** Indented JSON without message text; null if the bytes are no JSON. */
export function redactContent(bytes: Uint8Array): string | null {
  try {
    return JSON.stringify(shown('', JSON.parse(Buffer.from(bytes).toString()), false), null, 2);
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

function gather(name: string, value: unknown, words: string[], isHidden = false): void {
  if (isWord(name, value) || (isHidden && typeof value === 'string')) words.push(value);
  else if (isHidden && typeof value === 'number') words.push(String(value));
  else if (typeof value === 'object' && value !== null)
    for (const [member, each] of Object.entries(value))
      gather(member, each, words, isHidden || hiddenMembers.has(member));
}

/** `isWithin`: the value is part of a hidden member. */
function shown(name: string, value: unknown, isWithin: boolean): unknown {
  const isHidden = isWithin || hiddenMembers.has(name);
  if (Array.isArray(value)) return value.map((each) => shown(name, each, isHidden));
  if (typeof value === 'object' && value !== null) return shownMembersOf(value, isHidden);
  if (isHidden && typeof value !== 'string') return `(a ${typeof value}, not shown)`;
  const isText = isWord(name, value) || (isHidden && typeof value === 'string');
  return isText ? `(${countCharacters(value)} characters, not shown)` : value;
}

function shownMembersOf(members: object, isHidden: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, shown(name, value, isHidden)]),
  );
}

function isWord(name: string, value: unknown): value is string {
  return typeof value === 'string' && !shownMembers.has(name);
}
