import { publicPage } from '../route.ts';
import type { FeaturePages, PublicContext } from '../route.ts';
import { answerDocs, docsPath } from './frame.tsx';

/** The viewer is `swagger-ui-dist`, served from here; it reads `/openapi.json` and calls only this origin. */
function show(context: PublicContext, part: 'clients' | 'operators'): void {
  const isOperators = part === 'operators';
  answerDocs(context, {
    title: isOperators ? 'API for operators' : 'API',
    path: docsPath,
    heading: isOperators ? 'API for operators' : 'API',
    styles: ['swagger-ui.css', 'portal.css', 'docs.css'],
    plainScripts: ['swagger-ui-bundle.js'],
    scripts: ['docs.js'],
    contents: [],
    holdsMain: true,
    body: (
      <>
        <nav class="links" aria-label="The contract">
          <a href="/openapi.json">The contract as data</a> ·{' '}
          {isOperators ? (
            <a href={docsPath}>For clients</a>
          ) : (
            <a href={`${docsPath}/operators`}>For operators</a>
          )}
        </nav>
        <div id="contract" data-part={part} />
        <noscript>This page needs JavaScript; the contract is at /openapi.json.</noscript>
      </>
    ),
  });
}

/** [operator-interface §3] */
export const docPages: FeaturePages = {
  routes: [
    publicPage({
      get: docsPath,
      name: 'docs',
      contract: {
        tag: 'Contract',
        summary: 'A page to read this document and to try its calls',
        answers: { 200: { contentType: 'text/html', description: 'The page' } },
      },
      open: (context) => show(context, 'clients'),
    }),
    publicPage({
      get: `${docsPath}/operators`,
      name: 'docsOfOperators',
      open: (context) => show(context, 'operators'),
    }),
  ],
  place: { path: docsPath, name: 'Docs', icon: 'book', group: 'Build' },
};
