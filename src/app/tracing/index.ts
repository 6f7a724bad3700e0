/**
 * Exports spans by OTLP over HTTP, in batches, beside the work: a collector that is slow or gone costs spans, nothing else. Loaded only when
 * there is a collector. [operator-interface §2, OTEL_EXPORTER_OTLP_ENDPOINT]
 */
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import { asError } from '../../kernel/faults.ts';
import { onceAWhile } from '../../kernel/once-a-while.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { placeOf } from './trace-ids.ts';

/** Something that ended now. Attributes are ids, kinds and statuses, never content or secrets. */
export interface EndedSpan {
  name: string;
  kind: 'server' | 'client';
  /** `request`: the request itself; `part`: caused by it; `alone`: without a request, `requestId` is an id of its own. */
  role: 'request' | 'part' | 'alone';
  requestId: string;
  durationMs: number;
  isError: boolean;
  attributes: Readonly<Record<string, string | number>>;
}

export interface Tracing {
  /** Never throws. */
  ended(span: EndedSpan): void;
  /** Exports what is left. */
  close(): Promise<void>;
}

interface TracingOptions {
  /** Base URL of the collector; spans go to `/v1/traces` below it. */
  endpoint: string;
  version: string;
  clock: Clock;
  log: Log;
}

const tellEveryMs = 60_000;
const exportTimeoutMs = 5_000;

export async function openTracing({ endpoint, version, clock, log }: TracingOptions): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const tell = onceAWhile(clock, tellEveryMs, (reason, times) =>
    log.warn({ reason, times }, 'tracing.not-exported'),
  );
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportTimeoutMs });
  const telling: SpanExporter = {
    export: (spans, done) =>
      exporter.export([...spans], (result) => {
        // oxlint-disable-next-line typescript/no-unsafe-enum-comparison -- the enum's package is loaded late
        if (result.code !== 0) tell(asError(result.error).name);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const ids = new NextIds(new sdk.RandomIdGenerator());
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'trunkline', 'service.version': version }),
    sampler: new sdk.AlwaysOnSampler(),
    idGenerator: ids,
    spanProcessors: [new sdk.BatchSpanProcessor(telling)],
  });
  const tracer = provider.getTracer('trunkline', version);
  const { ROOT_CONTEXT: root, SpanKind, SpanStatusCode, TraceFlags, trace } = api;
  return {
    ended({ name, kind, role, requestId, durationMs, isError, attributes }) {
      const { traceId, spanId, clientSpanId } = placeOf(requestId);
      const parentId = role === 'part' ? spanId : role === 'request' ? clientSpanId : null;
      const parent = { traceId, spanId: parentId ?? '', traceFlags: TraceFlags.SAMPLED, isRemote: true };
      ids.next = { traceId, spanId: role === 'request' ? spanId : null };
      const endedAt = clock.wall();
      const span = tracer.startSpan(
        name,
        {
          kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
          startTime: endedAt - durationMs,
          attributes: { ...attributes, 'trunkline.request_id': requestId },
        },
        parentId === null ? root : trace.setSpanContext(root, parent),
      );
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endedAt);
    },
    // Rejects only with what the last export failed with, which was told.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/** Gives the next span the ids that its place demands. */
class NextIds {
  next: { traceId: string; spanId: string | null } | null = null;
  readonly #random: { generateTraceId(): string; generateSpanId(): string };

  constructor(random: { generateTraceId(): string; generateSpanId(): string }) {
    this.#random = random;
  }

  generateTraceId = (): string => this.next?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.next?.spanId ?? this.#random.generateSpanId();
}
