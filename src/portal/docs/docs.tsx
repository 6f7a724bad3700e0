import { answerPage } from '../page.tsx';
import type { Page } from '../page.tsx';
import { pageRoute } from '../route.ts';

/** The rest is built from `/openapi.json` by the client file; it talks to this origin only. */
const page: Page = {
  title: 'Trunkline API',
  styles: ['docs.css'],
  scripts: ['docs.js'],
  body: (
    <div class="beside">
      <nav aria-label="Operations">
        <strong>Trunkline API</strong>
      </nav>
      <main>
        <h1>Trunkline API v1</h1>
        <p>
          Requests go to this very service. The machine-readable contract is{' '}
          <a href="/openapi.json">/openapi.json</a>.
        </p>
        <div class="keys" id="keys" />
        <div id="operations" />
        <noscript>This page needs JavaScript; the contract is at /openapi.json.</noscript>
      </main>
    </div>
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
