import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fault } from '../../kernel/faults.ts';
import { toIso } from '../../kernel/clock.ts';
import { readRequestId } from '../../http/middleware/request-id.ts';
import { auditEntry } from '../../http/admin/audit-schemas.ts';
import type { AuditEntry, Shown } from '../../use-cases/ports/audit.ts';
import type { Page, PagePosition } from '../../use-cases/ports/paging.ts';
import type { PageContext } from '../session/pages.ts';

const perRead = 500;
/** An export beyond it is asked for day by day. */
const mostEntries = 100_000;

const formats = {
  csv: {
    type: 'text/csv; charset=utf-8',
    head: 'at,actor,actor_name,action,account_id,subject,before,after,address\n',
    line: csvLine,
  },
  jsonl: { type: 'application/x-ndjson', head: '', line: jsonLine },
};

type Read = (cursor: PagePosition | null, limit: number) => Promise<Page<AuditEntry>>;

/** Page by page as the client takes it: a year of changes never stands in memory. Throws Fault 422 where `read` is null: what was asked for is no filter. */
export async function exportAudit(
  { request, response, query }: Pick<PageContext, 'request' | 'response' | 'query'>,
  read: Read | null,
): Promise<void> {
  if (read === null) throw fault('validation', { errors: [] });
  const name = query.get('format') === 'jsonl' ? 'jsonl' : 'csv';
  const { type, head, line } = formats[name];
  const first = await read(null, perRead);
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="audit.${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': readRequestId(request),
  };
  response.writeHead(200, headers);
  const pages = Readable.from(written(first, read));
  // Who goes away in the middle ends the reading.
  await pipeline(pages, response).catch(() => pages.destroy());

  async function* written(from: Page<AuditEntry>, next: Read): AsyncGenerator<string> {
    yield head;
    let page = from;
    for (let count = perRead; ; count += perRead) {
      yield page.items.map(line).join('');
      const cursor = page.nextCursor;
      if (cursor === null || count >= mostEntries) return;
      page = await next(cursor, perRead);
    }
  }
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(auditEntry.of(entry))}\n`;
}

function csvLine(entry: AuditEntry): string {
  const { createdAt, actor, actorName, action, accountId, subject, before, after, address } = entry;
  const values = [before, after].map((shown) => (shown === null ? null : jsonCell(shown)));
  return `${[toIso(createdAt), actor, actorName, action, accountId, subject, ...values, address].map(cell).join(',')}\n`;
}

/** The same JSON without semicolons: where lists are parted by them, a spreadsheet sees cells behind each, quoted or not. */
function jsonCell(shown: Shown): string {
  return JSON.stringify(shown).replaceAll(';', String.raw`\u003b`);
}

/** A name that begins like a formula is text to a spreadsheet, too. */
function cell(text: string | null): string {
  const safe = /^[=+\-@\t\r]/.test(text ?? '') ? `'${text}` : (text ?? '');
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
