/**
 * What becomes no event: items of a POST that yield no fact are counted, and their shape is kept if the kind of item is unknown; what they tell
 * about the channel or the app is noted; parts of a message that are no file are passed on by name. [upstream §0.2; faults: 46]
 */
import type { Notice, UnparsedItem, ParsedPost, Part, UnsupportedPart } from '../rules/messages/facts.ts';
import type { ChannelType } from '../rules/vocabulary.ts';
import { asRecord } from './read.ts';

/** Limit per POST: a batch of a thousand bad items says no more than its first ones. */
const maxKept = 20;

export interface ItemOrigin {
  channelType: ChannelType | null;
  /** null: the item names no channel. */
  identity: string | null;
  /** Upstream's name of the place: a field, a member or a type. */
  kind: string;
}

/** Counts an understood item that is no event by the contract. */
export function countIgnored(out: ParsedPost): void {
  out.ignored += 1;
}

/** Counts an item that makes no event, and passes on what it tells. */
export function noteItem(out: ParsedPost, notice: Notice): void {
  out.ignored += 1;
  note(out, notice);
}

/** Passes on what an item tells besides its fact. */
export function note(out: ParsedPost, notice: Notice): void {
  if (out.notices.length < maxKept) out.notices.push(notice);
}

/** The button "test" of upstream's dashboard sends examples under this id. [upstream §1.6] */
export function isTestPush(entry: Readonly<Record<string, unknown>>): boolean {
  return entry['id'] === '0' || entry['id'] === 0;
}

/** Upstream's own word, such as a code or the name of an action; null if it is none. */
export function asWord(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[A-Za-z0-9_]{1,40}$/.test(text) ? text : null;
}

/** Counts a well-formed item of an unknown kind. */
export function keepUnknown(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.ignored += times;
  keep(out, { reason: 'unknown', ...place, times }, item);
}

/** Counts an item that lacks a required field of its kind. */
export function keepMalformed(out: ParsedPost, place: ItemOrigin, item: unknown, times = 1): void {
  out.malformed += times;
  keep(out, { reason: 'malformed', ...place, times }, item);
}

function keep(out: ParsedPost, what: Omit<UnparsedItem, 'shape'>, item: unknown): void {
  if (out.unparsed.length >= maxKept) return;
  out.unparsed.push({ ...what, kind: what.kind.slice(0, 100), shape: describeShape(item) });
}

const maxDepth = 6;
const maxKeys = 40;
const maxLength = 2_000;

/** Members whose values are upstream's own words, and the form of such a word. */
const wordMembers = new Set(['type', 'field', 'event', 'status', 'object', 'action']);
const word = /^[A-Za-z][A-Za-z_]{0,39}$/;

/**
 * The structure of untrusted JSON without any text of a person: names of members, types of values, lengths of lists. A member name that is
 * no plain word may be a phone number or an address and is left out. At most 2,000 characters. [faults: I10]
 */
export function describeShape(value: unknown): string {
  const whole = described(value, 0);
  return whole.length <= maxLength ? whole : `${whole.slice(0, maxLength)}…`;
}

function described(value: unknown, depth: number): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return listShape(value, depth);
  const record = asRecord(value);
  return record === null ? typeof value : recordShape(record, depth);
}

/** The first item stands for all items. */
function listShape(list: readonly unknown[], depth: number): string {
  if (list.length === 0 || depth >= maxDepth) return `[${list.length}]`;
  return `[${list.length} × ${described(list[0], depth + 1)}]`;
}

function recordShape(record: Readonly<Record<string, unknown>>, depth: number): string {
  if (depth >= maxDepth) return '{…}';
  const members: string[] = [];
  for (const name in record) {
    if (members.length >= maxKeys) {
      members.push('…');
      break;
    }
    const value = record[name];
    const isWord = wordMembers.has(name) && typeof value === 'string' && word.test(value);
    members.push(`${word.test(name) ? name : '…'}: ${isWord ? `"${value}"` : described(value, depth + 1)}`);
  }
  return `{${members.join(', ')}}`;
}

/** Upstream's names of kinds are a word or two. */
const maxName = 100;

/** Absent and null members are left out. */
interface PartMembers {
  /** Title of the button or row that the person picked. */
  text?: string | null;
  button?: UnsupportedPart['button'] | undefined;
  content?: UnsupportedPart['content'] | undefined;
  reason?: string | null;
}

/** A part that is no file, under upstream's name. [spec: message.received 5; operator-interface §4] */
export function unsupportedPart(name: string, { text, button, content, reason }: PartMembers = {}): Part {
  const part: UnsupportedPart = { type: 'unsupported', unsupportedType: name.slice(0, maxName) };
  if (text != null) part.text = text;
  if (button !== undefined) part.button = button;
  if (content !== undefined) part.content = content;
  if (reason != null) part.reason = reason;
  return part;
}
