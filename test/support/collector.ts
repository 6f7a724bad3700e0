/** A collector of traces that keeps what it gets, as OTLP/JSON. */
import { createServer } from 'node:http';
import { asList, asRecord } from '../../src/kernel/json.ts';
import { listening } from './ports.ts';

export interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  /** 2: error. */
  status: number;
  attributes: Record<string, unknown>;
  ms: number;
}

interface Collector {
  url: string;
  /** Path and body of each POST. */
  posts: { path: string; body: string }[];
  spans: () => CollectedSpan[];
  close: () => Promise<void>;
}

export async function openCollector(status = 200): Promise<Collector> {
  const posts: Collector['posts'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      posts.push({ path: request.url ?? '', body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    posts,
    spans: () => posts.flatMap(({ body }) => spansIn(JSON.parse(body))),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function spansIn(body: unknown): CollectedSpan[] {
  return asList(asRecord(body)?.['resourceSpans'])
    .flatMap((each) => asList(asRecord(each)?.['scopeSpans']))
    .flatMap((each) => asList(asRecord(each)?.['spans']))
    .map((span) => readSpan(asRecord(span) ?? {}));
}

function readSpan(span: Readonly<Record<string, unknown>>): CollectedSpan {
  const attributes = asList(span['attributes']).map((each) => {
    const { key, value } = asRecord(each) ?? {};
    return [String(key), Object.values(asRecord(value) ?? {})[0]] as const;
  });
  const ns = BigInt(String(span['endTimeUnixNano'])) - BigInt(String(span['startTimeUnixNano']));
  const parent = span['parentSpanId'];
  return {
    name: String(span['name']),
    traceId: String(span['traceId']),
    spanId: String(span['spanId']),
    parentSpanId: typeof parent === 'string' && parent !== '' ? parent : null,
    status: Number(asRecord(span['status'])?.['code'] ?? 0),
    attributes: Object.fromEntries(attributes),
    ms: Number(ns / 1_000_000n),
  };
}
