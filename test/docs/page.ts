/** The parts of a page of `docs/` that can be cited: headings, numbered rules, and the names in a table's first column. */

export interface Section {
  title: string;
  /** `2.1` of "2.1 Hosts", `3a` of "3a. A send"; null without one. */
  number: string | null;
  /** Ordered list items and table rows by number. */
  rules: Set<number>;
  /** Other names in first columns, and words in bold, normalized by `wordsOf`. */
  labels: string[];
}

/** Normalizes what is compared: lower-case words without decoration. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[`*"'“”()[\]{},:;!?…]+/g, ' ')
    .replaceAll(/\.(?=\s|$)/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const headingOf = /^#{1,6} (.*)$/;
const numberOf = /^(\d+(?:\.\d+)*|\d+[a-z])\.? /;
const ruleOf = /^(\d+)\. /;
const boldOf = /\*\*(.+?)\*\*/g;

export function sectionsOf(markdown: string): Section[] {
  const sections: Section[] = [];
  for (const line of markdown.split('\n')) {
    const heading = headingOf.exec(line)?.[1];
    if (heading === undefined) read(line, sections.at(-1));
    else sections.push(sectionOf(heading));
  }
  return sections;
}

function sectionOf(heading: string): Section {
  const number = numberOf.exec(heading)?.[1] ?? null;
  return { title: heading, number, rules: new Set(), labels: [] };
}

function read(line: string, section: Section | undefined): void {
  if (section === undefined) return;
  const rule = ruleOf.exec(line)?.[1];
  if (rule !== undefined) section.rules.add(Number(rule));
  for (const [, bold = ''] of line.matchAll(boldOf)) section.labels.push(wordsOf(bold));
  if (line.startsWith('| ')) readCell(line.slice(2).split(/(?<!\\)\|/)[0] ?? '', section);
}

/** "`a`, `b`" are two names; "setup-url: `POST …`" has both of its halves as names. */
function readCell(cell: string, { rules, labels }: Section): void {
  for (const name of [cell, ...cell.split(/[,;:]/)].map(wordsOf)) {
    if (/^\d+$/.test(name)) rules.add(Number(name));
    else if (name !== '') labels.push(name);
  }
}
