import type { PageContext } from '../../route.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fault } from '../../../kernel/faults.ts';
import { toIso } from '../../../kernel/clock.ts';
import { drained } from '../../../http/file-answer.ts';
import { readRequestId } from '../../../http/middleware/request-headers.ts';
import { auditEntry } from '../routes.ts';
import type { Page, PagePosition } from '../../../kernel/paging.ts';
import type { AuditEntry, Shown } from '../entity.ts';

const perRead = 500;

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: 'at,actor,actor_name,action,account_id,subject,before,after,address\n',
    line: csvLine,
  },
  jsonl: { type: 'application/x-ndjson', head: '', line: jsonLine },
};

type Read = (cursor: PagePosition | null, limit: number) => Promise<Page<AuditEntry>>;

interface Context extends Pick<PageContext, 'query' | 'exportSlots' | 'clock'> {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Writes page by page with back-pressure, so that a year of changes is never in memory at once. Takes one of the few export slots of
 * `whose`. Throws Fault 422 if `read` is null because the filter is invalid, and 503 while too many exports run. [faults: 85, 180]
 */
export async function exportAudit(context: Context, whose: string, read: Read | null): Promise<void> {
  const { request, response, query, exportSlots } = context;
  if (read === null) throw fault('validation', { errors: [] });
  const free = exportSlots.take(whose);
  if (free === null) throw fault('overloaded', { retryAfter: 1 });
  try {
    const name = query.get('format') === 'jsonl' ? 'jsonl' : 'csv';
    const first = await read(null, perRead);
    response.writeHead(200, headersOf(name, readRequestId(request)));
    if (request.method === 'HEAD') response.end();
    else await pour(written(name, first, read), context);
  } finally {
    free();
  }
}

function headersOf(name: keyof typeof formats, requestId: string) {
  return {
    'Content-Type': formats[name].type,
    'Content-Disposition': `attachment; filename="audit.${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
  };
}

async function* written(
  name: keyof typeof formats,
  first: Page<AuditEntry>,
  read: Read,
): AsyncGenerator<string> {
  const { head, line } = formats[name];
  yield head;
  let page = first;
  yield page.items.map(line).join('');
  while (page.nextCursor !== null) {
    page = await read(page.nextCursor, perRead);
    yield page.items.map(line).join('');
  }
}

/**
 * Stops reading when the client disconnects or reads nothing for long. After the head an error goes to the route's failure handler, which
 * logs it and closes the connection, because half a log must not look complete.
 */
async function pour(pages: AsyncIterable<string>, { response, clock }: Context): Promise<void> {
  for await (const lines of pages) {
    if (response.destroyed) return;
    if (!response.write(lines)) await drained(response, clock);
  }
  response.end();
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(auditEntry.of(entry))}\n`;
}

function csvLine(entry: AuditEntry): string {
  const { createdAt, actor, actorName, action, accountId, subject, before, after, address } = entry;
  const values = [before, after].map((shown) => (shown === null ? null : jsonCell(shown)));
  return `${[toIso(createdAt), actor, actorName, action, accountId, subject, ...values, address].map(cell).join(',')}\n`;
}

/** JSON with escaped semicolons: where a semicolon separates cells, a spreadsheet splits at each, quoted or not. */
function jsonCell(shown: Shown): string {
  return JSON.stringify(shown).replaceAll(';', String.raw`\u003b`);
}

/** Marks a text that begins like a formula as text, for spreadsheets. */
function cell(text: string | null): string {
  const safe = /^[=+\-@\t\r]/.test(text ?? '') ? `'${text}` : (text ?? '');
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
