import type { Response, Request } from 'express';
import { sendJson, sendText, sendRedirect, sendBytes } from './answers.ts';
import type { RouteContext } from './options.ts';
import { requireAdmin } from './middleware/authenticate.ts';
import { openRoute } from './route.ts';
import { openWords, responseObject, string } from './validation/json-schema.ts';

const tag = 'Health';
const json = 'application/json';

const readiness = responseObject(
  'Readiness',
  { status: openWords(['ready', 'not_ready']), parts: { type: 'object', additionalProperties: string } },
  { detail: string },
);

/** [operator-interface §1] Ready within 2 s of start. Liveness depends on nothing but the process. */
export const operationRoutes = [
  openRoute({
    get: '/healthz',
    name: 'health',
    contract: {
      tag,
      summary: 'Liveness probe: the process runs',
      answers: {
        200: {
          contentType: json,
          schema: responseObject('Health', { status: string }),
          description: 'Alive',
        },
      },
    },
    failures: 'json',
    open: (_request, response) => sendJson(response, 200, { status: 'ok' }),
  }),
  openRoute({
    get: '/readyz',
    name: 'readiness',
    contract: {
      tag,
      summary: 'Readiness probe: the node can serve requests',
      answers: {
        200: { contentType: json, schema: readiness, description: 'Ready' },
        503: {
          contentType: json,
          schema: readiness,
          description: 'Starting, draining, without a lease, or the store is unreachable',
        },
      },
    },
    failures: 'json',
    open: (_request, response, context) => showReadiness(response, context),
  }),
  openRoute({
    get: '/metrics',
    name: 'metrics',
    contract: {
      tag,
      summary:
        'Metrics in the Prometheus text format; on the public listener of a cluster they require the admin token',
      answers: { 200: { contentType: 'text/plain', description: 'Metrics' } },
    },
    failures: 'json',
    isHere: ({ metrics }) => metrics !== null,
    async open(request, response, context) {
      if (context.metrics === null) return;
      if (context.metricsNeedToken) await requireAdmin(request, context);
      const { contentType, body } = await context.metrics();
      sendText(response, 200, body, contentType);
    },
  }),
];

function showReadiness(response: Response, context: RouteContext): void {
  const { ready, parts } = context.readiness();
  if (ready) return sendJson(response, 200, { status: 'ready', parts });
  sendJson(response, 503, { status: 'not_ready', parts, detail: 'Not ready' }, ['Retry-After', '1']);
}

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
      200: { contentType: json, schema: where, description: 'The addresses' },
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

/** [operator-interface §3] */
export const contractRoute = openRoute({
  get: '/openapi.json',
  name: 'contract',
  contract: {
    tag: 'Contract',
    summary: 'This OpenAPI document',
    answers: { 200: { contentType: json, description: 'OpenAPI 3.1' } },
  },
  failures: 'json',
  open: (_request, response, { openApi }) => sendBytes(response, 200, [openApi()]),
});
