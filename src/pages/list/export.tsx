/** A list as a file, with the filter of its page. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { VNode } from 'preact';
import { fault } from '../../kernel/faults.ts';
import { drained } from '../../http/file-answer.ts';
import { readRequestId } from '../../http/middleware/request-headers.ts';
import type { Page, PagePosition } from '../../kernel/paging.ts';
import type { PageContext } from '../session/context.ts';

const perRead = 500;
/** Of a list whose own bounds are wider. */
const mostExported = 100_000;
/** Each looks at some thousand items at most: few of many may match. */
const mostReads = 1_000;

export interface ExportFormat<T> {
  extension: 'csv' | 'jsonl';
  head: string;
  line: (item: T) => string;
}

export interface Exported<T> {
  name: string;
  format: ExportFormat<T>;
  /** null: the filter is not valid. */
  read: ((cursor: PagePosition | null, limit: number) => Promise<Page<T>>) | null;
  /** Called when the file begins, before its first byte: records who takes it. */
  began: () => Promise<void>;
  /** The last line of a file that ends before the list does; without it the file has the whole list. */
  cutWith?: (items: number) => string;
}

interface Context extends Pick<PageContext, 'exportSlots' | 'clock'> {
  request: IncomingMessage;
  response: ServerResponse;
}

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson' };

/**
 * Writes page by page with back-pressure, so that a long list is never in memory at once. Takes one of the few export slots of `whose`.
 * Throws Fault 422 if the filter is invalid, and 503 while too many exports run. [faults: 85, 180, 416]
 */
export async function exportList<T>(
  context: Context,
  whose: string,
  { read, ...exported }: Exported<T>,
): Promise<void> {
  const { request, response, exportSlots } = context;
  if (read === null) throw fault('validation', { errors: [] });
  const free = exportSlots.take(whose);
  if (free === null) throw fault('overloaded', { retryAfter: 1 });
  try {
    const first = await read(null, perRead);
    if (request.method !== 'HEAD') await exported.began();
    response.writeHead(200, headersOf(exported, readRequestId(request)));
    if (request.method === 'HEAD') response.end();
    else await pour(written({ ...exported, read }, first), context);
  } finally {
    free();
  }
}

function headersOf<T>({ name, format }: Pick<Exported<T>, 'name' | 'format'>, requestId: string) {
  return {
    'Content-Type': types[format.extension],
    'Content-Disposition': `attachment; filename="${name}.${format.extension}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

async function* written<T>(
  { format: { head, line }, read, cutWith }: Exported<T> & { read: NonNullable<Exported<T>['read']> },
  first: Page<T>,
): AsyncGenerator<string> {
  yield head;
  let page = first;
  let count = 0;
  for (let reads = 1; ; reads += 1) {
    const items = cutWith === undefined ? page.items : page.items.slice(0, mostExported - count);
    yield items.map(line).join('');
    count += items.length;
    const isCut = count === mostExported || reads === mostReads;
    if (page.nextCursor === null) return;
    if (isCut && cutWith !== undefined) return yield cutWith(count);
    page = await read(page.nextCursor, perRead);
  }
}

/**
 * Stops reading when the client disconnects or reads nothing for long. After the head an error goes to the route's failure handler, which
 * logs it and closes the connection, because half a list must not look complete.
 */
async function pour(pages: AsyncIterable<string>, { response, clock }: Context): Promise<void> {
  for await (const lines of pages) {
    if (response.destroyed) return;
    if (!response.write(lines)) await drained(response, clock);
  }
  response.end();
}

/** `query`: the filter as in the URL of the list. */
export function ExportLink({ path, query }: { path: string; query: string }): VNode {
  return (
    <p>
      Export what is filtered: <a href={`${path}/export${query === '' ? '' : `?${query}`}`}>CSV</a>{' '}
      <span class="dim">(the newest {mostExported.toLocaleString('en')} at most)</span>
    </p>
  );
}

/** The last line of a cut CSV. */
export function cutLine(items: number): string {
  return `"Not all: the list goes on behind these ${items.toLocaleString('en')}. Filter by time for the others."\n`;
}
