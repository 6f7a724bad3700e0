/** Whoever follows a link of a page arrives, and what operators can set stands on their page. */
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { filesIn, root, textOf } from './pages.ts';

const pagesOfOurs = filesIn('.', ['.md']);

interface Link {
  from: string;
  to: string;
}

/** Relative links outside of code; the others leave the repository or lead to the running service. */
function linksOf(file: string): Link[] {
  const prose = textOf(file).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to = '']) => ({ from: file, to }))
    .filter(({ to }) => !/^[a-z]+:/.test(to));
}

/** As a reader's page makes an anchor of a heading. */
function anchorsOf(file: string): string[] {
  return [...textOf(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
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

describe('the page of settings', () => {
  test('names every variable of example.env', () => {
    const page = textOf('docs/operating/configuration.md');
    const variables = [...textOf('config/example.env').matchAll(/^([A-Z_]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(variables.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
