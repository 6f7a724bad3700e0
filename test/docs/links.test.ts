/** Every link of a page leads somewhere, and every setting is on the page of settings. */
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesIn, root, asText } from './pages.ts';

const pagesOfOurs = filesIn('.', ['.md']);

interface Link {
  from: string;
  to: string;
}

/** Relative links outside of code; others leave the repository or lead to the running service. */
function linksOf(file: string): Link[] {
  const prose = asText(file).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => ({ from: file, to }))
    .filter(({ to }) => !/^[a-z]+:/.test(to));
}

/** The anchor of a heading, as Markdown viewers make it. */
function anchorsOf(file: string): string[] {
  return [...asText(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function arrives({ from, to }: Link): boolean {
  const [path = '', anchor] = to.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

describe('links', () => {
  test('every relative link of every page leads somewhere', () => {
    const lost = pagesOfOurs.flatMap(linksOf).filter((link) => !arrives(link));
    expect(lost).toEqual([]);
  });

  test.each(['docs/nowhere.md', '#no-such-heading', 'docs/contract.md#no-such-heading'])(
    '%s does not',
    (to) => {
      expect(arrives({ from: 'README.md', to })).toBe(false);
    },
  );
});

/** What a run or a build makes, and `NAME.ts`, where the reader inserts a name. */
const isNoName = (name: string): boolean => /^(?:bench\/results|dist)\/$|(?:^|\/)[A-Z]+\.ts$/.test(name);

/** Files and folders that a page names: from the root or `src/`, or relative to the module of the page. */
function namedBy(file: string): Link[] {
  const names = [
    ...asText(file).matchAll(/`((?:[\w.-]+\/)+|[\w./-]+\.(?:md|lua|env))`|(?<![\w./*-])(\w[\w./-]*\.ts)\b/g),
  ];
  return names
    .map(([, to, other = '']) => ({ from: file, to: to ?? other }))
    .filter(({ to }) => !isNoName(to));
}

const everything = filesIn('.', ['.ts', '.tsx', '.md', '.lua', '.json', '.env', '.js', '.mjs', '.py']);

function isThere({ from, to }: Link): boolean {
  const module = `${dirname(from)}/`;
  const inRoom = (file: string): boolean =>
    module === './' || /^(docs|test)\//.test(from) || file.endsWith('.test.ts') || file.startsWith(module);
  const wanted = to.endsWith('/')
    ? (file: string) => `/${file}`.includes(`/${to}`)
    : (file: string) => `/${file}`.endsWith(`/${to}`);
  return everything.some(
    (file) => wanted(file) && (inRoom(file) || file.startsWith(to) || file.startsWith(`src/${to}`)),
  );
}

describe('names', () => {
  test('every file and folder that a page names exists', () => {
    expect(pagesOfOurs.flatMap(namedBy).filter((name) => !isThere(name))).toEqual([]);
  });

  test('a file that does not exist is found', () => {
    expect(isThere({ from: 'src/http/README.md', to: 'no-such-file.ts' })).toBe(false);
  });

  test('every npm script that a page names exists', () => {
    const known = /"([\w:]+)": /g;
    const scripts = new Set([...asText('package.json').matchAll(known)].map(([, name = '']) => name));
    const named = pagesOfOurs.flatMap((file) =>
      [...asText(file).matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => `${file}: ${name}`),
    );
    expect(named.filter((name) => !scripts.has(name.split(': ')[1] ?? ''))).toEqual([]);
  });
});

describe('modules', () => {
  const modules = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}/`);

  test.each(modules)(
    '%s has a page, and the map of docs/README.md and the architecture name it',
    (module) => {
      expect(existsSync(join(root, module, 'README.md'))).toBe(true);
      expect(asText('docs/README.md')).toContain(`(../${module}README.md)`);
      expect(asText('docs/architecture.md')).toContain(`\`${module}\``);
    },
  );
});

describe('the page of settings', () => {
  test('names every variable of example.env', () => {
    const page = asText('docs/operating/configuration.md');
    const variables = [...asText('config/example.env').matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
