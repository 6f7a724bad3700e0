import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fault } from '../../kernel/faults.ts';
import { toIso } from '../../kernel/clock.ts';
import { auditEntry } from '../../http/admin/audit-schemas.ts';
import type { AuditEntry, AuditFilter } from '../../use-cases/ports/audit.ts';
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

/** Page by page as the client takes it: a year of changes never stands in memory. Throws Fault 422 for what is no filter. */
export async function exportAudit(
  { response, query, useCases }: PageContext,
  filter: AuditFilter | null,
): Promise<void> {
  if (filter === null) throw fault('validation', { errors: [] });
  const name = query.get('format') === 'jsonl' ? 'jsonl' : 'csv';
  const { type, head, line } = formats[name];
  const read = (cursor: PagePosition | null) => useCases.listAudit(filter, { limit: perRead, cursor });
  const first = await read(null);
  const headers = {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="audit.${name}"`,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
  response.writeHead(200, headers);
  const pages = Readable.from(written(first));
  // Who goes away in the middle ends the reading.
  await pipeline(pages, response).catch(() => pages.destroy());

  async function* written(from: Page<AuditEntry>): AsyncGenerator<string> {
    yield head;
    let page = from;
    for (let count = perRead; ; count += perRead) {
      yield page.items.map(line).join('');
      const cursor = page.nextCursor;
      if (cursor === null || count >= mostEntries) return;
      page = await read(cursor);
    }
  }
}

function jsonLine(entry: AuditEntry): string {
  return `${JSON.stringify(auditEntry.of(entry))}\n`;
}

function csvLine(entry: AuditEntry): string {
  const { createdAt, actor, actorName, action, accountId, subject, before, after, address } = entry;
  const values = [before, after].map((shown) => (shown === null ? null : JSON.stringify(shown)));
  return `${[toIso(createdAt), actor, actorName, action, accountId, subject, ...values, address].map(cell).join(',')}\n`;
}

/** A name that begins like a formula is text to a spreadsheet, too. */
function cell(text: string | null): string {
  const safe = /^[=+\-@\t\r]/.test(text ?? '') ? `'${text}` : (text ?? '');
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
