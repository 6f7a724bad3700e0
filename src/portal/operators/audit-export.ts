import { once } from 'node:events';
import { fault } from '../../kernel/faults.ts';
import { toIso } from '../../kernel/clock.ts';
import { auditEntry } from '../../http/admin/schemas.ts';
import type { AuditEntry, AuditFilter } from '../../use-cases/ports/audit.ts';
import type { PagePosition } from '../../use-cases/ports/paging.ts';
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
  let cursor: PagePosition | null = null;
  for (let written = 0; written < mostEntries; written += perRead) {
    const page = await useCases.listAudit(filter, { limit: perRead, cursor });
    if (written === 0) {
      const disposition = `attachment; filename="audit.${name}"`;
      response.writeHead(200, [
        'Content-Type',
        type,
        'Content-Disposition',
        disposition,
        'Cache-Control',
        'no-store',
        'X-Content-Type-Options',
        'nosniff',
      ]);
      response.write(head);
    }
    if (!response.write(page.items.map(line).join('')) && !response.destroyed)
      await Promise.race([once(response, 'drain'), once(response, 'close')]);
    cursor = page.nextCursor;
    if (cursor === null || response.destroyed) break;
  }
  response.end();
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
