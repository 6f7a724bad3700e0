import type { Request } from 'express';
import { sendJson, sendRedirect } from '../answers.ts';
import { openRoute } from '../route.ts';
import { responseObject, string } from '../validation/json-schema.ts';

const where = responseObject('Root', {
  name: string,
  api: string,
  docs: string,
  openapi: string,
  portal: string,
});

/** The bare address: redirects a browser to the portal and tells a program the addresses of the service. */
export const rootRoute = openRoute({
  get: '/',
  name: 'root',
  contract: {
    tag: 'Contract',
    summary: 'Lists the addresses of the service; redirects browsers to the portal',
    answers: {
      200: { contentType: 'application/json', schema: where, description: 'The addresses' },
      302: { contentType: 'text/plain', description: 'Redirect to the portal, for clients that accept HTML' },
    },
  },
  failures: 'json',
  open(request, response, { baseUrl }) {
    if (acceptsHtml(request)) return sendRedirect(response, '/portal');
    const at = (path: string): string => `${baseUrl}${path}`;
    const places = {
      api: at('/api/v1'),
      docs: at('/docs'),
      openapi: at('/openapi.json'),
      portal: at('/portal'),
    };
    sendJson(response, 200, { name: 'Trunkline', ...places });
  },
});

function acceptsHtml({ headers }: Request): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '');
}
