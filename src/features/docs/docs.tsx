import { pageRoute } from '../route.ts';
import type { FeaturePages } from '../route.ts';
import { answerPage } from '../../pages/page.tsx';
import type { Page } from '../../pages/page.tsx';
import { DocsLinks } from './links.tsx';

/** The viewer is `swagger-ui-dist`, served from here; it reads `/openapi.json` and calls only this origin. */
function page(part: 'clients' | 'operators'): Page {
  const isOperators = part === 'operators';
  return {
    title: isOperators ? 'Trunkline API: operators' : 'Trunkline API',
    styles: ['swagger-ui.css', 'docs.css'],
    plainScripts: ['swagger-ui-bundle.js'],
    scripts: ['docs.js'],
    body: (
      <div class="docs">
        <nav class="links" aria-label="Docs">
          <DocsLinks at="/docs" /> · <a href="/openapi.json">The contract as data</a> ·{' '}
          {isOperators ? <a href="/docs">For clients</a> : <a href="/docs/operators">For operators</a>}
        </nav>
        <div id="contract" data-part={part} />
        <noscript>This page needs JavaScript; the contract is at /openapi.json.</noscript>
      </div>
    ),
  };
}

/** [operator-interface §3] */
export const docPages: FeaturePages = {
  routes: [
    pageRoute({
      get: '/docs',
      name: 'docs',
      contract: {
        tag: 'Contract',
        summary: 'A page to read this document and to try its calls',
        answers: { 200: { contentType: 'text/html', description: 'The page' } },
      },
      open: (_request, response) => answerPage(response, 200, page('clients')),
    }),
    pageRoute({
      get: '/docs/operators',
      name: 'docsOfOperators',
      open: (_request, response) => answerPage(response, 200, page('operators')),
    }),
  ],
  place: { path: '/docs', name: 'Docs', icon: 'book', group: 'Build' },
};
