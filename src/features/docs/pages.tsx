/** The pages of `docs/` that API clients read, with calls to this service. */
import { pageRoute } from '../route.ts';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { VNode } from 'preact';
import { answerPage } from '../../pages/page.tsx';
import { DocsLinks } from './links.tsx';
import { renderMarkdown } from './render.tsx';

const folder = join(import.meta.dirname, '../../../docs');
/** The address of the calls in the files. */
const written = /(http:\/\/)?localhost:3000/g;

/** By its file in `docs/`. `npm run build` copies them, by package.json. */
const pages: Readonly<Record<string, { path: string; name: string; title: string }>> = {
  'clients.md': { path: '/docs/guide', name: 'guidePage', title: 'Guide' },
  'contract.md': { path: '/docs/contract', name: 'contractPage', title: 'Contract' },
  'operating/decisions.md': { path: '/docs/decisions', name: 'decisionsPage', title: 'Decisions' },
  'error-codes.md': { path: '/docs/error-codes', name: 'errorCodesPage', title: 'Error codes' },
};

/** Links to files that are not served become text. */
function resolveIn(file: string): (to: string) => string | undefined {
  return (to) => {
    if (to.startsWith('https:') || to.startsWith('#')) return to;
    const [path = '', anchor] = to.split('#');
    const page = pages[posix.join(posix.dirname(file), path)];
    if (page === undefined) return undefined;
    return anchor === undefined ? page.path : `${page.path}#${anchor}`;
  };
}

function makePage(file: string, path: string, baseUrl: string): VNode {
  const text = readFileSync(join(folder, file), 'utf8').replaceAll(written, () => baseUrl);
  return (
    <main class="guide">
      <p class="back">
        <DocsLinks at={path} />
      </p>
      {renderMarkdown(text, resolveIn(file))}
    </main>
  );
}

/** Made at the first request, and once, because a service has one base URL. */
const made = new Map<string, { baseUrl: string; page: VNode }>();

function pageOf(file: string, path: string, baseUrl: string): VNode {
  const known = made.get(file);
  if (known?.baseUrl === baseUrl) return known.page;
  const page = makePage(file, path, baseUrl);
  made.set(file, { baseUrl, page });
  return page;
}

export const docPageRoutes = Object.entries(pages).map(([file, { path, name, title }]) =>
  pageRoute({
    get: path,
    name,
    open: (_request, response, { baseUrl }) =>
      answerPage(response, 200, {
        title: `${title} · Trunkline`,
        scripts: ['page.js'],
        body: pageOf(file, path, baseUrl),
      }),
  }),
);
