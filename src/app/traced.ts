/** What of a node's work becomes spans. [operator-interface §2, OTEL_EXPORTER_OTLP_ENDPOINT] */
import type { IncomingMessage } from 'node:http';
import type { WebhookPost, WebhookResult } from '../rules/outside.ts';
import { openTracing } from './tracing/index.ts';
import type { Tracing } from './tracing/index.ts';
import { readRequestId } from '../http/middleware/request-headers.ts';
import { upstreamPostRoute } from '../features/messages/upstream-webhooks.ts';
import type { HttpOptions } from '../http/options.ts';
import { readBuild } from '../kernel/version.ts';
import type { Settings } from '../../config/settings.ts';
import type { Node } from './node.ts';

/** null, and nothing is loaded: there is no collector. */
export async function openTracingOf(
  settings: Settings,
  { clock, log, stages }: Pick<Node, 'clock' | 'log' | 'stages'>,
): Promise<Tracing | null> {
  const { tracesEndpoint: endpoint } = settings;
  if (endpoint === null) return null;
  const tracing = await openTracing({ endpoint, version: readBuild().version, clock, log });
  stages.started('tracing', () => tracing.close());
  return tracing;
}

type Call = Parameters<NonNullable<HttpOptions['callEnded']>>[0];

/** A request with a valid key: nobody else begins or continues a trace. */
export function traceCall(tracing: Tracing, call: Call): void {
  const { method, route, status, code, requestId, durationMs, accountId } = call;
  tracing.ended({
    name: `${method} ${route}`,
    kind: 'server',
    role: 'request',
    requestId,
    durationMs,
    isError: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'trunkline.account_id': accountId,
      ...(code === null ? {} : { 'error.type': code }),
    },
  });
}

interface EndedPost {
  route: string;
  status: number;
  ms: number;
  request: IncomingMessage;
}

/** Upstream's POST; a refused one had no valid signature. */
export function tracePost(tracing: Tracing, { route, status, ms, request }: EndedPost): void {
  if (route !== upstreamPostRoute.name || (status >= 400 && status < 500)) return;
  tracing.ended({
    name: `POST ${upstreamPostRoute.path}`,
    kind: 'server',
    role: 'request',
    requestId: readRequestId(request),
    durationMs: ms,
    isError: status >= 500,
    attributes: {
      'http.request.method': 'POST',
      'http.route': upstreamPostRoute.path,
      'http.response.status_code': status,
    },
  });
}

/** The path is left out: it may have a token. */
export function traceUpstream(
  tracing: Tracing,
  { method, requestId, status, ms }: { method: string; requestId: string; status: number | null; ms: number },
): void {
  tracing.ended({
    name: `upstream ${method}`,
    kind: 'client',
    role: 'part',
    requestId,
    durationMs: ms,
    isError: status === null || status >= 400,
    attributes: {
      'http.request.method': method,
      ...(status === null ? {} : { 'http.response.status_code': status }),
    },
  });
}

export function traceAttempt(tracing: Tracing, post: WebhookPost, result: WebhookResult, ms: number): void {
  const { channelId, deliveryId, attempt } = post;
  const requestId = post.requestId ?? null;
  tracing.ended({
    name: 'webhook POST',
    kind: 'client',
    role: requestId === null ? 'alone' : 'part',
    requestId: requestId ?? deliveryId,
    durationMs: ms,
    isError: !result.ok,
    attributes: {
      'http.request.method': 'POST',
      'trunkline.channel_id': channelId,
      'trunkline.delivery_id': deliveryId,
      'trunkline.attempt': attempt,
      ...(result.status === null ? {} : { 'http.response.status_code': result.status }),
      ...(result.ok ? {} : { 'error.type': result.reason }),
    },
  });
}
