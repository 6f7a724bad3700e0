/** The shape of an exchange: names, types and words of closed lists; what could name a person, a secret or a content is replaced. */
import { isIP } from 'node:net';
import { asRecord } from '../../kernel/json.ts';

/** Members whose text is a word of a closed list. `code` is none of them: a redirect's code is a secret. */
const wordMembers = new Set([
  'category',
  'channel_type',
  'error_code',
  'event',
  'language',
  'media_type',
  'mime_type',
  'parameter_format',
  'sending',
  'status',
  'tier',
  'type',
  'unsupported_type',
  'upgrade_required',
  'webhook_subscription',
]);
const memberName = /^[A-Za-z_]{1,40}$/;
const word = /^[A-Za-z][A-Za-z0-9_./+-]{0,39}$/;
const codeMembers = /code|status|total|count/;

/** The value with its texts replaced by their kind; numbers remain only where they are codes or counts. */
export function shapeOf(value: unknown, member = ''): unknown {
  if (typeof value === 'string')
    return wordMembers.has(member) && word.test(value) ? value : kindOfText(value);
  if (typeof value === 'number') return codeMembers.test(member) ? value : '<number>';
  if (Array.isArray(value)) return shapesOfList(value, member);
  const record = asRecord(value);
  if (record === null) return value;
  return Object.fromEntries(
    Object.entries(record).map(([name, inner]) => [
      memberName.test(name) ? name : '<name>',
      shapeOf(inner, name),
    ]),
  );
}

/** Items of equal shape are shown once. */
function shapesOfList(list: readonly unknown[], member: string): unknown[] {
  const shapes = new Map(list.map((item) => [JSON.stringify(shapeOf(item, member)), shapeOf(item, member)]));
  return [...shapes.values()];
}

function kindOfText(text: string): string {
  if (text === '') return '<empty>';
  if (/^https?:/.test(text)) return '<url>';
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return '<time>';
  if (/^\+?\d{5,20}$/.test(text)) return '<digits>';
  if (/^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]+$/.test(text)) return '<user id>';
  return '<text>';
}

/** What a person typed, if it is one of these words, or a number of at most five digits; otherwise that it was something else. */
export function wordOrKind(typed: string, words: readonly string[]): string {
  const known = words.find((each) => each === typed.toLowerCase());
  return known ?? (words.length === 0 && /^\d{1,5}$/.test(typed) ? typed : kindOfText(typed));
}

/** The host's name; an address of a machine is replaced. */
export function shapeOfHost(host: string): string {
  return isIP(host) === 0 ? host : '<address>';
}

/** A path without ids and query values: segments that are not words of an endpoint become `{id}`. */
export function shapeOfPath(path: string): string {
  const [plain = '', query] = path.split('?', 2);
  const shown = plain.replace(/\/(?=[^/]*(?:\d|[A-Z]))(?!v\d+(?:\/|$))[^/]+/g, '/{id}');
  return query === undefined ? shown : `${shown}?${query.replace(/=[^&]*/g, '=')}`;
}
