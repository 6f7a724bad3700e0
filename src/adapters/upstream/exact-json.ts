import { scan, textWithQuoted } from './scan.ts';
import { parseObject } from './wire/error.ts';
import type { Json } from './wire/read.ts';

/** As `parseObject`, and integers that a double would round are text: for answers that name things by number. [upstream §0.1] */
export function parseExactJson(text: string): Json | null {
  if (!/[0-9]{16}/.test(text)) return parseObject(text);
  const body = Buffer.from(text);
  const found = scan(body);
  return parseObject(typeof found === 'string' ? text : textWithQuoted(body, found.longIntegers));
}
