import { asRecord } from './read.ts';
import type { Json } from './read.ts';
import { scan, textWithQuoted } from './scan.ts';

/** Forms of a phone have some dozens of short answers. */
const maxBytes = 32 * 1024;

/** An object that upstream passes on as JSON within a text; undefined if it is none, has over 32 KiB, or nests too deep. [faults: 365] */
export function readNested(text: string | null): Json | undefined {
  if (text === null || text.length > maxBytes) return undefined;
  const bytes = Buffer.from(text);
  const found = bytes.length > maxBytes ? 'too much' : scan(bytes);
  if (typeof found === 'string') return undefined;
  try {
    return asRecord(JSON.parse(textWithQuoted(bytes, found.longIntegers))) ?? undefined;
  } catch {
    return undefined;
  }
}
