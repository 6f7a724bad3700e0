/**
 * Where a span belongs, by the id of the request that caused it. That id is in every call and event that results from a request, on every
 * node and in the store, so that nothing else must travel or be stored: a webhook that is retried an hour later by another node is in the
 * same trace. [operator-interface §2, OTEL_EXPORTER_OTLP_ENDPOINT]
 */
import { createHash } from 'node:crypto';
import { traceInId } from '../../kernel/request-id.ts';

interface TracePlace {
  /** 32 hex digits. */
  traceId: string;
  /** Span of the request itself, 16 hex digits: the parent of its calls and deliveries. */
  spanId: string;
  /** Span of the client that the request continues; null: the trace begins here. */
  clientSpanId: string | null;
}

export function placeOf(requestId: string): TracePlace {
  const digest = createHash('sha256').update(requestId).digest('hex');
  const [traceId, spanId] = [digest.slice(0, 32), digest.slice(32, 48)];
  const client = traceInId(requestId);
  return { traceId: client?.traceId ?? traceId, spanId, clientSpanId: client?.spanId ?? null };
}
