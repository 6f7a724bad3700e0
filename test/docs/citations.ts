/** The citations in brackets in comments and tests, and whether `docs/` has what they cite. `docs/README.md` describes their grammar. */
import { wordsOf } from './page.ts';
import type { Section } from './page.ts';

const sources = ['spec', 'architecture', 'faults', 'upstream', 'operator-interface', 'performance'] as const;
type Source = (typeof sources)[number];
export type Pages = Record<Source, Section[]>;

interface Citation {
  line: number;
  /** Without the brackets, on one line. */
  text: string;
}

const known = sources.join('|');
/** A source and a place; or any other word before a section sign, or `issue:`, which are citations of something that does not exist. */
const cited = new RegExp(`\\[((?:(?:${known})(?:: ?| §|,? \\d| [A-Z])|issue: |[\\w-]+ §)[^\\]]*)\\]`, 'g');

export function citationsIn(source: string): Citation[] {
  return [...source.matchAll(cited)].map(({ 1: text = '', index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: text.replaceAll(/\s*\n\s*(?:\*|\/\/|--|#)?\s*/g, ' '),
  }));
}

/** The parts of the citation that cannot be found; empty if it resolves. */
export function danglingIn({ text }: Citation, pages: Pages): string[] {
  const missing: string[] = [];
  let source: Source | null = null;
  for (const group of withoutNotes(text).split(';')) {
    const named = new RegExp(`^\\s*(${known}):?\\s+`).exec(group);
    if (named !== null) source = sources.find((each) => each === named[1]) ?? null;
    const places = group.slice(named?.[0].length ?? 0);
    if (source === null) missing.push(group.trim());
    else missing.push(...danglingPlaces(places, pages[source]));
  }
  return missing;
}

const aside = new RegExp(`(?<!(?:^|; ?)(?:${known})):\\s[^;]*`, 'g');

/** Text in quotation marks, and after a colon, is only for the reader. */
function withoutNotes(text: string): string {
  return text.replaceAll(/"[^"]*"/g, '').replaceAll(aside, '');
}

/** A place may continue the previous one: "Authentication 2, 3", "§4, Drain". */
function danglingPlaces(places: string, page: Section[]): string[] {
  let within: Section[] = [];
  return places
    .split(',')
    .map((place) => place.trim())
    .filter((place) => {
      const found = find(place, within, page);
      if (found !== null && found.length > 0) within = found;
      return found === null;
    });
}

/** The sections that the place names: [] for a label or number, null if there is no such place. */
function find(place: string, within: Section[], page: Section[]): Section[] | null {
  if (place.startsWith('§')) return findNumbered(place.slice(1), page);
  const numbers = rangeOf(place.replace(/^(?:rules?|bench|step) /, ''));
  if (numbers !== null)
    return numbers.every((number) => hasRule(within.length > 0 ? within : page, number)) ? [] : null;
  const letters = letteredRange(place);
  if (letters !== null) return letters.every((label) => hasLabel(page, label)) ? [] : null;
  return findTitled(place, page) ?? findRuleOf(place, page) ?? (hasLabel(page, place) ? [] : null);
}

/** `4`, `4.1`, `3a`, `6.1-2`, `4.1–4.6`, each with or without a name or "step 4" after it. */
function findNumbered(place: string, page: Section[]): Section[] | null {
  const parts = /^(\d+[a-z]?)(?:\.(\d+))?(?:[-–](?:\d+\.)?(\d+))?(?:\s+(.+))?$/.exec(place);
  if (parts === null) return null;
  const [, main = '', first, last, name] = parts;
  const found =
    first === undefined
      ? sectionsAt(main, page)
      : subsections(main, Number(first), Number(last ?? first), page);
  if (found === null || found.length === 0) return null;
  return name === undefined || find(name, found, page) !== null ? found : null;
}

function subsections(main: string, first: number, last: number, page: Section[]): Section[] | null {
  const found: Section[] = [];
  for (let number = first; number <= last; number += 1) {
    const at = sectionsAt(`${main}.${number}`, page);
    const rules = at.length > 0 ? at : sectionsAt(main, page).filter((section) => section.rules.has(number));
    if (rules.length === 0) return null;
    found.push(...rules);
  }
  return found;
}

const sectionsAt = (number: string, page: Section[]): Section[] =>
  page.filter((section) => section.number === number);

/** A title, or its first words, or what stands in brackets in it: "Channel", "ChannelOut" of "Channel (ChannelOut)". */
function findTitled(place: string, page: Section[]): Section[] | null {
  const found = page.filter(({ title }) => {
    const inBrackets = /\(([^)]+)\)/.exec(title)?.[1];
    return [title, inBrackets ?? ''].some((name) => startsWith(wordsOf(name), wordsOf(place)));
  });
  return found.length > 0 ? found : null;
}

/** "Errors 3", "message.echo rule 1", "4a 1-5". */
function findRuleOf(place: string, page: Section[]): Section[] | null {
  const parts = /^(.+?)(?: rules?)? (\d+(?:[-–]\d+)?)$/.exec(place);
  const found = parts === null ? null : findTitled(parts[1] ?? '', page);
  const numbers = rangeOf(parts?.[2] ?? '');
  return found !== null && numbers?.every((number) => hasRule(found, number)) === true ? found : null;
}

function rangeOf(text: string): number[] | null {
  const parts = /^(\d+)(?:(?:[-–]| to )(\d+))?$/.exec(text);
  if (parts === null) return null;
  const [first, last] = [Number(parts[1]), Number(parts[2] ?? parts[1])];
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => first + at);
}

/** "I1-I5", "I1 to I4". */
function letteredRange(text: string): string[] | null {
  const parts = /^([A-Z]+)(\d+)(?:[-–]| to )\1(\d+)$/.exec(text);
  return parts === null
    ? null
    : (rangeOf(`${parts[2]}-${parts[3]}`) ?? []).map((number) => `${parts[1]}${number}`);
}

const hasRule = (sections: Section[], number: number): boolean =>
  sections.some(({ rules }) => rules.has(number));

function hasLabel(page: Section[], label: string): boolean {
  const words = wordsOf(label);
  return words !== '' && page.some(({ labels }) => labels.some((known_) => startsWith(known_, words)));
}

const startsWith = (text: string, words: string): boolean => text === words || text.startsWith(`${words} `);
