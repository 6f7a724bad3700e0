/** The pages of `docs/` that API clients read, with calls to this service. */
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { docsRoute } from './frame.tsx';
import { renderMarkdown } from './render.tsx';
import type { Rendered } from './render.tsx';

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

function makePage(file: string, baseUrl: string): Rendered {
  const text = readFileSync(join(folder, file), 'utf8').replaceAll(written, () => baseUrl);
  return renderMarkdown(text, resolveIn(file));
}

/** Made at the first request, and once, because a service has one base URL. */
const made = new Map<string, { baseUrl: string; page: Rendered }>();

function pageOf(file: string, baseUrl: string): Rendered {
  const known = made.get(file);
  if (known?.baseUrl === baseUrl) return known.page;
  const page = makePage(file, baseUrl);
  made.set(file, { baseUrl, page });
  return page;
}

export const docPageRoutes = Object.entries(pages).map(([file, { path, name, title }]) =>
  docsRoute(path, name, (baseUrl) => ({ title, path, ...pageOf(file, baseUrl) })),
);
