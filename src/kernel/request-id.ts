/** The id of a request that continues a client's trace: `{trace id}-{span id}`, of the W3C header `traceparent`. */
interface ClientTrace {
  traceId: string;
  spanId: string;
}

const sampled = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f][13579bdf]$/;
const ofTrace = /^([0-9a-f]{32})-([0-9a-f]{16})$/;
const nothing = /^0+$/;

/** null: the header is invalid, or its trace is not recorded. */
export function idOfTrace(traceparent: unknown): string | null {
  const [, traceId = '0', spanId = '0'] = sampled.exec(String(traceparent)) ?? [];
  return nothing.test(traceId) || nothing.test(spanId) ? null : `${traceId}-${spanId}`;
}

/** null: an id of another form. */
export function traceInId(requestId: string): ClientTrace | null {
  const [, traceId = '0', spanId = '0'] = ofTrace.exec(requestId) ?? [];
  return nothing.test(traceId) || nothing.test(spanId) ? null : { traceId, spanId };
}
