import { isUtf8 } from 'node:buffer';
import { fieldFault, valueFault } from '../../kernel/faults.ts';
import { findBeyond, reservedNames } from '../../kernel/json.ts';

/** Only templates nest, and not deeply; JSON.stringify and structuredClone overflow at about 1,000 levels. [faults 68] */
const deepest = 32;
/** A megabyte of distinct keys takes half a second to build and to check; no request of our API has a hundred. [faults I9] */
const maxValues = 10_000;

const problems = {
  depth: `nested deeper than ${deepest} levels`,
  values: `more than ${maxValues} values`,
};

/**
 * Parses a JSON body in linear time and without recursion, whatever the bytes are. Throws Fault 422: `missing` for an empty body,
 * `json_invalid` for what is not JSON in UTF-8, and `value_error` for nesting deeper than 32, for more than 10,000 values and for keys that
 * could reach a prototype. A byte order mark before it is ignored, as RFC 8259 allows: .NET's writers begin a text with it. [faults 67-69, 541]
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) throw fieldFault(['body'], 'Field required', 'missing');
  if (!isUtf8(bytes)) throw jsonInvalid();
  const text = withoutMark(bytes.toString('utf8'));
  const beyond = findBeyond(text, { deepest, maxValues });
  if (beyond !== null) throw valueFault(['body'], problems[beyond]);
  const value = parse(text);
  // A key can spell a forbidden name only plainly or with \u escapes: other texts need no walk.
  if (/proto|constructor|\\u/.test(text)) refuseForbiddenKeys(value);
  return value;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw jsonInvalid(); // V8's message quotes the body: not shown, not logged
  }
}

function jsonInvalid() {
  return fieldFault(['body'], 'JSON decode error', 'json_invalid');
}

const forbiddenKeys: ReadonlySet<string> = new Set(reservedNames);

function refuseForbiddenKeys(root: unknown): void {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) for (const item of value) open.push(item);
    else if (typeof value === 'object' && value !== null) openObject(value, open);
  }
}

function openObject(value: object, open: unknown[]): void {
  for (const [key, item] of Object.entries(value)) {
    if (forbiddenKeys.has(key))
      throw valueFault(['body'], `a key with the reserved name ${key} is not accepted`);
    if (typeof item === 'object') open.push(item);
  }
}
