/** The pages and sources of this repository, for the tests of `docs/`. */
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Pages } from './citations.ts';
import { sectionsOf } from './page.ts';
import type { Section } from './page.ts';

export const root = join(import.meta.dirname, '..', '..');
export const asText = (file: string): string => readFileSync(join(root, file), 'utf8');

const notOurs = new Set(['node_modules', 'results', 'dist', 'data', 'coverage']);

/** The files below the folder that end in one of these, relative to the root. */
export function filesIn(folder: string, endings: readonly string[]): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.name.startsWith('.') || notOurs.has(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(path, endings);
    return endings.includes(extname(entry.name)) ? [path] : [];
  });
}

const pagesOf = (...files: string[]): Section[] => files.flatMap((file) => sectionsOf(asText(file)));

export const pages: Pages = {
  spec: pagesOf('docs/contract.md'),
  architecture: pagesOf('docs/architecture.md'),
  faults: pagesOf('docs/faults.md'),
  upstream: pagesOf('docs/upstream.md'),
  'operator-interface': pagesOf(...filesIn('docs/operating', ['.md'])),
  performance: pagesOf('docs/performance.md'),
};
