/** [operator-interface §2, OTEL_EXPORTER_OTLP_ENDPOINT] Spans of one module: their place, and a collector that fails. */
import { describe, expect, test } from '@jest/globals';
import { openTracing } from '../../src/app/tracing/index.ts';
import type { EndedSpan } from '../../src/app/tracing/index.ts';
import { placeOf } from '../../src/app/tracing/trace-ids.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { idOfTrace, traceInId } from '../../src/kernel/request-id.ts';
import type { Log } from '../../src/kernel/log.ts';
import { closeAfterEach } from '../support/closing.ts';
import { openCollector } from '../support/collector.ts';
import { silentLog } from '../support/silent-log.ts';

const closeLater = closeAfterEach();
const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

const span = (fields: Partial<EndedSpan> = {}): EndedSpan => ({
  name: 'POST /',
  kind: 'server',
  role: 'request',
  requestId: 'request-1',
  durationMs: 250,
  isError: false,
  attributes: { 'http.response.status_code': 200 },
  ...fields,
});

async function exported(spans: readonly EndedSpan[], status = 200, log: Log = silentLog) {
  const collector = await openCollector(status);
  closeLater(() => collector.close());
  const tracing = await openTracing({ endpoint: `${collector.url}/`, version: '1', clock: systemClock, log });
  for (const each of spans) tracing.ended(each);
  await tracing.close();
  return collector;
}

describe('a span', () => {
  test('of a request begins a trace, and what it caused is below it, whichever node tells of it', async () => {
    const request = await exported([span()]);
    const parts = await exported([
      span({ name: 'upstream POST', kind: 'client', role: 'part', isError: true }),
      span({ name: 'webhook POST', kind: 'client', role: 'part' }),
      span({ name: 'webhook POST', kind: 'client', role: 'alone', requestId: 'delivery-1' }),
    ]);
    const [root] = request.spans();
    const [call, webhook, alone] = parts.spans();
    expect(request.posts.map(({ path }) => path)).toEqual(['/v1/traces']);
    expect(root).toEqual({
      name: 'POST /',
      traceId: placeOf('request-1').traceId,
      spanId: placeOf('request-1').spanId,
      parentSpanId: null,
      status: 0,
      attributes: { 'http.response.status_code': 200, 'trunkline.request_id': 'request-1' },
      ms: 250,
    });
    expect([call?.traceId, call?.parentSpanId, call?.status]).toEqual([root?.traceId, root?.spanId, 2]);
    expect([webhook?.traceId, webhook?.parentSpanId]).toEqual([root?.traceId, root?.spanId]);
    expect(new Set([root?.spanId, call?.spanId, webhook?.spanId, alone?.spanId]).size).toBe(4);
    expect([alone?.traceId, alone?.parentSpanId]).toEqual([placeOf('delivery-1').traceId, null]);
  });

  test('of a request with the trace of its client is below the span of the client', async () => {
    const requestId = `${traceId}-${spanId}`;
    const collector = await exported([span({ requestId }), span({ role: 'part', requestId })]);
    const [request, part] = collector.spans();
    expect([request?.traceId, request?.parentSpanId]).toEqual([traceId, spanId]);
    expect([part?.traceId, part?.parentSpanId]).toEqual([traceId, request?.spanId]);
    expect(request?.spanId).not.toBe(spanId);
  });
});

test.each([
  ['a recorded trace', `00-${traceId}-${spanId}-01`, `${traceId}-${spanId}`],
  ['one with more flags', `00-${traceId}-${spanId}-03`, `${traceId}-${spanId}`],
  ['one that is not recorded', `00-${traceId}-${spanId}-00`, null],
  ['another version', `01-${traceId}-${spanId}-01`, null],
  ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`, null],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`, null],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`, null],
  ['more behind it', `00-${traceId}-${spanId}-01-x`, null],
  ['nothing', undefined, null],
])('traceparent: %s', (_words, given, id) => {
  expect(idOfTrace(given)).toBe(id);
  expect(id === null ? null : traceInId(id)).toEqual(id === null ? null : { traceId, spanId });
});

test.each(['request-1', traceId, `${traceId}-${spanId}-1`, `${'0'.repeat(32)}-${spanId}`])(
  'the id %s is of no trace',
  (id) => {
    expect(traceInId(id)).toBeNull();
    expect(placeOf(id).clientSpanId).toBeNull();
  },
);

test('a collector that refuses costs the spans, and one line', async () => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, warn: (...said: unknown[]) => void lines.push(said) };
  const collector = await exported([span(), span()], 400, log);
  expect(collector.posts).toHaveLength(1);
  expect(lines).toEqual([[{ reason: 'OTLPExporterError', times: 1 }, 'tracing.not-exported']]);
});
