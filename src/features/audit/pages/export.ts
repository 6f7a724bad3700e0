/** The audit log as a file. */
import type { PageContext } from '../../route.ts';
import { toIso } from '../../../kernel/clock.ts';
import { csvLine } from '../../../pages/list/csv.ts';
import { exportList } from '../../../pages/list/export.tsx';
import type { Exported, ExportFormat } from '../../../pages/list/export.tsx';
import { auditEntry } from '../routes.ts';
import type { AuditEntry, Shown } from '../entity.ts';

const formats: Record<'csv' | 'jsonl', ExportFormat<AuditEntry>> = {
  csv: {
    extension: 'csv',
    head: 'at,actor,actor_name,action,account_id,subject,before,after,address\n',
    line({ createdAt, actor, actorName, action, accountId, subject, before, after, address }) {
      const values = [before, after].map((shown) => (shown === null ? null : jsonCell(shown)));
      return csvLine([toIso(createdAt), actor, actorName, action, accountId, subject, ...values, address]);
    },
  },
  jsonl: { extension: 'jsonl', head: '', line: (entry) => `${JSON.stringify(auditEntry.of(entry))}\n` },
};

/** The whole log: an account's is bounded. Throws as `exportList`. */
export function exportAudit(
  context: Pick<PageContext, 'query'> & Parameters<typeof exportList>[0],
  whose: string,
  exported: Pick<Exported<AuditEntry>, 'read' | 'began'>,
): Promise<void> {
  const format = formats[context.query.get('format') === 'jsonl' ? 'jsonl' : 'csv'];
  return exportList(context, whose, { name: 'audit', format, ...exported });
}

/** JSON with escaped semicolons: where a semicolon separates cells, a spreadsheet splits at each, quoted or not. */
function jsonCell(shown: Shown): string {
  return JSON.stringify(shown).replaceAll(';', String.raw`\u003b`);
}
