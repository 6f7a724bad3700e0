import { asRecord } from './wire/read.ts';

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
