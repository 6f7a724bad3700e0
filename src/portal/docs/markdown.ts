/** Parses the subset of Markdown that our pages use into data, which the renderer escapes. */

export type Inline =
  | { kind: 'text' | 'code' | 'bold'; text: string }
  | { kind: 'link'; text: string; to: string };

export type Block =
  | { kind: 'heading'; level: number; text: string; id: string }
  | { kind: 'paragraph'; text: Inline[] }
  | { kind: 'list'; items: Inline[][] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'table'; heads: Inline[][]; rows: Inline[][][] };

export function readMarkdown(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length;) {
    const { block, used } = readBlock(lines, at);
    if (block !== null) blocks.push(block);
    at += used;
  }
  return blocks;
}

interface Read {
  block: Block | null;
  used: number;
}

const isList = (line: string): boolean => line.startsWith('- ');
const isTable = (line: string): boolean => line.startsWith('|');
const isOwn = (line: string): boolean => line === '' || /^(#|```|\||- )/.test(line);

function readBlock(lines: readonly string[], at: number): Read {
  const line = lines[at] ?? '';
  if (line === '') return { block: null, used: 1 };
  if (line.startsWith('```')) return readCode(lines, at);
  if (line.startsWith('#')) return { block: toHeading(line), used: 1 };
  if (isTable(line)) return toTable(linesWhile(lines, at, isTable));
  if (isList(line)) {
    const items = linesWhile(lines, at, isList);
    return {
      block: { kind: 'list', items: items.map((item) => inlines(item.slice(2))) },
      used: items.length,
    };
  }
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

function toHeading(line: string): Block {
  const [, marks = '#', text = ''] = /^(#+) (.*)$/.exec(line) ?? [];
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
  return { kind: 'heading', level: marks.length, text, id };
}

/** The second line is only the separator. */
function toTable(lines: readonly string[]): Read {
  const [heads = [], , ...rows] = lines.map((line) => line.slice(1, line.lastIndexOf('|')).split('|'));
  const cells = (row: readonly string[]): Inline[][] => row.map((cell) => inlines(cell.trim()));
  return { block: { kind: 'table', heads: cells(heads), rows: rows.map(cells) }, used: lines.length };
}

const marked = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;

function inlines(text: string): Inline[] {
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(marked)) {
    const [whole, code, bold, link, to = ''] = match;
    if (match.index > at) found.push({ kind: 'text', text: text.slice(at, match.index) });
    if (code !== undefined) found.push({ kind: 'code', text: code });
    else if (bold !== undefined) found.push({ kind: 'bold', text: bold });
    else if (link !== undefined) found.push({ kind: 'link', text: link, to });
    at = match.index + whole.length;
  }
  return at < text.length ? [...found, { kind: 'text', text: text.slice(at) }] : found;
}
