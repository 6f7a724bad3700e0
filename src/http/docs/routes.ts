import { sendJson, sendPage } from '../answers.ts';
import { openRoute } from '../route.ts';
import { docsHtml, docsPolicy } from './page.ts';

const tag = 'Contract';

/** [operator-interface §3] */
export const docsRoutes = [
  openRoute({
    method: 'get',
    path: '/openapi.json',
    name: 'contract',
    tag,
    summary: 'This contract',
    failures: 'json',
    answers: { 200: { contentType: 'application/json', description: 'OpenAPI 3.1' } },
    open: (_request, response, { openApi }) => sendJson(response, 200, openApi),
  }),
  openRoute({
    method: 'get',
    path: '/docs',
    name: 'docs',
    tag,
    summary: 'A page to read the contract and to try it',
    failures: 'page',
    answers: { 200: { contentType: 'text/html', description: 'The page' } },
    open: (_request, response) => sendPage(response, 200, docsHtml, docsPolicy),
  }),
];
