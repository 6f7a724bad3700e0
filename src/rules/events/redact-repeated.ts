/**
 * Removes message text that a receiver echoes in its answer, for example in an error page, before the answer is stored. Finds the text
 * in its common encodings. [portal: Deliveries; faults: 181]
 */
import { listContent } from './redact-content.ts';

const mark = '(not shown)';
/** Shorter texts occur by chance. */
const leastLetters = 4;
/** A match of this many leading bytes counts as repeated, because a receiver may truncate the text. */
const tellingBytes = 12;

/** Removes the texts from one part of an answer: its body, or a header. `isCut`: the part is truncated. */
type Redact = (part: Uint8Array, isCut: boolean) => Uint8Array;

/**
 * `longest`: bytes of the longest part. Only as much of a text as fits in there is encoded, because a text may have megabytes, and its
 * encodings many times that. `secrets`: further texts. [faults: I9]
 */
export function makeRedact(event: Uint8Array, longest: number, secrets: readonly string[]): Redact {
  const content = longest === 0 ? [] : listContent(event).filter(({ length }) => length >= leastLetters);
  const words = longest === 0 ? [] : [...content, ...secrets];
  const encodings = words.flatMap((word) => encodingsOf(word.slice(0, longest + 1)));
  return (part, isCut) => {
    if (encodings.length === 0 || part.length === 0) return part;
    const said = Buffer.from(part).toString('latin1');
    const left = withoutRuns(said, encodings, isCut);
    return left === said ? part : Buffer.from(left, 'latin1');
  };
}

/** All encodings of a text, as UTF-8 bytes in latin1 strings. A receiver may quote the JSON that it got, and so encode it once more. */
function encodingsOf(word: string): string[] {
  const plain = inJson(word);
  const quoted = [...new Set([word, plain, inAscii(plain)])];
  const encodings = [...quoted, ...quoted.flatMap(encodedOnce)];
  return [...new Set(encodings.map((encoding) => Buffer.from(encoding).toString('latin1')))];
}

function encodedOnce(text: string): string[] {
  return [...jsonEncodings(text), ...htmlEncodings(text), ...urlEncodings(text)];
}

/** JSON libraries differ: some escape non-ASCII characters, slashes or HTML's special characters. */
function jsonEncodings(word: string): string[] {
  const plain = inJson(word);
  const ascii = inAscii(plain);
  const safe = [plain, ascii].map((encoding) => encoding.replaceAll(/[&<>]/g, asEscape));
  const slashed = [plain, ascii].map((encoding) => encoding.replaceAll('/', String.raw`\/`));
  return [plain, ascii, ...safe, ...slashed];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function inAscii(json: string): string {
  return json.replaceAll(/[^ -~]/g, asEscape);
}

function asEscape(unit: string): string {
  return String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function htmlEncodings(word: string): string[] {
  const html = word
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return [
    html,
    html.replaceAll("'", '&#39;'),
    html.replaceAll("'", '&#039;'),
    html.replaceAll("'", '&#x27;'),
  ];
}

/** URL encodings: of a path and of a form. */
function urlEncodings(word: string): string[] {
  const sound = Buffer.from(word).toString();
  return [encodeURIComponent(sound), new URLSearchParams({ '': sound }).toString().slice(1)];
}

/** Encodings with the same beginning, and the position of the next match; -1: none left. */
interface Sought {
  begin: string;
  encodings: string[];
  at: number;
}

/** Replaces each run that begins like one of the encodings, as far as it matches. */
function withoutRuns(text: string, encodings: readonly string[], isCut: boolean): string {
  const sought = byBegin(text, encodings);
  let left = '';
  let from = 0;
  for (let at = firstOf(sought, text, from); at !== -1; at = firstOf(sought, text, from)) {
    left += text.slice(from, at) + mark;
    from = at + longestRun(sought, text, at);
  }
  const rest = text.slice(from);
  const tail = isCut ? Math.max(...sought.map(({ begin }) => tailLength(rest, begin))) : 0;
  return left + (tail === 0 ? rest : rest.slice(0, -tail) + mark);
}

function byBegin(text: string, encodings: readonly string[]): Sought[] {
  const found = new Map<string, Sought>();
  for (const encoding of encodings) {
    const begin = encoding.slice(0, tellingBytes);
    const known = found.get(begin);
    if (known === undefined) found.set(begin, { begin, encodings: [encoding], at: text.indexOf(begin) });
    else known.encodings.push(encoding);
  }
  return [...found.values()];
}

/** Next match of any beginning. Each beginning scans the text only once, however often others match. [faults: I9] */
function firstOf(sought: readonly Sought[], text: string, from: number): number {
  let first = -1;
  for (const each of sought) {
    if (each.at !== -1 && each.at < from) each.at = text.indexOf(each.begin, from);
    if (each.at !== -1 && (first === -1 || each.at < first)) first = each.at;
  }
  return first;
}

function longestRun(sought: readonly Sought[], text: string, at: number): number {
  const here = sought.flatMap((each) => (each.at === at ? each.encodings : []));
  return Math.max(...here.map((encoding) => commonLength(text, at, encoding)));
}

function commonLength(text: string, at: number, encoding: string): number {
  let length = 0;
  while (length < encoding.length && text[at + length] === encoding[length]) length += 1;
  return length;
}

/** Length of the longest prefix of `begin` with which the text ends. */
function tailLength(text: string, begin: string): number {
  for (let length = begin.length - 1; length >= leastLetters; length -= 1)
    if (text.endsWith(begin.slice(0, length))) return length;
  return 0;
}
