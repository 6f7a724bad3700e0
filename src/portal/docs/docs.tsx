import { answerPage } from '../page.tsx';
import type { Page } from '../page.tsx';
import { pageRoute } from '../route.ts';

/** The viewer is `swagger-ui-dist`, served from here; it reads `/openapi.json` and talks to this origin only. */
const page: Page = {
  title: 'Trunkline API',
  styles: ['swagger-ui.css', 'docs.css'],
  plainScripts: ['swagger-ui-bundle.js'],
  scripts: ['docs.js'],
  body: (
    <main>
      <p class="links">
        <a href="/portal">Portal</a> · <a href="/docs/verify">Check a signature</a> ·{' '}
        <a href="/openapi.json">The contract as data</a>
      </p>
      <div id="contract" />
      <noscript>This page needs JavaScript; the contract is at /openapi.json.</noscript>
    </main>
  ),
};

/** [operator-interface §3] */
export const docsRoute = pageRoute({
  method: 'get',
  path: '/docs',
  name: 'docs',
  tag: 'Contract',
  summary: 'A page to read the contract and to try it',
  answers: { 200: { contentType: 'text/html', description: 'The page' } },
  open: (_request, response) => answerPage(response, 200, page),
});
