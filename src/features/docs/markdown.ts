/** Parses the subset of Markdown that our pages use into data, which the renderer escapes. */

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'bold'; parts: Inline[] }
  | { kind: 'link'; parts: Inline[]; to: string };

export type Block =
  | { kind: 'heading'; level: number; text: Inline[]; id: string }
  | { kind: 'paragraph'; text: Inline[] }
  /** `start`: the number of the first item; null: no numbers. */
  | { kind: 'list'; start: number | null; items: Block[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; heads: Inline[][]; rows: Inline[][][] };

export type Heading = Extract<Block, { kind: 'heading' }>;

export function readMarkdown(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  const ids = new Map<string, number>();
  for (let at = 0; at < lines.length;) {
    const { block, used } = readBlock(lines, at);
    if (block?.kind === 'heading') block.id = ownId(block.id, ids);
    if (block !== null) blocks.push(block);
    at += used;
  }
  return blocks;
}

/** What a reader sees, without marks. */
export function plainText(parts: readonly Inline[]): string {
  return parts.map((part) => ('parts' in part ? plainText(part.parts) : part.text)).join('');
}

interface Read {
  block: Block | null;
  used: number;
}

const itemStart = /^(?:- |\d+\. )/;
const isTable = (line: string): boolean => line.startsWith('|');
const isInItem = (line: string): boolean => /^ +\S/.test(line);
const isOwn = (line: string): boolean => line === '' || /^(?:#|```|\||- |\d+\. )/.test(line);

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line === '') return { block: null, used: 1 };
  if (line.startsWith('```')) return readCode(lines, at);
  if (line.startsWith('#')) return { block: toHeading(line), used: 1 };
  if (isTable(line)) return toTable(linesWhile(lines, at, isTable));
  if (itemStart.test(line)) return readList(lines, at);
  const said = linesWhile(lines, at, (each) => !isOwn(each));
  return { block: { kind: 'paragraph', text: inlines(said.join(' ')) }, used: Math.max(1, said.length) };
}

function linesWhile(lines: readonly string[], at: number, is: (line: string) => boolean): string[] {
  const rest = lines.slice(at);
  const end = rest.findIndex((line) => !is(line));
  return end === -1 ? rest : rest.slice(0, end);
}

function readCode(lines: readonly string[], at: number): Read {
  const text = linesWhile(lines, at + 1, (line) => line !== '```');
  const language = (lines[at] ?? '').slice(3);
  return { block: { kind: 'code', language, text: text.join('\n') }, used: text.length + 2 };
}

/** The id is the anchor that other viewers of Markdown make, so that links between our files work in both. */
function toHeading(line: string): Heading {
  const [, marks = '#', text = ''] = /^(#+) (.*)$/.exec(line) ?? [];
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  return { kind: 'heading', level: marks.length, text: inlines(text), id };
}

/** Of headings with the same text the second has `-1`, and so on. */
function ownId(id: string, ids: Map<string, number>): string {
  const before = ids.get(id) ?? 0;
  ids.set(id, before + 1);
  return before === 0 ? id : `${id}-${before}`;
}

/** Items, with their further lines; an empty line belongs to an item if an indented one follows. */
function readList(lines: readonly string[], at: number): Read {
  const items: { width: number; lines: string[] }[] = [];
  let used = 0;
  for (; at + used < lines.length; used += 1) {
    const line = lines[at + used] ?? '';
    const [mark] = itemStart.exec(line) ?? [];
    const goesOn = isInItem(line) || (line === '' && isInItem(lines[at + used + 1] ?? ''));
    if (mark !== undefined) items.push({ width: mark.length, lines: [line.slice(mark.length)] });
    else if (goesOn) items.at(-1)?.lines.push(line);
    else break;
  }
  const [, number] = /^(\d+)\. /.exec(lines[at] ?? '') ?? [];
  const start = number === undefined ? null : Number(number);
  const read = items.map((item) => readMarkdown(item.lines.map(without(item.width)).join('\n')));
  return { block: { kind: 'list', start, items: read }, used };
}

/** The line without at most `width` blanks at its beginning. */
const without =
  (width: number) =>
  (line: string): string =>
    line.replace(new RegExp(`^ {0,${width}}`), '');

/** The second line is only the separator. */
function toTable(lines: readonly string[]): Read {
  const [heads = [], , ...rows] = lines.map(cellsOf);
  return { block: { kind: 'table', heads, rows }, used: lines.length };
}

/** A line in a cell's code is no border, and neither is an escaped one. */
function cellsOf(line: string): Inline[][] {
  const inside = line.slice(1, line.lastIndexOf('|'));
  const cells = inside.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? [];
  return cells.map((cell) => inlines(cell.replaceAll(String.raw`\|`, '|').trim()));
}

const marked = /`([^`]+)`|\*\*((?:`[^`]*`|[^*`])+)\*\*|\[((?:`[^`]*`|[^\]`])+)\]\(([^)]+)\)/g;

function inlines(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(marked)) {
    const [whole, code, bold, link, to = ''] = match;
    if (match.index > at) found.push({ kind: 'text', text: text.slice(at, match.index) });
    if (code !== undefined) found.push({ kind: 'code', text: code });
    else if (bold !== undefined) found.push({ kind: 'bold', parts: inlines(bold) });
    else if (link !== undefined) found.push({ kind: 'link', parts: inlines(link), to });
    at = match.index + whole.length;
  }
  return at < text.length ? [...found, { kind: 'text', text: text.slice(at) }] : found;
}
