import type { Response } from 'express';
import { sendJson, sendText } from '../answers.ts';
import type { RouteContext } from '../options.ts';
import { requireAdmin } from '../middleware/admin-token.ts';
import { openRoute } from '../route.ts';
import { openWords, responseObject, string } from '../validation/json-schema.ts';

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
          description: 'Starting, draining, or a store or the lock service is unreachable',
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
